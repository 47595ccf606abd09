"""Validation: every panelist is asked whether the draft represents what it said."""

import asyncio

from bot.measures.validation import review_words
from bot.meeting.context import RunContext
from bot.meeting.questions import ModelCall
from bot.prompting.validation import Validation
from bot.record.answer_codec import read_validation, stored_verdict
from bot.record.record import RunRecord, Speech
from bot.store import ReviewType
from bot.store import Verdict as ReviewVerdict
from bot.store.repositories.reviews import Finding, NewReview, ReviewRepository, Severity
from bot.store.vocabulary import Actor

_VALIDATION = "round3-validation"


async def ask_validators(ctx: RunContext, record: RunRecord) -> None:
    """Ask every panelist that spoke, with its own model, and keep the verdicts as reviews."""
    speakers = [speech for speech in record.final_speeches if speech.stage == 1]
    await asyncio.gather(*(_ask(ctx, record, speech) for speech in speakers))


async def _ask(ctx: RunContext, record: RunRecord, speech: Speech) -> None:
    seat = next(row for row in ctx.designed.seats if row.slug == speech.seat.slug)
    values = {
        "PROMPT": record.topic,
        "ROLE": seat.role,
        "SELF_DIGEST": speech.digest,
        "SYNTHESIS_DRAFT": record.conclusion.text,
    }
    models = ctx.designed.models_of(seat)
    ask = ModelCall(
        key=f"validate:{seat.slug}",
        purpose=_VALIDATION,
        prompt=ctx.prompt(_VALIDATION, values),
        seconds=ctx.time.cap_tail(ctx.config.timeouts.validation, models),
        models=models,
        seat=seat.slug,
    )
    reply = await ctx.caller.ask(ask, read_validation)
    if reply.answer is not None:
        await _append_review(ctx, seat.role, stored_verdict(reply.answer.parsed))


async def _append_review(ctx: RunContext, role: str, found: Validation) -> None:
    """A validator writes a finding and nothing else; the orchestrator decides what follows."""
    words = review_words(found.verdict)
    if words is None:
        return
    verdict, severity = words
    remark = found.correction or found.reasoning
    findings = (Finding(Severity(severity), remark),) if severity and remark else ()
    review = NewReview(
        ctx.run.id,
        ctx.run.attempt,
        ReviewType.SPEC,
        role,
        ReviewVerdict(verdict),
        found.reasoning,
        findings,
    )
    now = ctx.deps.store.now()
    await ctx.deps.store.write(
        lambda conn: ReviewRepository(conn).append(review, Actor.SPEC_REVIEWER, now)
    )
