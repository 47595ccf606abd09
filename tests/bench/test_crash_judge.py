"""The judge of the crash benchmark lets a clean roundtable pass and catches every doctored one."""

from dataclasses import replace

import pytest

from bench.support.crash_judge import Evidence, Noted, PaidCall, Toll, judge, phase_of

CLEAN = Evidence(
    topic="is it so?",
    phase="completed",
    runs=1,
    recorded={"r1:analyst": Noted(10.0), "synthesis": Noted(20.0)},
    calls=(PaidCall("r1:analyst", 9.0, True), PaidCall("synthesis", 19.0, True)),
    posts=(("card", 1, "sent"), ("r1:analyst", 2, "sent"), ("conclusion", 3, "sent")),
    shown=(1, 2, 3),
    files=True,
)


def judged(evidence: Evidence) -> Toll:
    toll = Toll(started=1)
    judge(evidence, toll)
    return toll


def test_a_clean_roundtable_passes() -> None:
    toll = judged(CLEAN)
    assert (toll.wrong, toll.findings, toll.unrecorded) == (0, [], 0)


@pytest.mark.parametrize(
    ("kind", "evidence"),
    [
        ("paid_again", replace(CLEAN, calls=(*CLEAN.calls, PaidCall("r1:analyst", 11.0, False)))),
        ("lost", replace(CLEAN, calls=(*CLEAN.calls, PaidCall("r2:analyst", 11.0, True)))),
        ("lost", replace(CLEAN, shown=(1, 3))),
        ("lost", replace(CLEAN, posts=(*CLEAN.posts, ("r2:analyst", None, "pending")))),
        ("lost", replace(CLEAN, files=False)),
        ("doubled", replace(CLEAN, shown=(1, 2, 2, 3))),
        ("doubled", replace(CLEAN, shown=(1, 2, 3, 4))),
        ("doubled", replace(CLEAN, runs=2)),
        ("out_of_order", replace(CLEAN, posts=(CLEAN.posts[1], CLEAN.posts[0], CLEAN.posts[2]))),
    ],
)
def test_a_doctored_roundtable_is_caught(kind: str, evidence: Evidence) -> None:
    toll = judged(evidence)
    assert (getattr(toll, kind), toll.wrong, len(toll.findings)) == (1, 1, 1)


def test_a_roundtable_that_did_not_finish_is_caught() -> None:
    assert judged(replace(CLEAN, phase="executing")).wrong == 1


def test_an_answer_that_was_not_recorded_is_counted_but_no_fault() -> None:
    toll = judged(replace(CLEAN, calls=(PaidCall("r1:analyst", 8.0, True), *CLEAN.calls)))
    assert (toll.unrecorded, toll.wrong) == (1, 0)


def test_a_later_attempt_may_ask_again_until_it_is_recorded() -> None:
    again = replace(
        CLEAN,
        recorded={**CLEAN.recorded, "r1:analyst@2": Noted(15.0)},
        calls=(*CLEAN.calls, PaidCall("r1:analyst", 14.0, True)),
    )
    assert judged(again).wrong == 0


ANOTHER_CONCLUSION = (*CLEAN.calls, PaidCall("synthesis", 21.0, True))
BY_THE_ORCHESTRATOR = {"synthesis:orchestrator": Noted(22.0)}


def test_the_orchestrator_may_conclude_after_a_failure_in_the_log() -> None:
    """E106."""
    failed = {**CLEAN.recorded, "synthesis": Noted(20.0, ok=False), **BY_THE_ORCHESTRATOR}
    assert judged(replace(CLEAN, recorded=failed, calls=ANOTHER_CONCLUSION)).wrong == 0


def test_a_second_conclusion_after_an_answer_is_caught_even_then() -> None:
    answered = {**CLEAN.recorded, **BY_THE_ORCHESTRATOR}
    assert judged(replace(CLEAN, recorded=answered, calls=ANOTHER_CONCLUSION)).paid_again == 1


LOG = [
    ("task.created", "run", {}),
    ("place.opened", "place", {}),
    ("run.designed", "design", {}),
    ("round.closed", "r1", {"go_on": True}),
    ("round.closed", "r2", {"go_on": False}),
    ("call.done", "s2:reviewer", {}),
    ("post.sent", "conclusion#1", {}),
    ("export.written", "files@1", {}),
]


@pytest.mark.parametrize(
    ("length", "phase"),
    [
        (1, "thread creation"),
        (2, "meta-panel"),
        (3, "round 1"),
        (4, "round 2"),
        (5, "stage 2"),
        (6, "synthesis"),
        (7, "export"),
        (8, "over"),
    ],
)
def test_the_phase_is_read_from_the_log(length: int, phase: str) -> None:
    assert phase_of(LOG[:length], 1, sending=False) == phase


def test_a_build_builds_from_its_spec_to_its_last_gate() -> None:
    drafted = [*LOG[:6], ("call.done", "spec:v1", {})]
    assert phase_of(drafted, 1, sending=False) == "building"
    assert phase_of([*drafted, ("call.done", "gate:quality:1:1", {})], 1, False) == "synthesis"


def test_a_gate_may_ask_another_reviewer_but_none_after_the_verdict() -> None:
    noted = {**CLEAN.recorded, "gate:spec:1:1": Noted(11.0, ok=False), "gate:spec:1:2": Noted(13.0)}
    asked = (
        *CLEAN.calls,
        PaidCall("gate:spec:1", 10.0, False),
        PaidCall("gate:spec:1", 12.0, True),
    )
    assert judged(replace(CLEAN, recorded=noted, calls=asked)).wrong == 0
    late = (*asked, PaidCall("gate:spec:1", 14.0, True))
    assert judged(replace(CLEAN, recorded=noted, calls=late)).paid_again == 1


def test_a_part_on_its_way_is_posting() -> None:
    assert phase_of(LOG[:3], 0, sending=True) == "posting"
