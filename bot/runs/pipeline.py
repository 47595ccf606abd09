"""Carries one run from its last recorded event to its end; calling it again resumes."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.delivery.building import build_until_accepted
from bot.delivery.draft import agree_on_spec
from bot.delivery.effects import effects_settled
from bot.delivery.team import delivers, drafting_try
from bot.errors import NotAllowedError
from bot.meeting.context import RunContext, RunFailedError
from bot.meeting.design.frozen import freeze_design, label_card
from bot.meeting.grounding import floor_note_for, gather_context
from bot.meeting.questions import attempt_key
from bot.meeting.rolling_summary import ROLLING_SUMMARY, RollingSummaries
from bot.meeting.round_decision import RoundDecision, after_round, converged, state_after
from bot.meeting.rounds import (
    CRITIQUE,
    Round,
    critique_round,
    floor_of_rounds,
    hold_round,
    opening_round,
    round_name,
    second_stage,
    still_speaking,
)
from bot.meeting.run_thread import open_run_thread, show_expectation, show_measure
from bot.meeting.spec import keep_spec
from bot.meeting.synthesis import SYNTHESIS, write_synthesis
from bot.messages.attempts import AttemptText
from bot.messages.conclusion import ValidationText
from bot.messages.meeting import CardText, MeetingText, RoundsText
from bot.money.budget_rules import stored_estimate
from bot.money.estimate import NOTHING, Planned, calls_words, estimate_calls, usd_words
from bot.panels import ResolvedModel
from bot.record.record import RunRecord
from bot.runs.conclude import answer_draft, complete, conclude, current_record
from bot.runs.consent import DESIGN, REQUEST, ask_consent, settle_options
from bot.store import EventType, Phase
from bot.votes.service import open_first_ballot


async def advance(ctx: RunContext) -> None:
    """Hold the meeting to its end."""
    await open_run_thread(ctx)
    estimate = stored_estimate(ctx.run)
    label_card(ctx)
    ctx.note_price(estimate)
    await ctx.open_card()
    await show_expectation(ctx)
    await open_first_ballot(ctx)
    builds = await delivers(ctx)
    await keep_spec(ctx, complete=not builds)
    await ask_consent(ctx, REQUEST, estimate)
    await settle_options(ctx)
    await open_first_ballot(ctx)
    begin_grounding(ctx)
    await _grounded(ctx)
    await freeze_design(ctx)
    await ask_consent(ctx, DESIGN, ctx.designed.estimate)
    _keep_for_conclusion(ctx, ctx.designed.synthesis)
    async with RollingSummaries(ctx) as summaries:
        if builds:
            await _deliver(ctx, summaries)
        else:
            await _discuss(ctx, summaries)


def begin_grounding(ctx: RunContext) -> None:
    """Begin the search, which costs money: only when nobody has to agree to the price any more."""
    if ctx.grounding is None:
        ctx.grounding = asyncio.create_task(_ground(ctx))


async def _ground(ctx: RunContext) -> None:
    await ctx.deps.look_again()
    _keep_for_conclusion(ctx, ctx.deps.coordinators(ctx.run.guild_id))
    await gather_context(ctx)


async def _grounded(ctx: RunContext) -> None:
    """Wait for the search; a later attempt begins another one, which finds what is recorded."""
    searching, ctx.grounding = ctx.grounding, None
    if searching is not None:
        await searching


async def _discuss(ctx: RunContext, summaries: RollingSummaries) -> None:
    """Every mode but a build: the panel talks, then the conclusion is written."""
    # Written together; the round finds what was said before it by its key.
    seated = ctx.reach(Phase.EXECUTING, MeetingText.PANEL_SEATED)
    await asyncio.gather(seated, floor_note_for(ctx, round_name(1)))
    ctx.caller.attempt = max(1, ctx.run.attempt)
    record = await _hold_stages(ctx, summaries)
    await conclude(ctx, record, summaries)


def _keep_for_conclusion(ctx: RunContext, writers: Sequence[ResolvedModel]) -> None:
    """Leave enough money for the conclusion, whatever the rounds cost."""
    prices = [ctx.call_budget.price(writer, SYNTHESIS) for writer in writers]
    ctx.call_budget.keep(max(prices, key=lambda price: (price.usd, price.tokens), default=NOTHING))


async def _deliver(ctx: RunContext, summaries: RollingSummaries) -> None:
    """A build: the panel talks, a spec is agreed on, files pass two gates (2.3).

    A run whose spec waits for its starter, or whose files wait for an approver, rests here and is
    resumed by the decision.
    """
    ctx.caller.attempt = await drafting_try(ctx)
    record = await _hold_stages(ctx, summaries)
    if await agree_on_spec(ctx, record):
        work = await build_until_accepted(ctx)
        if await effects_settled(ctx, work):
            await _conclude_delivery(ctx, summaries)


async def _conclude_delivery(ctx: RunContext, summaries: RollingSummaries) -> None:
    """Sum the discussion up and name what was delivered; the files do not wait for the summary."""
    ctx.show(CardText.CONCLUDING)
    floor = await floor_note_for(ctx, "synthesis")
    record = await current_record(ctx)
    reply = await write_synthesis(ctx, record, floor)
    ctx.call_budget.keep(NOTHING)
    if reply.ok:
        await answer_draft(ctx, record, reply, floor)
    elif ctx.run.request.get("validate"):
        ctx.notice(ValidationText.NO_DRAFT)
    await complete(ctx, summaries)


async def _hold_stages(ctx: RunContext, summaries: RollingSummaries) -> RunRecord:
    """Let the panel talk; what people ask one of it meanwhile is answered afterwards."""
    async with floor_of_rounds(ctx):
        record = await _hold_rounds(ctx, summaries)
        if ctx.designed.stage(2) and not ctx.concluding.is_set():
            record = await _hold_second_stage(ctx, record)
    return record


async def _hold_rounds(ctx: RunContext, summaries: RollingSummaries) -> RunRecord:
    """Hold the rounds of stage 1; returns the record after the last one."""
    planned = ctx.designed.rounds
    record: RunRecord | None = None
    for number in range(1, planned + 1):
        if record is not None and ctx.concluding.is_set():
            await _goes_on(ctx, number, record)  # which records why it does not
            break
        ctx.show(CardText.thinking(number, planned))
        floor = await floor_note_for(ctx, round_name(number))
        if record is None:
            await hold_round(ctx, opening_round(ctx, floor))
        elif not await _hold_later_round(ctx, number, record, floor, summaries):
            break
        record = await current_record(ctx)
        if not any(speech.spoke for speech in record.speeches):
            if record.budget_note:
                raise NotAllowedError(record.budget_note)
            raise RunFailedError(AttemptText.NOBODY_ANSWERED, "r1:")
        go_on = await _goes_on(ctx, number, record)
        if record.answered(number):
            summaries.begin(number, record)
            show_measure(ctx, record)
        if not go_on:
            break
    ctx.show(may_conclude=False)
    return record or await current_record(ctx)


async def _hold_later_round(
    ctx: RunContext, number: int, record: RunRecord, floor: str, summaries: RollingSummaries
) -> bool:
    """Hold a round after the first; False if it was called off.

    That happens when the summary of the round before shows that the panel has converged, and
    arrives before anybody has answered.
    """
    closed = await ctx.journal.recorded(EventType.ROUND_CLOSED, round_name(number))
    if closed is not None and closed.get("called_off"):
        return False
    round_ = critique_round(ctx, number, record, floor)
    if not ctx.designed.early_exit:
        await hold_round(ctx, round_)
    elif not await _hold_unless_converged(ctx, round_, summaries):
        await _call_off(ctx, number, record)
        return False
    return True


async def _hold_unless_converged(
    ctx: RunContext, round_: Round, summaries: RollingSummaries
) -> bool:
    """Hold a round to its end; False if the panel converged before anybody answered."""
    holding = asyncio.create_task(hold_round(ctx, round_))
    converging = asyncio.create_task(summaries.converged(round_.number - 1))
    try:
        await asyncio.wait({holding, converging}, return_when=asyncio.FIRST_COMPLETED)
        if holding.done() or not converging.result() or await _answered(ctx, round_.number):
            await holding
            return True
    finally:
        holding.cancel()
        converging.cancel()
        await asyncio.gather(holding, converging, return_exceptions=True)
    if not await _answered(ctx, round_.number):
        return False
    # An answer was stored at the last moment: it is paid for, so the round is held after all.
    await hold_round(ctx, round_)
    return True


async def _answered(ctx: RunContext, number: int) -> bool:
    return (await current_record(ctx)).answered(number)


async def _call_off(ctx: RunContext, number: int, record: RunRecord) -> None:
    """Close a round that nobody answered, and show the one before it as the last."""

    async def work() -> RoundDecision:
        return converged(record.stances_in(number - 1))

    def store(_: Connection, decision: RoundDecision) -> Mapping[str, Any]:
        return _closed(number, record, decision) | {"called_off": True}

    payload = await ctx.journal.once(EventType.ROUND_CLOSED, round_name(number), work, store)
    ctx.drop_round()
    ctx.notice(payload["text"])


async def _goes_on(ctx: RunContext, number: int, record: RunRecord) -> bool:
    """Close a round once: measure it, and decide whether another one is held."""

    async def work() -> RoundDecision:
        obstacle = await _money_obstacle(ctx, number, record)
        return after_round(state_after(ctx, number, record, obstacle))

    def store(_: Connection, decision: RoundDecision) -> Mapping[str, Any]:
        closed = _closed(number, record, decision)
        return closed | _savings(ctx, number, record, decision)

    key = round_name(number)
    if record.rounds_held < number:
        # A retry may get answers for the round and then decides again.
        key = attempt_key(f"{key}:unanswered", ctx.caller.attempt)
    closing = ctx.journal.once(EventType.ROUND_CLOSED, key, work, store)
    if number < ctx.designed.rounds:
        # Written together; the next round finds what was said before it by its key.
        payload, _ = await asyncio.gather(closing, floor_note_for(ctx, round_name(number + 1)))
    else:
        payload = await closing
    if told := payload["text"] if payload["early"] else payload.get("note"):
        ctx.notice(told)
    return bool(payload["go_on"])


def _closed(number: int, record: RunRecord, decision: RoundDecision) -> dict[str, Any]:
    """What is recorded when a round is closed; its summary has rarely arrived by then."""
    return {
        "round": number,
        "go_on": decision.go_on,
        "stance": decision.stance,
        "convergence": record.convergence_score,
        "reason": decision.reason,
        "text": "" if decision.go_on else decision.text,
        "note": decision.text if decision.go_on else "",
        "early": decision.early,
    }


def _savings(
    ctx: RunContext, number: int, record: RunRecord, decision: RoundDecision
) -> dict[str, Any]:
    """What is not spent because the panel agrees, and the reason together with it."""
    if not decision.by_agreement:
        return {}
    most = ctx.designed.rounds - number
    asked = [*_speakers(ctx, number, record), *_coordinator(ctx)]
    estimate = estimate_calls(
        (Planned(purpose, model, 1, most) for model, purpose in asked),
        ctx.deps.prices,
        len(record.topic),
    )
    free = estimate.is_free and not estimate.unpriced
    usd = "" if free else usd_words(estimate)
    seconds = max((s.seconds for s in record.speeches if s.round == number), default=0.0)
    return {
        "text": RoundsText.saved(decision.text, calls_words(estimate), usd, seconds),
        "saved": {"estimate": estimate.to_dict(), "seconds": round(seconds, 1)},
    }


def _speakers(ctx: RunContext, number: int, record: RunRecord) -> list[tuple[ResolvedModel, str]]:
    """The calls to seats that another round would make: (model, purpose)."""
    speaking = {speech.seat.slug for speech in still_speaking(record, number)}
    return [
        (ctx.designed.models_of(seat)[0], CRITIQUE)
        for seat in ctx.designed.stage(1)
        if seat.slug in speaking
    ]


def _coordinator(ctx: RunContext) -> list[tuple[ResolvedModel, str]]:
    return [(model, ROLLING_SUMMARY) for model in ctx.designed.coordinators[:1]]


async def _money_obstacle(ctx: RunContext, number: int, record: RunRecord) -> str:
    """Why another round cannot be paid, or nothing when it can."""
    if number >= ctx.designed.rounds:
        return ""
    # Two summaries are still to be paid: of this round, and of the next.
    asked = [*_speakers(ctx, number, record), *_coordinator(ctx) * 2]
    price = sum((ctx.call_budget.price(model, purpose) for model, purpose in asked), NOTHING)
    return "" if await ctx.call_budget.affords(price) else ctx.call_budget.obstacle


async def _hold_second_stage(ctx: RunContext, record: RunRecord) -> RunRecord:
    ctx.show(CardText.STAGE_2_WORKS)
    floor = await floor_note_for(ctx, "s2")
    await hold_round(ctx, second_stage(ctx, record, floor))
    record = await current_record(ctx)
    if not any(speech.spoke for speech in record.speeches if speech.stage == 2):
        ctx.notice(RoundsText.STAGE_2_UNANSWERED)
    return record
