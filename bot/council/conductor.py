"""Carries one run from its last recorded fact to its end; calling it again goes on."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from bot.council.agreement_picture import keep_picture
from bot.council.ballots import close_first_ballot, open_first_ballot, open_second_ballot
from bot.council.calls import Reply
from bot.council.card import show_cost, show_expectation, show_measure
from bot.council.closing import end_run
from bot.council.compression import ROLLING_SUMMARY, compress_round
from bot.council.conclusion import conclusion_text, ending_line
from bot.council.consent import DESIGN, REQUEST, ask_consent
from bot.council.convergence import latest_score
from bot.council.delivery.building import build_until_passed
from bot.council.delivery.drafting import agree_on_spec
from bot.council.delivery.effects import effects_settled
from bot.council.delivery.tries import delivers, drafting_try
from bot.council.designing import freeze_design
from bot.council.ending import AfterRound, RoundDecision, after_round
from bot.council.facts import load_facts
from bot.council.floor_notes import floor_for
from bot.council.gates import note_skipped_gate, record_draft, review_quality
from bot.council.grounding import gather_context
from bot.council.keeping_files import export_or_say_why_not
from bot.council.meeting import Meeting, Write, nothing_else
from bot.council.minutes import minutes_name, minutes_text
from bot.council.pace import Steps
from bot.council.places import open_place
from bot.council.reading import record_of, with_conclusion, with_summary
from bot.council.record import Ending, RunRecord
from bot.council.rounds import (
    CRITIQUE,
    critique_round,
    hold_round,
    opening_round,
    second_stage,
    still_speaking,
)
from bot.council.run_failed import RunFailedError
from bot.council.setting_aside import stored_estimate
from bot.council.spec import keep_spec
from bot.council.synthesis import SYNTHESIS, rewrite_synthesis, write_dissents, write_synthesis
from bot.council.telling import tell
from bot.council.unmasking import unmask_after_conclusion
from bot.council.validating import ask_validators
from bot.errors import NotAllowedError
from bot.money.purse import NOTHING
from bot.panels import ResolvedModel
from bot.search.context import known_urls
from bot.stage.port import THE_BOT, Attachment, Post, PostButton, button_id
from bot.store import (
    Actor,
    ArtifactKind,
    AttemptStatus,
    EventType,
    Phase,
    artifacts,
)
from bot.store.artifacts import Artifact
from bot.words import card as card_words
from bot.words import meeting as words
from bot.words.circuit import NO_CONCLUSION, NOBODY_ANSWERED

log = logging.getLogger(__name__)

MINUTES = "minutes.md"

Pictures = asyncio.Task[tuple[Attachment, ...]]


async def advance(meeting: Meeting) -> None:
    """Hold the meeting to its end."""
    await open_place(meeting)
    estimate = stored_estimate(meeting.run)
    meeting.note_price(estimate)
    await meeting.open_card()
    await show_expectation(meeting)
    await open_first_ballot(meeting)
    builds = await delivers(meeting)
    await keep_spec(meeting, complete=not builds)
    await ask_consent(meeting, REQUEST, estimate)
    await meeting.tools.look_again()
    keep_for_conclusion(meeting, meeting.tools.coordinators(meeting.run.guild_id))
    await gather_context(meeting)
    await freeze_design(meeting)
    await ask_consent(meeting, DESIGN, meeting.designed.estimate)
    keep_for_conclusion(meeting, meeting.designed.synthesis)
    await open_first_ballot(meeting)
    if builds:
        await _deliver(meeting)
        return
    await meeting.reach(Phase.EXECUTING, words.PANEL_SEATED)
    meeting.caller.attempt = max(1, meeting.run.attempt)
    record = await _hold_rounds(meeting)
    if meeting.designed.stage(2):
        record = await _hold_second_stage(meeting, record)
    await _conclude(meeting, record)


def keep_for_conclusion(meeting: Meeting, writers: Sequence[ResolvedModel]) -> None:
    """Leave enough money for the conclusion, whatever the rounds cost."""
    prices = [meeting.purse.price(writer, SYNTHESIS) for writer in writers]
    meeting.purse.keep(max(prices, key=lambda price: (price.usd, price.tokens), default=NOTHING))


async def _deliver(meeting: Meeting) -> None:
    """A build: the panel talks, a spec is agreed on, files pass two gates (2.3).

    A run whose spec waits for its starter, or whose files wait for an approver, rests here and is
    taken up again by the decision.
    """
    meeting.caller.attempt = await drafting_try(meeting)
    record = await _hold_rounds(meeting)
    if meeting.designed.stage(2):
        record = await _hold_second_stage(meeting, record)
    if await agree_on_spec(meeting, record):
        work = await build_until_passed(meeting)
        if await effects_settled(meeting, work):
            await _conclude_delivery(meeting)


async def _conclude_delivery(meeting: Meeting) -> None:
    """Sum the discussion up and name what was delivered; the files do not wait for the summary."""
    meeting.show(card_words.CONCLUDING)
    floor = await floor_for(meeting, "synthesis")
    record = await _record(meeting)
    reply = await write_synthesis(meeting, record, floor)
    meeting.purse.keep(NOTHING)
    if reply.ok:
        await write_dissents(meeting, await _keep_draft(meeting, record, reply, floor))
    await _end_well(meeting)


async def _hold_rounds(meeting: Meeting) -> RunRecord:
    """Hold the rounds of stage 1; returns the record after the last one."""
    planned = meeting.designed.rounds
    record: RunRecord | None = None
    for number in range(1, planned + 1):
        meeting.show(card_words.thinking(number, planned))
        floor = await floor_for(meeting, f"r{number}")
        if record is None:
            await hold_round(meeting, opening_round(meeting, floor))
        else:
            await hold_round(meeting, critique_round(meeting, number, record, floor))
        record = await _record(meeting)
        if not any(speech.spoke for speech in record.speeches):
            if record.budget_note:
                raise NotAllowedError(record.budget_note)
            raise RunFailedError(NOBODY_ANSWERED, "r1:")
        meeting.show(card_words.summing_up(number, planned))
        summed_up = await compress_round(meeting, number, record)
        record = with_summary(record, number, summed_up.answer)
        show_measure(meeting, record)
        if not await _goes_on(meeting, number, record):
            break
    return record or await _record(meeting)


async def _goes_on(meeting: Meeting, number: int, record: RunRecord) -> bool:
    """Close a round once: measure it, and decide whether another one is held."""

    async def work() -> RoundDecision:
        obstacle = await _money_obstacle(meeting, number, record)
        return after_round(_after(meeting, number, record, obstacle))

    def store(_: Connection, decision: RoundDecision) -> Mapping[str, Any]:
        return {
            "go_on": decision.go_on,
            "stance": decision.stance,
            "convergence": latest_score(record.convergence),
            "reason": decision.reason,
            "text": decision.text,
            "early": decision.early,
        }

    payload = await meeting.journal.once(EventType.ROUND_CLOSED, f"r{number}", work, store)
    if payload["early"]:
        meeting.notice(payload["text"])
    return bool(payload["go_on"])


async def _money_obstacle(meeting: Meeting, number: int, record: RunRecord) -> str:
    """Why another round cannot be paid, or nothing when it can."""
    if number >= meeting.designed.rounds:
        return ""
    speaking = {speech.seat.slug for speech in still_speaking(record, number)}
    asked = [
        (meeting.designed.models_of(seat)[0], CRITIQUE)
        for seat in meeting.designed.stage(1)
        if seat.seat in speaking
    ]
    asked += [(model, ROLLING_SUMMARY) for model in meeting.designed.coordinators[:1]]
    price = sum((meeting.purse.price(model, purpose) for model, purpose in asked), NOTHING)
    return "" if await meeting.purse.affords(price) else meeting.purse.obstacle


def _after(meeting: Meeting, number: int, record: RunRecord, obstacle: str) -> AfterRound:
    return AfterRound(
        round=number,
        planned=meeting.designed.rounds,
        stances=record.stances_in(number),
        early_exit=meeting.designed.early_exit,
        convergence=record.convergence,
        seated=len(meeting.designed.stage(1)),
        speaking=len(still_speaking(record, number)),
        seconds_left=meeting.time.left(),
        round_seconds=meeting.config.timeouts.round,
        obstacle=obstacle,
    )


async def _hold_second_stage(meeting: Meeting, record: RunRecord) -> RunRecord:
    meeting.show(card_words.STAGE_2_WORKS)
    floor = await floor_for(meeting, "s2")
    await hold_round(meeting, second_stage(meeting, record, floor))
    return await _record(meeting)


async def _conclude(meeting: Meeting, record: RunRecord) -> None:
    """Have the conclusion written, and meanwhile draw what the rounds came to."""
    spare = Steps(meeting.tools.pace)
    drawing = asyncio.create_task(keep_picture(meeting, meeting.mask.record(record), spare))
    try:
        await _write_conclusion(meeting, record)
        spare.hurry()
        await _end_well(meeting, drawing)
    finally:
        drawing.cancel()


async def _write_conclusion(meeting: Meeting, record: RunRecord) -> None:
    meeting.show(card_words.CONCLUDING)
    floor = await floor_for(meeting, "synthesis")
    reply = await write_synthesis(meeting, record, floor)
    if not reply.ok:
        raise RunFailedError(NO_CONCLUSION, "synthesis")
    meeting.purse.keep(NOTHING)
    record = await _keep_draft(meeting, record, reply, floor)
    meeting.show(card_words.LAST_WORDS)
    await write_dissents(meeting, record)
    await meeting.reach(Phase.QUALITY_GATE, words.SPEC_GATE_PASSED)


async def _end_well(meeting: Meeting, drawing: Pictures | None = None) -> None:
    await close_first_ballot(meeting)
    record = await _post_conclusion(meeting, drawing)
    await open_second_ballot(meeting)
    await unmask_after_conclusion(meeting)
    await meeting.before_closing()
    await show_cost(meeting)
    # The card first: nobody goes back to the thread of a closed run after a kill.
    record = replace(record, ending=Ending.CONCLUDED, finished_at=meeting.tools.store.now())
    await meeting.close_card(ending_line(record), succeeded=True)
    await close_run(meeting, AttemptStatus.SUCCEEDED, Phase.COMPLETED, words.CONCLUDED)
    meeting.steps.end()
    await meeting.steps.turn(pressing=False)
    await export_or_say_why_not(meeting)


async def _keep_draft(meeting: Meeting, record: RunRecord, reply: Reply, floor: str) -> RunRecord:
    """Store the draft; with --validate it is checked before anybody sees it."""
    validate = bool(meeting.run.request["validate"])
    await meeting.reach(
        Phase.SPEC_GATE,
        words.DRAFT_STORED,
        first=lambda conn: record_draft(conn, meeting, reply),
        then=nothing_else if validate else lambda conn: note_skipped_gate(conn, meeting),
    )
    if not validate:
        return with_conclusion(record, reply.answer)
    await _validate(meeting, floor)
    return await _record(meeting)


async def _validate(meeting: Meeting, floor: str) -> None:
    """Let the panelists check the draft, and have it rewritten once."""
    meeting.show(card_words.CHECKING)
    await ask_validators(meeting, await _record(meeting))
    record = await _record(meeting)
    if record.validation.rewrite:
        meeting.show(card_words.REWRITING)
        await rewrite_synthesis(meeting, record, floor)


async def _post_conclusion(meeting: Meeting, drawing: Pictures | None) -> RunRecord:
    record = meeting.mask.record(await _record(meeting))
    urls = known_urls(record.findings) if record.findings else frozenset()
    text = conclusion_text(record)
    pictures = await (drawing or keep_picture(meeting, record))
    minutes = await keep_minutes(
        meeting, record, first=lambda conn: review_quality(conn, meeting, record, text)
    )
    await meeting.say(
        Post(
            key="conclusion",
            speaker=THE_BOT,
            text=text,
            attachments=(minutes, *pictures),
            ping_user_id=record.starter_id,
            known_urls=urls,
            buttons=(PostButton(words.ASK_A_PANELIST, button_id(meeting.run.id, "ask")),),
        )
    )
    return record


async def end_badly(meeting: Meeting, reason: str, text: str, *, aborted: bool) -> None:
    """End a run that was stopped or failed: say so, keep what was said, write the files.

    It is said before the run is closed, because nobody goes on with a closed run after a kill.
    """
    key = f"ending@{meeting.run.attempt}" if meeting.run.attempt else "ending"
    await tell(meeting, key, text)
    await settle(meeting, reason, aborted=aborted)


async def settle(meeting: Meeting, reason: str, *, aborted: bool) -> None:
    """Close a run that did not conclude in the store; its files and its card are only tried."""
    status = AttemptStatus.ABORTED if aborted else AttemptStatus.FAILED
    await close_run(meeting, status, Phase.FAILED, reason)
    try:
        record = await export_or_say_why_not(meeting)
        await meeting.close_card(ending_line(record), succeeded=False)
    except Exception as error:
        log.warning("%s: its card could not be closed: %s", meeting.run.id, error)


async def close_run(meeting: Meeting, status: AttemptStatus, phase: Phase, reason: str) -> None:
    """End the attempt and the run in one transaction; a run that has ended stays as it is.

    What harnesses left in the run's folder is recorded by then, so the folder goes.
    """
    store = meeting.tools.store
    now = store.now()
    meeting.run = await store.write(
        lambda conn: end_run(conn, meeting.run.id, status, phase, reason, now)
    )
    await meeting.tools.desk.workspaces.discard(meeting.run.id)


async def _record(meeting: Meeting) -> RunRecord:
    store, run_id, known = meeting.tools.store, meeting.run.id, meeting.facts
    heard = meeting.caller.heard
    meeting.facts = await store.read(lambda conn: load_facts(conn, run_id, known, heard))
    return record_of(meeting.facts, store.now())


async def keep_minutes(
    meeting: Meeting, record: RunRecord, first: Write = nothing_else
) -> Attachment:
    """Keep the minutes as an artifact, so that a repeated send attaches the same bytes.

    What is to be written before them shares their transaction.
    """
    store, run = meeting.tools.store, meeting.run
    text = minutes_text(meeting.mask.record(record))

    def work(conn: Connection) -> Artifact:
        first(conn)
        kind, boss = ArtifactKind.PRIMARY_OUTPUT, Actor.ORCHESTRATOR
        return artifacts.record(conn, run.id, run.attempt, kind, MINUTES, text, boss, store.now())

    artifact = await store.write(work)
    return Attachment(minutes_name(record), artifact.id)
