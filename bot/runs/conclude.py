"""The end of a run: its conclusion is written, checked and posted, or its failure reported."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from bot.decisions.reopening import supersede
from bot.delivery.draft import switch_specs_off
from bot.meeting.context import RunContext, RunFailedError, no_extra_write
from bot.meeting.finish import end_run, tell_starter, unmask_after_conclusion
from bot.meeting.grounding import floor_note_for
from bot.meeting.questions import CallResult
from bot.meeting.rolling_summary import RollingSummaries
from bot.meeting.run_thread import revise_anchor, show_cost
from bot.meeting.synthesis import (
    mend_synthesis,
    rewrite_synthesis,
    write_dissents,
    write_synthesis,
)
from bot.meeting.validation import ask_validators
from bot.messages.attempts import AttemptText
from bot.messages.conclusion import ConclusionText, ValidationText
from bot.messages.decisions import AgainText, ReopenText
from bot.messages.discord import ButtonText
from bot.messages.meeting import CardText, MeetingText
from bot.messages.starting import ModeText
from bot.money.estimate import NOTHING
from bot.prompting.contract import PLACEHOLDERS
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.record.loader import FORM_KEY, read_record, with_conclusion
from bot.record.record import Ending, RunRecord
from bot.reports.agreement_picture import keep_picture
from bot.reports.conclusion import conclusion_text, ending_line, outcome_link
from bot.reports.files import export_or_report
from bot.reports.minutes import minutes_name, minutes_text
from bot.search.results import known_urls
from bot.stage.port import THE_BOT, Attachment, Post, PostButton, PostMenu, Tone, button_id
from bot.store import ArtifactKind, AttemptStatus, Phase, ReviewType, Verdict
from bot.store.repositories.artifacts import MINUTES, Artifact, ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.reviews import Finding, NewReview, ReviewRepository, Severity
from bot.store.vocabulary import Actor
from bot.votes.service import close_first_ballot, close_unfinished, open_second_ballot

_log = logging.getLogger(__name__)

_DRAFT: Final = "conclusion-draft.md"
_LONGEST: Final = 20_000


def _record_draft(conn: Connection, ctx: RunContext, reply: CallResult) -> None:
    """Keep what the writer wrote as an artifact of the attempt, before any gate sees it."""
    run, now = ctx.run, ctx.deps.store.now()
    text = str(reply.answer.parsed.get("text", "")) if reply.answer else ""
    kind, writer = ArtifactKind.OTHER, Actor.EXECUTOR
    ArtifactRepository(conn).record(run.id, run.attempt, kind, _DRAFT, text, writer, now)


def _note_skipped_gate(conn: Connection, ctx: RunContext) -> None:
    """Log that no validation of the draft was requested."""
    run, now = ctx.run, ctx.deps.store.now()
    key = f"spec_gate:skipped@{run.attempt}"
    reason = {"reason": ValidationText.NOT_ASKED_FOR}
    AttemptRepository(conn).checkpoint(run.id, key, reason, Actor.ORCHESTRATOR, now)


def _review_quality(
    conn: Connection, ctx: RunContext, findings: tuple[Finding, ...], reviewer: str
) -> None:
    """Append the verdict of the format check; an incomplete conclusion is posted with a note."""
    run, now = ctx.run, ctx.deps.store.now()
    verdict = Verdict.CHANGES_REQUESTED if findings else Verdict.APPROVED
    summary = ValidationText.found(len(findings)) if findings else ValidationText.FORM_IS_WELL
    review = NewReview(
        run.id,
        run.attempt,
        ReviewType.QUALITY,
        reviewer,
        verdict,
        summary,
        findings,
    )
    ReviewRepository(conn).append(review, Actor.QUALITY_REVIEWER, now)


def _quality_findings(record: RunRecord, text: str) -> tuple[Finding, ...]:
    """What is wrong with the form of a conclusion as people read it: gaps, placeholders, length."""
    missing = [SYNTHESIS_HEADINGS.get(name, name) for name in record.conclusion.missing]
    found = [Finding(Severity.MINOR, ValidationText.is_missing(name), _DRAFT) for name in missing]
    written = record.conclusion.text
    unfilled = [f"[{name}]" for name in PLACEHOLDERS if f"[{name}]" in written]
    found += [
        Finding(Severity.MAJOR, ValidationText.left_unfilled(name), _DRAFT) for name in unfilled
    ]
    if len(text) > _LONGEST:
        found.append(Finding(Severity.MINOR, ValidationText.too_long(len(text)), _DRAFT))
    return tuple(found)


async def conclude(ctx: RunContext, record: RunRecord, summaries: RollingSummaries) -> None:
    """Have the conclusion written, post it and end the run."""
    await _write_conclusion(ctx, record)
    await complete(ctx, summaries)


async def _write_conclusion(ctx: RunContext, record: RunRecord) -> None:
    ctx.show(CardText.CONCLUDING)
    floor = await floor_note_for(ctx, "synthesis")
    reply = await write_synthesis(ctx, record, floor)
    if not reply.ok:
        raise RunFailedError(AttemptText.NO_CONCLUSION, "synthesis")
    ctx.call_budget.keep(NOTHING)
    await answer_draft(ctx, record, reply, floor)
    await ctx.reach(Phase.QUALITY_GATE, MeetingText.SPEC_GATE_PASSED)


async def _mend_form(ctx: RunContext) -> tuple[RunRecord, bool]:
    """Have a conclusion rewritten, once, whose form has a major fault; a lost one stays lost (B22).

    The reviewer only writes findings; that they lead to a rewrite is the orchestrator's decision.
    Returns the record as it is then, and whether the conclusion was rewritten.
    """
    record, mended = await current_record(ctx), await ctx.caller.answered(FORM_KEY)
    findings = _quality_findings(record, conclusion_text(ctx.mask.record(record)))
    faults = [found.message for found in findings if found.severity is Severity.MAJOR]
    if mended or not faults:
        return record, mended
    store, run = ctx.deps.store, ctx.run

    def decide(conn: Connection) -> None:
        _review_quality(conn, ctx, findings, ValidationText.FORMAT_CHECK)
        key, faulty = f"quality_gate:rewrite@{run.attempt}", {"faults": len(faults)}
        AttemptRepository(conn).checkpoint(run.id, key, faulty, Actor.ORCHESTRATOR, store.now())

    await store.write(decide)
    ctx.show(CardText.REWRITING)
    floor = await floor_note_for(ctx, "synthesis")
    await mend_synthesis(ctx, record, floor, faults)
    return await current_record(ctx), await ctx.caller.answered(FORM_KEY)


async def complete(ctx: RunContext, summaries: RollingSummaries) -> None:
    """Post the conclusion, close the run and write its files."""
    await close_first_ballot(ctx)
    await _post_conclusion(ctx, *await _mend_form(ctx))
    await open_second_ballot(ctx)
    if ctx.run.request.get("reopens"):
        await supersede(ctx)
    await unmask_after_conclusion(ctx)
    await ctx.before_closing()
    await summaries.finished()
    await show_cost(ctx)
    # The card first: after a kill, a closed run is not visited again.
    await show_outcome(ctx, Ending.CONCLUDED)
    await _post_files(ctx)
    await finish_run(ctx, AttemptStatus.SUCCEEDED, Phase.COMPLETED, MeetingText.CONCLUDED)
    await export_or_report(ctx)


async def answer_draft(ctx: RunContext, record: RunRecord, reply: CallResult, floor: str) -> None:
    """Store the draft, and ask dissenters and with --validate everybody about it, all at once."""
    validate = bool(ctx.run.request["validate"])
    await ctx.reach(
        Phase.SPEC_GATE,
        MeetingText.DRAFT_STORED,
        first=lambda conn: _record_draft(conn, ctx, reply),
        then=no_extra_write if validate else lambda conn: _note_skipped_gate(conn, ctx),
    )
    dissents = write_dissents(ctx, with_conclusion(record, reply.answer))
    if validate:
        ctx.show(CardText.CHECKING)
        await asyncio.gather(dissents, _validate(ctx, floor))
    else:
        ctx.show(CardText.LAST_WORDS)
        await dissents


async def _validate(ctx: RunContext, floor: str) -> None:
    """Let the panelists check the draft, and have it rewritten once."""
    await ask_validators(ctx, await current_record(ctx))
    record = await current_record(ctx)
    if record.validation.rewrite:
        ctx.show(CardText.REWRITING)
        await rewrite_synthesis(ctx, record, floor)


async def _post_conclusion(ctx: RunContext, record: RunRecord, mended: bool) -> None:
    record = ctx.mask.record(record)
    urls = known_urls(record.findings) if record.findings else frozenset()
    text = conclusion_text(record)
    who = ValidationText.FORMAT_CHECK_AGAIN if mended else ValidationText.FORMAT_CHECK
    found = _quality_findings(record, text)
    await ctx.deps.store.write(lambda conn: _review_quality(conn, ctx, found, who))
    await ctx.say(
        Post(
            key="conclusion",
            speaker=THE_BOT,
            text=text,
            ping_user_id=record.starter_id,
            known_urls=urls,
            buttons=tuple(_next_steps(ctx)),
            menus=(_look_again_menu(ctx.run.id),),
        )
    )


async def _post_files(ctx: RunContext) -> None:
    """Attach minutes and picture to a message of their own: the conclusion waits for neither."""
    record = await _ending_record(ctx, Ending.CONCLUDED)
    pictures = await keep_picture(ctx, record)
    minutes = await keep_minutes(ctx, record)
    text = MeetingText.MINUTES_AND_PICTURE if pictures else MeetingText.MINUTES
    files = (minutes, *pictures)
    await ctx.say(Post("files", THE_BOT, text, attachments=files, untrusted=False))


def _next_steps(ctx: RunContext) -> Iterator[PostButton]:
    """What people can do with a conclusion; what sounds like a build can be built."""
    yield PostButton(ButtonText.DETAILS, button_id(ctx.run.id, "details"))
    yield PostButton(MeetingText.ASK_A_PANELIST, button_id(ctx.run.id, "ask"))
    if ctx.run.request.get("offers_build"):
        yield PostButton(ButtonText.BUILD_IT, button_id(ctx.run.id, "build"), Tone.GOOD)
    yield PostButton(ReopenText.BUTTON, button_id(ctx.run.id, "reopen"))


def _look_again_menu(run_id: str) -> PostMenu:
    """When people want to be asked what became of the decision."""
    return PostMenu(AgainText.MENU, button_id(run_id, "look"), tuple(AgainText.TIMES.items()))


async def fail_run(ctx: RunContext, reason: str, text: str, *, aborted: bool) -> None:
    """End a stopped or failed run: post it, keep what was said, write the files.

    It is said before the run is closed, because a closed run is not resumed after a kill.
    """
    key = f"ending@{ctx.run.attempt}" if ctx.run.attempt else "ending"
    await tell_starter(ctx, key, text)
    await settle(ctx, reason, aborted=aborted)


async def settle(ctx: RunContext, reason: str, *, aborted: bool) -> None:
    """Close a run that did not conclude in the store; its files and its card are only tried."""
    status = AttemptStatus.ABORTED if aborted else AttemptStatus.FAILED
    await finish_run(ctx, status, Phase.FAILED, reason)
    try:
        record = await export_or_report(ctx)
        await close_unfinished(ctx)
        await switch_specs_off(ctx, over=True)
        await show_outcome(ctx, record.ending)
    except Exception as error:
        _log.warning("%s: its card could not be closed: %s", ctx.run.id, error)


async def show_outcome(ctx: RunContext, ending: Ending) -> None:
    """Let the card and the post in the channel end with one line that says what came out."""
    record = await _ending_record(ctx, ending)
    line = outcome_link(record)
    concluded = ending is Ending.CONCLUDED
    told = ending_line(record) if concluded else ""
    closing = ConclusionText.on_card(line, ModeText.of(record.mode), told)
    await ctx.close_card(closing, succeeded=concluded)
    await revise_anchor(ctx, line)


async def finish_run(ctx: RunContext, status: AttemptStatus, phase: Phase, reason: str) -> None:
    """End the attempt and the run in one transaction; a run that has ended stays as it is.

    What harnesses left in the run's folder is recorded by then, so the folder goes.
    """
    store = ctx.deps.store
    now = store.now()
    ctx.run = await store.write(lambda conn: end_run(conn, ctx.run.id, status, phase, reason, now))
    await ctx.deps.registry.workspaces.discard(ctx.run.id)


async def current_record(ctx: RunContext) -> RunRecord:
    """The record of the run as it stands."""
    return await read_record(ctx.deps.store, ctx.run.id)


async def _ending_record(ctx: RunContext, ending: Ending) -> RunRecord:
    """The record of a run that ends now in this way, as people may read it."""
    record = replace(await current_record(ctx), ending=ending, finished_at=ctx.deps.store.now())
    return ctx.mask.record(record)


async def keep_minutes(ctx: RunContext, record: RunRecord) -> Attachment:
    """Keep the minutes as an artifact, so that a repeated send attaches the same bytes.

    `record` is what people may read.
    """
    store, run, text = ctx.deps.store, ctx.run, minutes_text(record)

    def work(conn: Connection) -> Artifact:
        kind, boss = ArtifactKind.PRIMARY_OUTPUT, Actor.ORCHESTRATOR
        return ArtifactRepository(conn).record(
            run.id, run.attempt, kind, MINUTES, text, boss, store.now()
        )

    artifact = await store.write(work)
    return Attachment(minutes_name(record), artifact.id)
