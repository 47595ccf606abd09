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


async def advance(meeting: RunContext) -> None:
    """Hold the meeting to its end."""
    await open_run_thread(meeting)
    estimate = stored_estimate(meeting.run)
    label_card(meeting)
    meeting.note_price(estimate)
    await meeting.open_card()
    await show_expectation(meeting)
    await open_first_ballot(meeting)
    builds = await delivers(meeting)
    await keep_spec(meeting, complete=not builds)
    await ask_consent(meeting, REQUEST, estimate)
    await settle_options(meeting)
    await open_first_ballot(meeting)
    begin_grounding(meeting)
    await _grounded(meeting)
    await freeze_design(meeting)
    await ask_consent(meeting, DESIGN, meeting.designed.estimate)
    _keep_for_conclusion(meeting, meeting.designed.synthesis)
    async with RollingSummaries(meeting) as summaries:
        if builds:
            await _deliver(meeting, summaries)
        else:
            await _discuss(meeting, summaries)


def begin_grounding(meeting: RunContext) -> None:
    """Begin the search, which costs money: only when nobody has to agree to the price any more."""
    if meeting.grounding is None:
        meeting.grounding = asyncio.create_task(_ground(meeting))


async def _ground(meeting: RunContext) -> None:
    await meeting.tools.look_again()
    _keep_for_conclusion(meeting, meeting.tools.coordinators(meeting.run.guild_id))
    await gather_context(meeting)


async def _grounded(meeting: RunContext) -> None:
    """Wait for the search; a later attempt begins another one, which finds what is recorded."""
    searching, meeting.grounding = meeting.grounding, None
    if searching is not None:
        await searching


async def _discuss(meeting: RunContext, summaries: RollingSummaries) -> None:
    """Every mode but a build: the panel talks, then the conclusion is written."""
    # Written together; the round finds what was said before it by its key.
    seated = meeting.reach(Phase.EXECUTING, MeetingText.PANEL_SEATED)
    await asyncio.gather(seated, floor_note_for(meeting, round_name(1)))
    meeting.caller.attempt = max(1, meeting.run.attempt)
    record = await _hold_stages(meeting, summaries)
    await conclude(meeting, record, summaries)


def _keep_for_conclusion(meeting: RunContext, writers: Sequence[ResolvedModel]) -> None:
    """Leave enough money for the conclusion, whatever the rounds cost."""
    prices = [meeting.call_budget.price(writer, SYNTHESIS) for writer in writers]
    meeting.call_budget.keep(
        max(prices, key=lambda price: (price.usd, price.tokens), default=NOTHING)
    )


async def _deliver(meeting: RunContext, summaries: RollingSummaries) -> None:
    """A build: the panel talks, a spec is agreed on, files pass two gates (2.3).

    A run whose spec waits for its starter, or whose files wait for an approver, rests here and is
    resumed by the decision.
    """
    meeting.caller.attempt = await drafting_try(meeting)
    record = await _hold_stages(meeting, summaries)
    if await agree_on_spec(meeting, record):
        work = await build_until_accepted(meeting)
        if await effects_settled(meeting, work):
            await _conclude_delivery(meeting, summaries)


async def _conclude_delivery(meeting: RunContext, summaries: RollingSummaries) -> None:
    """Sum the discussion up and name what was delivered; the files do not wait for the summary."""
    meeting.show(CardText.CONCLUDING)
    floor = await floor_note_for(meeting, "synthesis")
    record = await current_record(meeting)
    reply = await write_synthesis(meeting, record, floor)
    meeting.call_budget.keep(NOTHING)
    if reply.ok:
        await answer_draft(meeting, record, reply, floor)
    elif meeting.run.request.get("validate"):
        meeting.notice(ValidationText.NO_DRAFT)
    await complete(meeting, summaries)


async def _hold_stages(meeting: RunContext, summaries: RollingSummaries) -> RunRecord:
    """Let the panel talk; what people ask one of it meanwhile is answered after a stage."""
    async with floor_of_rounds(meeting):
        record = await _hold_rounds(meeting, summaries)
    if meeting.designed.stage(2) and not meeting.concluding.is_set():
        async with floor_of_rounds(meeting):
            record = await _hold_second_stage(meeting, record)
    return record


async def _hold_rounds(meeting: RunContext, summaries: RollingSummaries) -> RunRecord:
    """Hold the rounds of stage 1; returns the record after the last one."""
    planned = meeting.designed.rounds
    record: RunRecord | None = None
    for number in range(1, planned + 1):
        if record is not None and meeting.concluding.is_set():
            await _goes_on(meeting, number, record)  # which records why it does not
            break
        meeting.show(CardText.thinking(number, planned))
        floor = await floor_note_for(meeting, round_name(number))
        if record is None:
            await hold_round(meeting, opening_round(meeting, floor))
        elif not await _hold_later_round(meeting, number, record, floor, summaries):
            break
        record = await current_record(meeting)
        if not any(speech.spoke for speech in record.speeches):
            if record.budget_note:
                raise NotAllowedError(record.budget_note)
            raise RunFailedError(AttemptText.NOBODY_ANSWERED, "r1:")
        go_on = await _goes_on(meeting, number, record)
        if record.answered(number):
            summaries.begin(number, record)
            show_measure(meeting, record)
        if not go_on:
            break
    meeting.show(may_conclude=False)
    return record or await current_record(meeting)


async def _hold_later_round(
    meeting: RunContext, number: int, record: RunRecord, floor: str, summaries: RollingSummaries
) -> bool:
    """Hold a round after the first; False if it was called off.

    That happens when the summary of the round before shows that the panel has converged, and
    arrives before anybody has answered.
    """
    closed = await meeting.journal.recorded(EventType.ROUND_CLOSED, round_name(number))
    if closed is not None and closed.get("called_off"):
        return False
    round_ = critique_round(meeting, number, record, floor)
    if not meeting.designed.early_exit:
        await hold_round(meeting, round_)
    elif not await _hold_unless_converged(meeting, round_, summaries):
        await _call_off(meeting, number, record)
        return False
    return True


async def _hold_unless_converged(
    meeting: RunContext, round_: Round, summaries: RollingSummaries
) -> bool:
    """Hold a round to its end; False if the panel converged before anybody answered."""
    holding = asyncio.create_task(hold_round(meeting, round_))
    converging = asyncio.create_task(summaries.converged(round_.number - 1))
    try:
        await asyncio.wait({holding, converging}, return_when=asyncio.FIRST_COMPLETED)
        if holding.done() or not converging.result() or await _answered(meeting, round_.number):
            await holding
            return True
    finally:
        holding.cancel()
        converging.cancel()
        await asyncio.gather(holding, converging, return_exceptions=True)
    if not await _answered(meeting, round_.number):
        return False
    # An answer was stored at the last moment: it is paid for, so the round is held after all.
    await hold_round(meeting, round_)
    return True


async def _answered(meeting: RunContext, number: int) -> bool:
    return (await current_record(meeting)).answered(number)


async def _call_off(meeting: RunContext, number: int, record: RunRecord) -> None:
    """Close a round that nobody answered, and show the one before it as the last."""

    async def work() -> RoundDecision:
        return converged(record.stances_in(number - 1))

    def store(_: Connection, decision: RoundDecision) -> Mapping[str, Any]:
        return _closed(number, record, decision) | {"called_off": True}

    payload = await meeting.journal.once(EventType.ROUND_CLOSED, round_name(number), work, store)
    meeting.drop_round()
    meeting.notice(payload["text"])


async def _goes_on(meeting: RunContext, number: int, record: RunRecord) -> bool:
    """Close a round once: measure it, and decide whether another one is held."""

    async def work() -> RoundDecision:
        obstacle = await _money_obstacle(meeting, number, record)
        return after_round(state_after(meeting, number, record, obstacle))

    def store(_: Connection, decision: RoundDecision) -> Mapping[str, Any]:
        closed = _closed(number, record, decision)
        return closed | _savings(meeting, number, record, decision)

    key = round_name(number)
    if record.rounds_held < number:
        # A retry may get answers for the round and then decides again.
        key = attempt_key(f"{key}:unanswered", meeting.caller.attempt)
    closing = meeting.journal.once(EventType.ROUND_CLOSED, key, work, store)
    if number < meeting.designed.rounds:
        # Written together; the next round finds what was said before it by its key.
        payload, _ = await asyncio.gather(closing, floor_note_for(meeting, round_name(number + 1)))
    else:
        payload = await closing
    if told := payload["text"] if payload["early"] else payload.get("note"):
        meeting.notice(told)
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
    meeting: RunContext, number: int, record: RunRecord, decision: RoundDecision
) -> dict[str, Any]:
    """What is not spent because the panel agrees, and the reason together with it."""
    if not decision.by_agreement:
        return {}
    most = meeting.designed.rounds - number
    asked = [*_speakers(meeting, number, record), *_coordinator(meeting)]
    estimate = estimate_calls(
        (Planned(purpose, model, 1, most) for model, purpose in asked),
        meeting.tools.prices,
        len(record.topic),
    )
    free = estimate.is_free and not estimate.unpriced
    usd = "" if free else usd_words(estimate)
    seconds = max((s.seconds for s in record.speeches if s.round == number), default=0.0)
    return {
        "text": RoundsText.saved(decision.text, calls_words(estimate), usd, seconds),
        "saved": {"estimate": estimate.to_dict(), "seconds": round(seconds, 1)},
    }


def _speakers(
    meeting: RunContext, number: int, record: RunRecord
) -> list[tuple[ResolvedModel, str]]:
    """The calls to seats that another round would make: (model, purpose)."""
    speaking = {speech.seat.slug for speech in still_speaking(record, number)}
    return [
        (meeting.designed.models_of(seat)[0], CRITIQUE)
        for seat in meeting.designed.stage(1)
        if seat.slug in speaking
    ]


def _coordinator(meeting: RunContext) -> list[tuple[ResolvedModel, str]]:
    return [(model, ROLLING_SUMMARY) for model in meeting.designed.coordinators[:1]]


async def _money_obstacle(meeting: RunContext, number: int, record: RunRecord) -> str:
    """Why another round cannot be paid, or nothing when it can."""
    if number >= meeting.designed.rounds:
        return ""
    # Two summaries are still to be paid: of this round, and of the next.
    asked = [*_speakers(meeting, number, record), *_coordinator(meeting) * 2]
    price = sum((meeting.call_budget.price(model, purpose) for model, purpose in asked), NOTHING)
    return "" if await meeting.call_budget.affords(price) else meeting.call_budget.obstacle


async def _hold_second_stage(meeting: RunContext, record: RunRecord) -> RunRecord:
    meeting.show(CardText.STAGE_2_WORKS)
    floor = await floor_note_for(meeting, "s2")
    await hold_round(meeting, second_stage(meeting, record, floor))
    record = await current_record(meeting)
    if not any(speech.spoke for speech in record.speeches if speech.stage == 2):
        meeting.notice(RoundsText.STAGE_2_UNANSWERED)
    return record
