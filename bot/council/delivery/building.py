"""Execution: attempt after attempt builds from the accepted spec until both gates are passed.

The orchestrator alone moves the phase: executors leave artifacts, reviewers leave reviews (B43).
"""

from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from bot.council.attempting import LAST_AUTOMATIC
from bot.council.calls import Ask, Reading
from bot.council.delivery.files import Work, built_in, file_listing, files_post, keep_files
from bot.council.delivery.gates import GateResult, check_files, review
from bot.council.delivery.team import Reviewer, builder_of, reviewers_for
from bot.council.designing import freeze_design
from bot.council.meeting import Meeting
from bot.council.run_failed import RunFailedError
from bot.prompting.build_files import parse_built_files
from bot.prompting.build_spec import parse_build_spec
from bot.store import Actor, AttemptStatus, Phase, ReviewType, Verdict, attempts, move, runs, specs
from bot.store import reviews as review_store
from bot.store.reviews import Review
from bot.store.runs import Run
from bot.words import delivery as words

FILES: Final = "build-files"


@dataclass(frozen=True, slots=True)
class Delivered:
    """Files that passed both gates, and what the gates found."""

    work: Work
    attempt: int
    spec_version: int
    spec_gate: GateResult
    quality_gate: GateResult

    @property
    def reviewers(self) -> tuple[Reviewer, ...]:
        """Who looked at the files."""
        found = (self.spec_gate.reviewer, self.quality_gate.reviewer)
        return tuple(reviewer for reviewer in found if reviewer)


@dataclass(frozen=True, slots=True)
class _Before:
    """What earlier attempts left for the next one."""

    reworks: int
    findings: str
    files: str


async def build_until_passed(meeting: Meeting) -> Delivered:
    """Build, review, rework; raises RunFailedError when no attempt is left."""
    while True:
        await meeting.reach(Phase.EXECUTING, words.SPEC_ACCEPTED)
        await freeze_design(meeting)
        meeting.caller.attempt = max(1, meeting.run.attempt)
        work = await _build(meeting)
        await meeting.reach(Phase.SPEC_GATE, words.FILES_STORED)
        spec_gate = await check_files(meeting, work)
        if spec_gate is None:
            spec_gate = await _gate(meeting, work, ReviewType.SPEC)
        if not spec_gate.passed:
            await _rework(meeting, spec_gate)
            continue
        await meeting.reach(Phase.QUALITY_GATE, words.SPEC_GATE_PASSED)
        taken = spec_gate.reviewer.model.key if spec_gate.reviewer else ""
        quality_gate = await _gate(meeting, work, ReviewType.QUALITY, taken)
        if not quality_gate.passed:
            await _rework(meeting, quality_gate)
            continue
        await meeting.say(files_post(work, meeting.run.attempt))
        version = await _spec_version(meeting)
        return Delivered(work, meeting.run.attempt, version, spec_gate, quality_gate)


async def _build(meeting: Meeting) -> Work:
    """Have the files written once for each set of findings; a retry keeps what was written."""
    store, run = meeting.tools.store, meeting.run
    spec = await store.read(lambda conn: specs.accepted(conn, run.id))
    if spec is None:
        raise RuntimeError(f"{run.id} has no accepted spec")
    before = await store.read(lambda conn: _before(conn, run))
    criteria = parse_build_spec(spec.text).acceptance_criteria
    work = Work(before.reworks + 1, spec.text, criteria)
    seat = builder_of(meeting.designed)
    meeting.show(words.being_built(run.attempt, seat.role, spec.version))
    values = {
        "PROMPT": run.topic,
        "SPEC": spec.text,
        "ROLE": seat.role,
        "FILES": before.files,
        "FINDINGS": before.findings,
    }
    ask = Ask(
        key=f"build:{work.number}",
        purpose=FILES,
        prompt=meeting.tools.book.render(FILES, values, run.id),
        seconds=meeting.config.timeouts.synthesis,
        models=meeting.designed.models_of(seat),
        seat=seat.seat,
        must_speak=True,
    )
    reply = await meeting.caller.ask(ask, lambda _: Reading())
    if reply.answer is None:
        raise RunFailedError(words.NOT_BUILT, "build:")
    built = parse_built_files(reply.answer.text)
    files = await keep_files(meeting, built)
    return replace(work, builder=reply.model, files=files, refused=built.refused)


async def _gate(meeting: Meeting, work: Work, kind: ReviewType, taken: str = "") -> GateResult:
    """Hold a gate; when nobody could review, the run goes back to be tried again."""
    meeting.show(words.gate_held(meeting.run.attempt, kind))
    try:
        found = await review(meeting, work, kind, reviewers_for(meeting, work.builder, taken=taken))
    except RunFailedError:
        await _move_back(meeting, words.NOBODY_REVIEWED, Phase.EXECUTING)
        raise
    meeting.notice(words.gate_told(meeting.run.attempt, kind, found.name, found.verdict))
    return found


async def _rework(meeting: Meeting, gate: GateResult) -> None:
    """Begin the next attempt with the findings; the last one opens the circuit instead (B21)."""
    # The log holds our own words only: what was found is in the reviews.
    reason = words.gate_not_passed(gate.kind, gate.verdict)
    run = meeting.run
    if run.attempt >= LAST_AUTOMATIC:
        # Only a run that executes, or is at its spec gate, may open its circuit (B16, B21).
        if run.phase is Phase.QUALITY_GATE:
            await _move_back(meeting, words.NO_ATTEMPT_LEFT, Phase.EXECUTING)
        raise RunFailedError(reason, "gate:rework:")
    store = meeting.tools.store

    def work(conn: Connection) -> Run:
        now, boss, failed = store.now(), Actor.ORCHESTRATOR, AttemptStatus.FAILED
        attempts.finish(conn, run.id, run.attempt, failed, reason, boss, now)
        why = words.rework_after(gate.kind)
        move(conn, run.id, run.phase, Phase.EXECUTION_READY, boss, why, now)
        attempts.start(conn, run.id, "local", boss, now)
        return runs.require(conn, run.id)

    meeting.begin_attempt(await store.write(work))


async def _move_back(meeting: Meeting, reason: str, target: Phase) -> None:
    """Leave a gate for the phase in which the next attempt may be started."""
    store, run_id = meeting.tools.store, meeting.run.id

    def work(conn: Connection) -> Run:
        run, boss = runs.require(conn, run_id), Actor.ORCHESTRATOR
        for phase in (Phase.EXECUTION_READY, target):
            run = move(conn, run_id, run.phase, phase, boss, reason, store.now())
        return run

    meeting.run = await store.write(work)


async def _spec_version(meeting: Meeting) -> int:
    spec = await meeting.tools.store.read(lambda conn: specs.accepted(conn, meeting.run.id))
    return spec.version if spec else 0


def _before(conn: Connection, run: Run) -> _Before:
    """What the gates found in earlier attempts; the newest findings are to be met."""
    refused: list[tuple[int, list[Review]]] = []
    for ordinal in range(1, run.attempt):
        found = review_store.of_attempt(conn, run.id, ordinal)
        bad = [one for one in found if one.verdict is not Verdict.APPROVED]
        if bad:
            refused.append((ordinal, bad))
    if not refused:
        return _Before(0, "", "")
    ordinal, bad = refused[-1]
    lines = [
        f"- {one.reviewer}, {f.severity}: {f'{f.where}: ' if f.where else ''}{f.message}"
        for one in bad
        for f in one.findings
    ]
    said = [f"- {one.reviewer}: {one.summary}" for one in bad if one.summary]
    files = file_listing(built_in(conn, run.id, ordinal))
    return _Before(len(refused), "\n".join(lines or said), files)
