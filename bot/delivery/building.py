"""Execution: attempt after attempt builds from the accepted spec until both gates are passed.

The orchestrator alone moves the phase: executors leave artifacts, reviewers leave reviews (B43).
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from bot.delivery.effects import declare_effects, wished_changes
from bot.delivery.files import (
    BuildFiles,
    built_in,
    file_listing,
    files_post,
    keep_files,
    plain_name,
)
from bot.delivery.gates import GateResult, check_files, review
from bot.delivery.team import builder_of, reviewers_for, verdicts
from bot.delivery.workshop import built_files, gatherer, may_write, prepare_folder
from bot.meeting.context import RunContext, RunFailedError
from bot.meeting.design.frozen import use_design
from bot.meeting.questions import ModelCall
from bot.messages.delivery import BuildText
from bot.models.collect import Live
from bot.panels import ResolvedModel
from bot.prompting.build_spec import parse_build_spec
from bot.record.answer_codec import Reading
from bot.record.attempts import LAST_AUTOMATIC
from bot.record.build import HEARTBEAT, lost_builders
from bot.stage.cleaning import short_line
from bot.store import AttemptStatus, Phase, ReviewType, Verdict, move
from bot.store.repositories.artifacts import Artifact
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.reviews import ReviewRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import Seat
from bot.store.repositories.specs import SpecRepository
from bot.store.vocabulary import Actor

_FILES: Final = "build-files"
_PROBLEM_SHOWN: Final = 240
_BEAT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class _Before:
    """The findings and files of earlier attempts."""

    reworks: int = 0
    findings: str = ""
    files: tuple[Artifact, ...] = ()


async def build_until_accepted(ctx: RunContext) -> BuildFiles:
    """Build, review, rework; raises RunFailedError when no attempt is left."""
    for line in await ctx.deps.store.read(lambda conn: verdicts(conn, ctx.run.id)):
        ctx.notice(line)
    while True:
        await ctx.reach(Phase.EXECUTING, BuildText.SPEC_ACCEPTED)
        await use_design(ctx)
        ctx.caller.attempt = max(1, ctx.run.attempt)
        work = await _build(ctx)
        await ctx.reach(Phase.SPEC_GATE, BuildText.FILES_STORED)
        spec_gate = await check_files(ctx, work)
        if spec_gate is None:
            spec_gate = await _gate(ctx, work, ReviewType.SPEC)
        if not spec_gate.passed:
            await _rework(ctx, spec_gate)
            continue
        await ctx.reach(Phase.QUALITY_GATE, BuildText.SPEC_GATE_PASSED)
        taken = spec_gate.reviewer.model.key if spec_gate.reviewer else ""
        quality_gate = await _gate(ctx, work, ReviewType.QUALITY, taken)
        if not quality_gate.passed:
            await _rework(ctx, quality_gate)
            continue
        await ctx.say(files_post(work, ctx.run.attempt))
        return work


async def _build(ctx: RunContext) -> BuildFiles:
    """Ask for the files once per set of findings; a retry keeps written files."""
    store, run = ctx.deps.store, ctx.run
    spec = await store.read(lambda conn: SpecRepository(conn).accepted(run.id))
    if spec is None:
        raise RuntimeError(f"{run.id} has no accepted spec")
    before = await store.read(lambda conn: _before(conn, run))
    wanted = parse_build_spec(spec.text)
    work = BuildFiles(before.reworks + 1, spec.text, wanted.acceptance_criteria)
    seat = builder_of(ctx.designed, _writers(ctx))
    step = BuildText.being_built(run.attempt, seat.role, spec.version)
    ctx.show(step)
    await declare_effects(ctx)
    ask = _ask(ctx, work, seat, before)
    if _hands(ctx, ask.models) and not await ctx.caller.answered(ask.key):
        await prepare_folder(ctx, {plain_name(file): file.content for file in before.files})
    async with _heartbeats(ctx, ask.key) as beat:
        reply = await ctx.caller.ask(ask, lambda _: Reading(), _live(ctx, step, beat))
    if reply.answer is None:
        said = await store.read(lambda conn: lost_builders(conn, run.id, run.attempt))
        problem = "; ".join(said) or short_line(reply.problem, _PROBLEM_SHOWN)
        raise RunFailedError(BuildText.not_built(problem), "build:")
    built = built_files(reply.answer, wanted)
    files = await keep_files(ctx, built, reply.model)
    words = "" if files else short_line(reply.answer.text, _PROBLEM_SHOWN)
    return replace(work, builder=reply.model, files=files, refused=built.refused, said=words)


def _ask(ctx: RunContext, work: BuildFiles, seat: Seat, before: _Before) -> ModelCall:
    """The call to the builder; files it leaves in a folder are stored with its answer."""
    models = ctx.designed.models_of(seat)
    values = {
        "PROMPT": ctx.run.topic,
        "SPEC": work.spec_text,
        "ROLE": seat.role,
        "FILES": file_listing(before.files),
        "FINDINGS": before.findings,
    }
    return ModelCall(
        key=f"build:{work.number}",
        purpose=_FILES,
        prompt=ctx.deps.book.render(_FILES, values, ctx.run.id),
        seconds=_seconds(ctx, models),
        models=models,
        seat=seat.slug,
        must_speak=True,
        gather=gatherer(ctx, work.spec_text),
    )


def _writers(ctx: RunContext) -> frozenset[str]:
    """The models that may write into a folder."""
    models = ctx.designed.models.items()
    return frozenset(name for name, model in models if may_write(ctx, model))


def _hands(ctx: RunContext, models: Sequence[ResolvedModel]) -> bool:
    return any(may_write(ctx, model) for model in models)


def _seconds(ctx: RunContext, models: Sequence[ResolvedModel]) -> float:
    """A harness may take as long as a whole run."""
    timeouts = ctx.config.timeouts
    alone = timeouts.allowed(timeouts.synthesis, models)
    return max(alone, timeouts.run if _hands(ctx, models) else 0)


@dataclass(slots=True)
class _Progress:
    """How much the builder has said so far."""

    words: int = 0


@asynccontextmanager
async def _heartbeats(ctx: RunContext, call: str) -> AsyncIterator[_Progress]:
    """Leave a sign of life in the log for every minute that a builder works (B39)."""
    progress = _Progress()
    beating = asyncio.create_task(_beat(ctx, call, progress))
    try:
        yield progress
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)


async def _beat(ctx: RunContext, call: str, progress: _Progress) -> None:
    store, run = ctx.deps.store, ctx.run
    begun = store.now()

    def write(conn: Connection) -> None:
        now = store.now()
        minutes = int((now - begun) // _BEAT_SECONDS)
        key = HEARTBEAT.format(attempt=run.attempt, moment=int(begun), minutes=minutes)
        beat = {"call": call, "minutes": minutes, "words": progress.words}
        if minutes:
            AttemptRepository(conn).checkpoint(run.id, key, beat, Actor.EXECUTOR, now)

    while True:
        await ctx.deps.sleep(_BEAT_SECONDS)
        await store.outlast(lambda: store.write(write))


def _live(ctx: RunContext, step: str, progress: _Progress) -> Live:
    """The builder's progress beside the step on the card."""

    def on_words(count: int) -> None:
        progress.words = count
        ctx.show(BuildText.words_so_far(step, count))

    return Live(on_words=on_words, on_note=lambda note: ctx.show(BuildText.busy_with(step, note)))


async def _gate(ctx: RunContext, work: BuildFiles, kind: ReviewType, taken: str = "") -> GateResult:
    """Run a gate; when no reviewer answers, the run goes back to be tried again."""
    ctx.show(BuildText.gate_held(ctx.run.attempt, kind))
    try:
        found = await review(ctx, work, kind, reviewers_for(ctx, work.builder, taken=taken))
    except RunFailedError:
        await _move_back(ctx, BuildText.NOBODY_REVIEWED, Phase.EXECUTING)
        raise
    ctx.notice(BuildText.gate_told(ctx.run.attempt, kind, found.name, found.verdict))
    return found


async def _rework(ctx: RunContext, gate: GateResult) -> None:
    """Begin the next attempt with the findings; the last one opens the circuit instead (B21)."""
    # The log holds only our own words; the findings are in the reviews.
    reason = BuildText.gate_not_passed(gate.kind, gate.verdict)
    run = ctx.run
    if run.attempt >= LAST_AUTOMATIC:
        # Only a run that executes, or is at its spec gate, may open its circuit (B16, B21).
        if run.phase is Phase.QUALITY_GATE:
            await _move_back(ctx, BuildText.NO_ATTEMPT_LEFT, Phase.EXECUTING)
        raise RunFailedError(reason, "gate:rework:")
    store = ctx.deps.store

    def work(conn: Connection) -> Run:
        now, actor, failed = store.now(), Actor.ORCHESTRATOR, AttemptStatus.FAILED
        AttemptRepository(conn).finish(run.id, run.attempt, failed, reason, actor, now)
        why = BuildText.rework_after(gate.kind)
        move(conn, run.id, run.phase, Phase.EXECUTION_READY, actor, why, now)
        AttemptRepository(conn).start_next(run.id, actor, now)
        return RunRepository(conn).require(run.id)

    ctx.begin_attempt(await store.write(work))


async def _move_back(ctx: RunContext, reason: str, target: Phase) -> None:
    """Leave a gate for the phase in which the next attempt may be started."""
    store, run_id = ctx.deps.store, ctx.run.id

    def work(conn: Connection) -> Run:
        run, actor = RunRepository(conn).require(run_id), Actor.ORCHESTRATOR
        for phase in (Phase.EXECUTION_READY, target):
            run = move(conn, run_id, run.phase, phase, actor, reason, store.now())
        return run

    ctx.run = await store.write(work)


def _before(conn: Connection, run: Run) -> _Before:
    """What gates and approvers found in earlier attempts; the newest findings are to be met."""
    found = {n: findings for n in range(1, run.attempt) if (findings := _findings(conn, run, n))}
    if not found:
        return _Before()
    newest = max(found)
    return _Before(len(found), "\n".join(found[newest]), built_in(conn, run.id, newest))


def _findings(conn: Connection, run: Run, ordinal: int) -> list[str]:
    """The findings in the files of an attempt; none if only the review failed."""
    bad = [
        one
        for one in ReviewRepository(conn).of_attempt(run.id, ordinal)
        if one.verdict is not Verdict.APPROVED
    ]
    lines = [
        f"- {one.reviewer}, {f.severity}: {f'{f.where}: ' if f.where else ''}{f.message}"
        for one in bad
        for f in one.findings
    ]
    wishes = [f"- {BuildText.APPROVER}: {wish}" for wish in wished_changes(conn, run.id, ordinal)]
    return [*(lines or [f"- {one.reviewer}: {one.summary}" for one in bad]), *wishes]
