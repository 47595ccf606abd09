"""The six parts of the protocol, each at work without the others."""

from dataclasses import replace
from pathlib import Path

from bot.measures.convergence import RoundsEnd, StanceResult, stance_result
from bot.meeting.context import TimeBudget
from bot.meeting.round_decision import AfterRound, after_round
from bot.panels import Timeouts
from bot.prompting.closing_lines import Stance
from bot.prompting.summary import Point, parse_summary
from bot.reports.minutes import minutes_text
from bot.store import DATABASE, Store
from bot.store.repositories.seats import Seat, SeatRepository
from tests.record.sample_record import record
from tests.store.conftest import start_run

AGREE, DISAGREE, NEUTRAL = Stance.AGREE, Stance.DISAGREE, Stance.NEUTRAL


def test_the_coordinator_decides_from_what_the_others_report() -> None:
    """A9: a debate goes on, agrees, runs out of rounds or out of time, by values alone."""
    open_ = AfterRound(
        round=1,
        planned=3,
        stances=(AGREE, DISAGREE),
        early_exit=True,
        convergence=(),
        seated=2,
        speaking=2,
        seconds_left=400,
        round_seconds=80,
    )
    assert after_round(open_).go_on
    ends = {
        RoundsEnd.CONSENSUS: replace(open_, stances=(AGREE, AGREE)),
        RoundsEnd.LAST_ROUND: replace(open_, round=3),
        RoundsEnd.NO_TIME: replace(open_, seconds_left=0),
        RoundsEnd.NO_MONEY: replace(open_, obstacle="The budget is used up."),
        RoundsEnd.ASKED: replace(open_, asked=True),
        RoundsEnd.NOBODY_ANSWERED: replace(open_, round=2, last_answered=1),
    }
    for reason, state in ends.items():
        decision = after_round(state)
        assert (decision.reason, decision.go_on) == (reason, False)
        assert decision.early is (reason is not RoundsEnd.LAST_ROUND)


async def test_the_session_manager_keeps_the_sessions_of_a_run(tmp_path: Path) -> None:
    """A9: it needs a database and neither a meeting nor a model."""
    store = await Store.open(tmp_path / DATABASE, clock=lambda: 1.0)
    try:
        run_id = (await start_run(store)).id
        ada = Seat(run_id, "ada", 1, "Ada", "opus", "house", "wire", "claude")
        bob = replace(ada, slug="bob", ordinal=2, role="Bob")
        await store.write(lambda conn: SeatRepository(conn).place([bob, ada]))
        await store.write(lambda conn: SeatRepository(conn).place([replace(ada, role="Eve")]))
        await store.write(lambda conn: SeatRepository(conn).touch(run_id, "bob", 2.0, "acp:42"))
        found = await store.read(lambda conn: SeatRepository(conn).of_run(run_id))
    finally:
        await store.close()
    assert found == (ada, replace(bob, last_activity=2.0, external_session_ref="acp:42"))
    assert [seat.session_key for seat in found] == [f"{run_id}:ada", f"{run_id}:bob"]


def test_the_summarizer_reads_a_summary_without_a_meeting() -> None:
    """A9: JSON gives summary and findings, anything else is the summary itself."""
    written = (
        '{"summary": "They differ.", "consensus": [{"text": "It works", "from": ["ada", "eve"]}],'
        ' "disagreement": [{"text": "Its price", "from": ["Bob"]}], "new_points": ["Its age"]}'
    )
    found = parse_summary(written, ("Ada", "Bob"))
    assert (found.summary, found.parsed) == ("They differ.", True)
    assert found.consensus == (Point("It works", ("Ada",)),)
    assert found.disagreement == (Point("Its price", ("Bob",)),)
    assert [point.text for point in found.new_points] == ["Its age"]
    plain = parse_summary("They differ. " * 300, ("Ada", "Bob"))
    assert (plain.parsed, plain.consensus, len(plain.summary.split())) == (False, (), 350)


def test_the_consensus_detector_counts_stances() -> None:
    """A9."""
    for stances, result in {
        (): StanceResult.NONE,
        (AGREE, AGREE): StanceResult.FULL,
        (AGREE, AGREE, NEUTRAL): StanceResult.MAJORITY,
        (AGREE, NEUTRAL): StanceResult.NONE,
        (AGREE, AGREE, AGREE, DISAGREE): StanceResult.NONE,
    }.items():
        assert stance_result(stances) is result


def test_the_minutes_writer_needs_nothing_but_the_record() -> None:
    """A9: it can be called with a record that no meeting made."""
    text = minutes_text(record())
    assert text.startswith("# Roundtable Conclusion: Should we adopt uv?\n")
    for part in (
        *("## Summary", "## Consensus Points", "## Disagreement Points", "## Action Items"),
        *("## Detailed Transcript", "**Advocate(claude-opus)**: Advocate speaks"),
    ):
        assert text.count(part) == 1, part


def test_the_timeout_handler_counts_by_any_clock() -> None:
    """A9: a step gets its own limit, then what is left of the rounds, and never nothing."""
    now = 0.0
    time = TimeBudget(Timeouts.model_validate({"tiers": {}}), validate=False, clock=lambda: now)
    assert (time.left(), time.cap(60), time.cap_tail(180)) == (390, 60, 180)
    now = 350.0
    assert (time.left(), time.cap(60), time.allows(40), time.allows(41)) == (40, 40, True, False)
    now = 500.0
    assert (time.left(), time.cap(60), time.cap_tail(180)) == (0, 5, 100)
