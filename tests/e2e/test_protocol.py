"""The protocol of a run as its log tells it: who wrote what, and in which order."""

from dataclasses import asdict
from pathlib import Path

from bot.request import parse_request
from bot.store import DATABASE, Event, EventType, Phase, ReviewType, Store, Verdict
from bot.store.log import events
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.reviews import Review, ReviewRepository
from bot.store.repositories.runs import NewRun, RunRepository, TopicPlace
from bot.store.vocabulary import Actor
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import (
    FAIL,
    Plan,
    ScriptedModels,
    conclusion,
    scripted_playground,
    verdict,
)

ASKED = "roundtable --debate --validate is it so?"
MAIN_LINE = [
    Phase.SPEC_REVIEW,
    Phase.EXECUTION_READY,
    Phase.EXECUTING,
    Phase.SPEC_GATE,
    Phase.QUALITY_GATE,
    Phase.COMPLETED,
]


async def log_of(table: PlaygroundHarness, held: FinishedRun) -> list[Event]:
    return list(await table.stored(lambda conn: events.history(conn, held.record.run_id)))


async def reviews_of(table: PlaygroundHarness, held: FinishedRun) -> tuple[Review, ...]:
    found: tuple[Review, ...] = await table.stored(
        lambda conn: ReviewRepository(conn).of_attempt(held.record.run_id, 1)
    )
    return found


def at(log: list[Event], kind: EventType, key: str) -> int:
    """Where in the log an event stands."""
    return next(n for n, event in enumerate(log) if (event.type, event.key) == (kind, key))


async def test_the_steps_of_a_round_keep_their_order(tmp_path: Path) -> None:
    """A5: ask, collect, read stances, check for consensus, compress, next round, minutes."""
    agreed = {f"r2:{role}": "AGREE" for role in ("Planner", "Critic", "Judge")}
    cast = ScriptedModels(plan=Plan(rounds=3), stances={"r1:Critic": "DISAGREE", **agreed})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        log = await log_of(table, held)
        (minutes,) = table.minutes()
    answered, closed = EventType.CALL_DONE, EventType.ROUND_CLOSED
    rounds = [event for event in log if event.type is closed]
    assert [(e.key, e.payload["stance"], e.payload["go_on"]) for e in rounds] == [
        ("r1", "NO_CONSENSUS", True),
        ("r2", "FULL_CONSENSUS", False),
    ]
    seats = ("planner", "critic", "judge")
    first, second = (
        [at(log, answered, f"r{number}:{seat}") for seat in seats] for number in (1, 2)
    )
    ends = [at(log, closed, "r1"), at(log, closed, "r2")]
    assert max(first) < ends[0] < min(second) <= max(second) < ends[1]
    summaries = [at(log, answered, f"summary:{number}") for number in (1, 2)]
    assert ends[0] < summaries[0] < summaries[1]
    assert ends[1] < min(summaries[1], at(log, answered, "synthesis"))
    assert at(log, answered, "synthesis") < at(log, EventType.EXPORT_WRITTEN, "files@1")
    asked = [asked.label for asked in cast.heard]
    assert asked.index("summary:1") > max(asked.index(f"r1:{s.title()}") for s in seats)
    assert "summary:1 sums up" in cast.asked("summary:2")[0].values["ROLLING_SUMMARY"]
    assert not cast.asked("r3:*")
    floor = [event.key for event in log if event.key.startswith("floor:")]
    assert floor == ["floor:r1", "floor:r2", "floor:r3", "floor:synthesis"]
    assert "All panelists agree, so the rounds end early." in held.card
    assert minutes.index("### Round 1") < minutes.index("### Round 2")
    assert "- Rounds: 2 of 3" in minutes


async def test_every_phase_follows_what_was_stored_for_it(tmp_path: Path) -> None:
    """B2 B10 B15 B17 B19 B38 B39 B41 B45: spec, attempt, answers, draft, reviews, end."""
    cast = ScriptedModels(
        verdicts={"Critic": verdict("PARTIALLY ACCURATE", "Say that I doubt it.")}
    )
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        log = await log_of(table, held)
        found = await reviews_of(table, held)
        kept = await table.stored(lambda conn: ArtifactRepository(conn).of_run(held.record.run_id))
    moved, answered = EventType.TASK_TRANSITIONED, EventType.ATTEMPT_CHECKPOINT
    moves = [event for event in log if event.type is moved]
    assert [event.payload["to"] for event in moves] == MAIN_LINE
    assert {event.actor for event in moves} == {Actor.ORCHESTRATOR}
    order = [
        at(log, EventType.TASK_CREATED, "run"),
        at(log, EventType.SPEC_RECORDED, "spec"),
        at(log, moved, "spec_review#1"),
        at(log, EventType.RUN_DESIGNED, "design"),
        at(log, moved, "execution_ready#1"),
        at(log, EventType.ATTEMPT_STARTED, "1"),
        at(log, moved, "executing#1"),
        at(log, answered, "answer:r1:judge"),
        at(log, answered, "answer:r2:judge"),
        at(log, EventType.ARTIFACT_RECORDED, "1:other:conclusion-draft.md"),
        at(log, moved, "spec_gate#1"),
        at(log, EventType.REVIEW_APPENDED, "1:spec:Judge"),
        at(log, moved, "quality_gate#1"),
        at(log, EventType.REVIEW_APPENDED, "1:quality:format check"),
        at(log, EventType.POST_SENT, "conclusion#1"),
        at(log, moved, "completed#1"),
    ]
    assert order == sorted(order)
    answers = [event for event in log if event.key.startswith("answer:")]
    assert {event.actor for event in answers} == {Actor.EXECUTOR}
    assert len([event for event in answers if event.key.startswith("answer:r")]) == 6
    verdicts = {(review.review_type, review.reviewer): review.verdict for review in found}
    assert verdicts == {
        (ReviewType.SPEC, "Planner"): Verdict.APPROVED,
        (ReviewType.SPEC, "Critic"): Verdict.CHANGES_REQUESTED,
        (ReviewType.SPEC, "Judge"): Verdict.APPROVED,
        (ReviewType.QUALITY, "format check"): Verdict.APPROVED,
    }
    (draft,) = [artifact for artifact in kept if artifact.name == "conclusion-draft.md"]
    assert draft.produced_by is Actor.EXECUTOR
    assert "Do it. Then rest." in draft.content


async def test_the_quality_gate_finds_gaps_and_its_verdict_alone_ends_nothing(
    tmp_path: Path,
) -> None:
    """B5 B22 B48 2.2#33: findings with their place; the orchestrator concludes and tells them.

    A major fault leads to one rewrite; what is still wrong with it is found and told, no more.
    """
    text = conclusion("A [ROLE] title").replace("💡 OUTLIER\n", "")
    unfilled = text.replace("Do it.", "Do it as [ROLE] says.")
    cast = ScriptedModels(says={"synthesis": unfilled, "rewrite": unfilled})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        found = await reviews_of(table, held)
        log = await log_of(table, held)
    assert len(cast.asked("rewrite")) == 1
    review, again = found
    assert again.reviewer == "format check of the rewrite"
    assert again.findings == review.findings
    assert (review.review_type, review.verdict) == (ReviewType.QUALITY, Verdict.CHANGES_REQUESTED)
    said = {(finding.severity, finding.message, finding.where) for finding in review.findings}
    assert ("minor", "💡 OUTLIER is missing", "conclusion-draft.md") in said
    assert ("major", "[ROLE] was left unfilled", "conclusion-draft.md") in said
    skipped = at(log, EventType.ATTEMPT_CHECKPOINT, "spec_gate:skipped@1")
    assert at(log, EventType.TASK_TRANSITIONED, "spec_gate#1") < skipped
    assert skipped < at(log, EventType.TASK_TRANSITIONED, "quality_gate#1")
    assert held.export["ending"] == "concluded"
    assert "Missing sections in the conclusion: 💡 OUTLIER" in held.meta


async def test_a_major_fault_of_form_is_mended_by_one_rewrite(tmp_path: Path) -> None:
    """B22: the check writes findings, the orchestrator has it rewritten, and the result is checked.

    Minor faults are told and lead to nothing.
    """
    faulty = conclusion("A title").replace("Do it.", "Do it as [ROLE] says.")
    cast = ScriptedModels(says={"synthesis": faulty})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate --validate is it so?")
        found = [r for r in await reviews_of(table, held) if r.review_type is ReviewType.QUALITY]
        log = await log_of(table, held)
    (asked,) = cast.asked("rewrite")
    assert "format check" in asked.values["CORRECTIONS"]
    assert "was left unfilled" in asked.values["CORRECTIONS"]
    assert "A title" in asked.values["SYNTHESIS_DRAFT"]
    assert [(r.reviewer, r.verdict) for r in found] == [
        ("format check", Verdict.CHANGES_REQUESTED),
        ("format check of the rewrite", Verdict.APPROVED),
    ]
    assert "A rewritten title" in held.conclusion
    assert "[ROLE]" not in held.conclusion
    assert "The conclusion was rewritten once, because the format check found" in held.meta
    decided = at(log, EventType.ATTEMPT_CHECKPOINT, "quality_gate:rewrite@1")
    assert at(log, EventType.TASK_TRANSITIONED, "quality_gate#1") < decided
    assert log[decided].actor is Actor.ORCHESTRATOR


async def test_what_the_orchestrator_wrote_it_rewrites_as_well(tmp_path: Path) -> None:
    """B22 E80 E106: the neutral writers are down, and would lose every rewrite."""
    faulty = conclusion("A title").replace("Do it.", "Do it as [ROLE] says.")
    wrong = verdict("INACCURATE", "I said no.")
    cast = ScriptedModels(verdicts={"Judge": wrong, "Critic": wrong})
    cast.says |= {"synthesis": FAIL, "synthesis@claude-haiku": faulty, "rewrite": FAIL}
    cast.says["rewrite@claude-haiku"] = conclusion("A rewritten title").replace("it.", "[ROLE].")
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate --validate is it so?")
    assert [asked.model for asked in cast.asked("rewrite")] == ["claude-haiku"] * 2
    assert "A rewritten title" in held.conclusion
    assert held.export["synthesis_model"] == "claude-haiku"


async def test_minor_faults_of_form_lead_to_no_rewrite(tmp_path: Path) -> None:
    """B22."""
    text = conclusion("A title").replace("💡 OUTLIER\n", "")
    cast = ScriptedModels(says={"synthesis": text})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        (review,) = await reviews_of(table, held)
    assert cast.asked("rewrite") == []
    assert [finding.severity for finding in review.findings] == ["minor"]
    assert "rewritten once" not in held.meta


async def test_a_lost_rewrite_leaves_the_conclusion_as_it_was(tmp_path: Path) -> None:
    """B22: it is no failure of the roundtable, and nobody is told of a rewrite."""
    faulty = conclusion("A title").replace("Do it.", "Do it as [ROLE] says.")
    cast = ScriptedModels(says={"synthesis": faulty, "rewrite": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        found = await reviews_of(table, held)
    assert cast.asked("rewrite")
    assert {review.reviewer for review in found} == {"format check"}
    assert held.export["ending"] == "concluded"
    assert "A title" in held.conclusion
    assert "rewritten once" not in held.meta


async def test_a_request_whose_words_are_gone_stays_a_draft_and_nobody_is_asked(
    tmp_path: Path,
) -> None:
    """B10 B12 B17: erased while the bot was down; it never becomes a spec under review."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        general, jonas = bench.discord.channel("general"), bench.discord.person("Jonas")
        request = parse_request("roundtable --debate is it so?", 4000)
        asked = asdict(request) | {"thread_id": None, "context_run": None}
        del asked["topic"], asked["mode"]
        place = TopicPlace(bench.guild_id, general.id, request.mode, "is it so")
        new = NewRun(place, general.id, None, jonas.id, "", 7, asked)
        store = await Store.open(tmp_path / DATABASE)
        run = await store.write(
            lambda conn: RunRepository(conn).insert(new, Actor.ORCHESTRATOR, 1.0)
        )
        await store.close()
        async with bench.bot() as app:
            (thread,) = await bench.discord.until(bench.discord.threads)
            await bench.discord.until(lambda: bench.shown(thread, "This roundtable failed"))
            await app.run_service.idle()
            log = await app.store.read(lambda conn: events.history(conn, run.id))
    told = "⚠️ This roundtable failed: The request has no goal: try again with a topic."
    assert bench.count(thread, told) == 1
    moves = [event.payload for event in log if event.type is EventType.TASK_TRANSITIONED]
    assert [(move["from"], move["to"]) for move in moves] == [(Phase.SPEC_DRAFT, Phase.FAILED)]
    assert EventType.SPEC_RECORDED not in {event.type for event in log}
    assert cast.heard == []
