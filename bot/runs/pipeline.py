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
from bot.measures.convergence import latest_score
from bot.meeting.context import RunContext, RunFailedError
from bot.meeting.design.frozen import freeze_design
from bot.meeting.grounding import floor_note_for, gather_context
from bot.meeting.questions import attempt_key
from bot.meeting.round_decision import (
    ROLLING_SUMMARY,
    AfterRound,
    RoundDecision,
    after_round,
    summarise_round,
)
from bot.meeting.rounds import (
    CRITIQUE,
    critique_round,
    hold_round,
    opening_round,
    round_name,
    second_stage,
    still_speaking,
)
from bot.meeting.run_thread import open_run_thread, show_expectation, show_measure
from bot.meeting.spec import keep_spec
from bot.meeting.synthesis import SYNTHESIS, write_dissents, write_synthesis
from bot.messages.attempts import AttemptText
from bot.messages.meeting import CardText, MeetingText, RoundsText
from bot.money.budget_rules import stored_estimate
from bot.money.estimate import NOTHING
from bot.panels import ResolvedModel
from bot.record.loader import with_summary
from bot.record.record import RunRecord
from bot.runs.conclude import complete, conclude, current_record, keep_draft
from bot.runs.consent import DESIGN, REQUEST, ask_consent
from bot.store import EventType, Phase
from bot.votes.service import open_first_ballot


async def advance(meeting: RunContext) -> None:
    """Hold the meeting to its end."""
    await open_run_thread(meeting)
    estimate = stored_estimate(meeting.run)
    meeting.note_price(estimate)
    await meeting.open_card()
    await show_expectation(meeting)
    await open_first_ballot(meeting)
    builds = await delivers(meeting)
    await keep_spec(meeting, complete=not builds)
    await ask_consent(meeting, REQUEST, estimate)
    await meeting.tools.look_again()
    _keep_for_conclusion(meeting, meeting.tools.coordinators(meeting.run.guild_id))
    await gather_context(meeting)
    await freeze_design(meeting)
    await ask_consent(meeting, DESIGN, meeting.designed.estimate)
    _keep_for_conclusion(meeting, meeting.designed.synthesis)
    await open_first_ballot(meeting)
    if builds:
        await _deliver(meeting)
        return
    # Written together; the round finds what was said before it by its key.
    seated = meeting.reach(Phase.EXECUTING, MeetingText.PANEL_SEATED)
    await asyncio.gather(seated, floor_note_for(meeting, round_name(1)))
    meeting.caller.attempt = max(1, meeting.run.attempt)
    record = await _hold_rounds(meeting)
    if meeting.designed.stage(2):
        record = await _hold_second_stage(meeting, record)
    await conclude(meeting, record)


def _keep_for_conclusion(meeting: RunContext, writers: Sequence[ResolvedModel]) -> None:
    """Leave enough money for the conclusion, whatever the rounds cost."""
    prices = [meeting.call_budget.price(writer, SYNTHESIS) for writer in writers]
    meeting.call_budget.keep(
        max(prices, key=lambda price: (price.usd, price.tokens), default=NOTHING)
    )


async def _deliver(meeting: RunContext) -> None:
    """A build: the panel talks, a spec is agreed on, files pass two gates (2.3).

    A run whose spec waits for its starter, or whose files wait for an approver, rests here and is
    resumed by the decision.
    """
    meeting.caller.attempt = await drafting_try(meeting)
    record = await _hold_rounds(meeting)
    if meeting.designed.stage(2):
        record = await _hold_second_stage(meeting, record)
    if await agree_on_spec(meeting, record):
        work = await build_until_accepted(meeting)
        if await effects_settled(meeting, work):
            await _conclude_delivery(meeting)


async def _conclude_delivery(meeting: RunContext) -> None:
    """Sum the discussion up and name what was delivered; the files do not wait for the summary."""
    meeting.show(CardText.CONCLUDING)
    floor = await floor_note_for(meeting, "synthesis")
    record = await current_record(meeting)
    reply = await write_synthesis(meeting, record, floor)
    meeting.call_budget.keep(NOTHING)
    if reply.ok:
        await write_dissents(meeting, await keep_draft(meeting, record, reply, floor))
    await complete(meeting)


async def _hold_rounds(meeting: RunContext) -> RunRecord:
    """Hold the rounds of stage 1; returns the record after the last one."""
    planned = meeting.designed.rounds
    record: RunRecord | None = None
    for number in range(1, planned + 1):
        meeting.show(CardText.thinking(number, planned))
        floor = await floor_note_for(meeting, round_name(number))
        if record is None:
            await hold_round(meeting, opening_round(meeting, floor))
        else:
            await hold_round(meeting, critique_round(meeting, number, record, floor))
        record = await current_record(meeting)
        if not any(speech.spoke for speech in record.speeches):
            if record.budget_note:
                raise NotAllowedError(record.budget_note)
            raise RunFailedError(AttemptText.NOBODY_ANSWERED, "r1:")
        if record.rounds_held == number:
            meeting.show(CardText.summing_up(number, planned))
            summed_up = await summarise_round(meeting, number, record)
            record = with_summary(record, number, summed_up.answer)
            show_measure(meeting, record)
        if not await _goes_on(meeting, number, record):
            break
    return record or await current_record(meeting)


async def _goes_on(meeting: RunContext, number: int, record: RunRecord) -> bool:
    """Close a round once: measure it, and decide whether another one is held."""

    async def work() -> RoundDecision:
        obstacle = await _money_obstacle(meeting, number, record)
        return after_round(_after(meeting, number, record, obstacle))

    def store(_: Connection, decision: RoundDecision) -> Mapping[str, Any]:
        return {
            "round": number,
            "go_on": decision.go_on,
            "stance": decision.stance,
            "convergence": latest_score(record.convergence),
            "reason": decision.reason,
            "text": decision.text,
            "early": decision.early,
        }

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
    if payload["early"]:
        meeting.notice(payload["text"])
    return bool(payload["go_on"])


async def _money_obstacle(meeting: RunContext, number: int, record: RunRecord) -> str:
    """Why another round cannot be paid, or nothing when it can."""
    if number >= meeting.designed.rounds:
        return ""
    speaking = {speech.seat.slug for speech in still_speaking(record, number)}
    asked = [
        (meeting.designed.models_of(seat)[0], CRITIQUE)
        for seat in meeting.designed.stage(1)
        if seat.slug in speaking
    ]
    asked += [(model, ROLLING_SUMMARY) for model in meeting.designed.coordinators[:1]]
    price = sum((meeting.call_budget.price(model, purpose) for model, purpose in asked), NOTHING)
    return "" if await meeting.call_budget.affords(price) else meeting.call_budget.obstacle


def _round_seconds(meeting: RunContext) -> float:
    timeouts, designed = meeting.config.timeouts, meeting.designed
    models = [model for seat in designed.stage(1) for model in designed.models_of(seat)]
    return timeouts.allowed(timeouts.round, models)


def _after(meeting: RunContext, number: int, record: RunRecord, obstacle: str) -> AfterRound:
    return AfterRound(
        round=number,
        planned=meeting.designed.rounds,
        stances=record.stances_in(number),
        early_exit=meeting.designed.early_exit,
        convergence=record.convergence,
        seated=len(meeting.designed.stage(1)),
        speaking=len(still_speaking(record, number)),
        seconds_left=meeting.time.left(),
        round_seconds=_round_seconds(meeting),
        obstacle=obstacle,
        last_answered=record.rounds_held if record.rounds_held < number else None,
    )


async def _hold_second_stage(meeting: RunContext, record: RunRecord) -> RunRecord:
    meeting.show(CardText.STAGE_2_WORKS)
    floor = await floor_note_for(meeting, "s2")
    await hold_round(meeting, second_stage(meeting, record, floor))
    record = await current_record(meeting)
    if not any(speech.spoke for speech in record.speeches if speech.stage == 2):
        meeting.notice(RoundsText.STAGE_2_UNANSWERED)
    return record
