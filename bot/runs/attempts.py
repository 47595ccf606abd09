"""Runs the attempts of a meeting until one succeeds or none is left."""

from dataclasses import replace

from sqlalchemy import Connection

from bot.delivery.files import attachments_of
from bot.delivery.team import last_findings, last_good, next_draft_due
from bot.errors import UsageError
from bot.meeting.context import RunContext, RunFailedError
from bot.meeting.design.frozen import freeze_design
from bot.meeting.run_thread import open_run_thread
from bot.messages.attempts import AttemptText, StopText
from bot.messages.discord import ButtonText
from bot.messages.meeting import CardText
from bot.money.budget_rules import reserve, stored_estimate
from bot.panels import Budgets
from bot.record.attempts import (
    BEFORE_WORK,
    PAUSES,
    RETRIED,
    STRONGER_FROM,
    AttemptState,
    NextStep,
    attempt_state,
    begin_next,
    count_draft,
    failed_kinds,
    note_failure,
    obstacles,
)
from bot.record.loader import read_record
from bot.record.record import Ending
from bot.reports.files import export_or_report
from bot.runs.circuit import Built, circuit_text
from bot.runs.conclude import fail_run, finish_run, keep_minutes, show_outcome
from bot.runs.pipeline import advance
from bot.stage.port import THE_BOT, Post, PostButton, Tone, button_id
from bot.store import AttemptStatus, DuplicateRunError, Phase, StalePhaseError, move
from bot.store.repositories.attempts import Attempt, AttemptRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecRepository
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from bot.votes.service import close_unfinished


def _retry_button(run_id: str) -> PostButton:
    """The button that takes a run up again."""
    return PostButton(ButtonText.RETRY, button_id(run_id, "retry"), Tone.GOOD)


def reopen_run(conn: Connection, run: Run, limits: Budgets, now: float) -> Run:
    """Start the next attempt of a finished run with money of its own.

    Refuses while the topic is open elsewhere, or when today's budget has too little left. A build
    without an accepted spec goes back to its draft, for nobody may build yet.
    """
    drafts = run.mode is Mode.BUILD and not SpecRepository(conn).is_accepted(run.id)
    target = Phase.SPEC_DRAFT if drafts else Phase.EXECUTION_READY
    try:
        move(conn, run.id, run.phase, target, Actor.ORCHESTRATOR, RETRIED, now)
    except DuplicateRunError as error:
        raise UsageError(StopText.TOPIC_ELSEWHERE) from error
    except StalePhaseError as error:
        raise UsageError(StopText.JUST_RETRIED) from error
    reserve(conn, run, stored_estimate(run), limits, now)
    if drafts:
        count_draft(conn, run.id, RETRIED, now, now)
    else:
        AttemptRepository(conn).start_next(run.id, Actor.ORCHESTRATOR, now)
    return RunRepository(conn).require(run.id)


async def hold_attempts(ctx: RunContext, now: AttemptState) -> None:
    """Resume the meeting from its stored state and run it to its end."""
    if ctx.run.phase is Phase.FAILED:
        return await _give_up(ctx, now.attempt)
    while True:
        if now.next is NextStep.WAIT:
            await _wait_and_begin(ctx, now)
        elif now.next is NextStep.OPEN_CIRCUIT:
            return await _open_circuit(ctx)
        elif now.next is NextStep.FAIL:
            return await _give_up(ctx, now.attempt)
        try:
            return await advance(ctx)
        except RunFailedError as failure:
            if ctx.run.phase in BEFORE_WORK:
                if not await _draft_again(ctx, failure):
                    return None
                continue
            now = await _note(ctx, failure)


async def _draft_again(ctx: RunContext, failure: RunFailedError) -> bool:
    """A build failed before its first attempt: wait and draft again, or end it."""
    due = await next_draft_due(ctx, failure)
    if due is None:
        reason = await _draft_failure(ctx, failure)
        await fail_run(ctx, reason, AttemptText.failed_retry(reason), aborted=False)
        return False
    number, moment = due
    text = AttemptText.no_spec_yet(str(failure), moment)
    await ctx.say(Post(f"draft-retry@{number}", THE_BOT, text, untrusted=False))
    await ctx.deps.sleep(max(0.0, moment - ctx.deps.store.now()))
    return True


async def _draft_failure(ctx: RunContext, failure: RunFailedError) -> str:
    """Why there is no spec; nobody is told to try again without what stood in the way."""
    run_id, attempt = ctx.run.id, ctx.caller.attempt
    stood_in_the_way = await ctx.deps.store.read(
        lambda conn: obstacles(conn, run_id, attempt, failure.asked)
    )
    return AttemptText.reason_with_kinds(str(failure), stood_in_the_way)


async def waiting_until(ctx: RunContext) -> float | None:
    """When the next attempt begins, if the run waits for one."""
    now = await ctx.deps.store.read(lambda conn: attempt_state(conn, ctx.run.id))
    return now.due_at if now.next is NextStep.WAIT else None


async def _note(ctx: RunContext, failure: RunFailedError) -> AttemptState:
    store, run_id = ctx.deps.store, ctx.run.id
    return await store.write(
        lambda conn: note_failure(conn, run_id, str(failure), failure.asked, store.now())
    )


async def _take_seats(ctx: RunContext) -> None:
    """Restore place, card and panel after a restart."""
    await open_run_thread(ctx)
    await ctx.open_card()
    if ctx.design is None:
        await freeze_design(ctx)


async def _wait_and_begin(ctx: RunContext, now: AttemptState) -> None:
    """Say in the thread and on the card that the run waits; a stop ends the wait with its task."""
    store = ctx.deps.store
    await _take_seats(ctx)
    told = Post(f"retry@{_ordinal(now)}", THE_BOT, _waits(ctx, now), untrusted=False)
    await ctx.say(told)
    ctx.show(CardText.waiting(_ordinal(now), now.due_at))
    left = now.due_at - store.now()
    if left > 0:
        # A clock that was set back must not make anybody wait for hours.
        await ctx.deps.sleep(min(left, PAUSES[-1]))

    def begin(conn: Connection) -> Run:
        begin_next(conn, ctx.run.id, store.now())
        return RunRepository(conn).require(ctx.run.id)

    ctx.begin_attempt(await store.write(begin))


def _waits(ctx: RunContext, now: AttemptState) -> str:
    reason = now.attempt.error_summary if now.attempt else ""
    failed = _ordinal(now)
    stronger = failed + 1 >= STRONGER_FROM and ctx.designed.has_stronger
    return AttemptText.next_attempt(failed, reason, now.due_at, stronger=stronger)


async def _give_up(ctx: RunContext, attempt: Attempt | None) -> None:
    reason = attempt.error_summary if attempt else ""
    await open_run_thread(ctx)
    await fail_run(ctx, reason, AttemptText.failed_retry(reason), aborted=False)


async def _open_circuit(ctx: RunContext) -> None:
    """Post what B25 asks for, then open the circuit: killed in between, the post is there once."""
    store, run = ctx.deps.store, ctx.run
    await _take_seats(ctx)
    tried = await store.read(lambda conn: AttemptRepository(conn).of_run(run.id))
    last = tried[-1]
    record = await read_record(store, run.id)
    record = replace(record, ending=Ending.FAILED, ending_note=last.error_summary)
    minutes = await keep_minutes(ctx, ctx.mask.record(record))
    kinds = await store.read(lambda conn: failed_kinds(conn, run.id, last.ordinal, ""))
    stronger = ctx.designed.has_stronger
    spoke = any(speech.spoke for speech in record.speeches)
    files, gates_passed = await store.read(lambda conn: last_good(conn, run.id))
    found = await store.read(lambda conn: last_findings(conn, run.id))
    built = Built(files, found, gates_passed)
    await ctx.say(
        Post(
            key=f"circuit@{last.ordinal}",
            speaker=THE_BOT,
            text=circuit_text(record, tried, kinds, minutes.name, built, stronger=stronger),
            attachments=(*attachments_of(built.files), *((minutes,) if spoke else ())),
            untrusted=False,
            buttons=(_retry_button(ctx.run.id),),
        )
    )
    await finish_run(ctx, AttemptStatus.FAILED, Phase.CIRCUIT_OPEN, last.error_summary)
    ended = await export_or_report(ctx)
    await close_unfinished(ctx)
    await show_outcome(ctx, ended.ending)


def _ordinal(now: AttemptState) -> int:
    return now.attempt.ordinal if now.attempt else 0
