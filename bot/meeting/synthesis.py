"""The conclusion is written by a neutral model; dissenters answer it in their own words."""

import asyncio
from collections.abc import Mapping, Sequence

from bot.meeting.context import RunContext
from bot.meeting.questions import CallResult, ModelCall
from bot.messages.conclusion import ValidationText
from bot.panels import ResolvedModel
from bot.prompting.short_answers import parse_dissent
from bot.prompting.synthesis import parse_synthesis
from bot.prompting.text import cut_chars, label_voices
from bot.record.answer_codec import Reading
from bot.record.loader import FORM_KEY
from bot.record.record import RunRecord, Speech
from bot.record.transcript import dissenters
from bot.types.mode import Mode

SYNTHESIS = "final-synthesis"
_DISSENT = "dissent"
_SECTION_CHARS = 6_000
_CONCLUSION_CHARS = 24_000
"""Ten times what the writer is asked for; the store keeps the answer whole."""


async def write_synthesis(ctx: RunContext, record: RunRecord, floor: str) -> CallResult:
    """Have the conclusion written; when no neutral model can, the orchestrator's does (E106)."""
    values = _values(ctx, record, floor)
    reply = await _ask(ctx, "synthesis", values, ctx.designed.synthesis)
    if reply.ok:
        return reply
    return await _ask(ctx, "synthesis:orchestrator", values, ctx.designed.coordinators[:1])


async def rewrite_synthesis(ctx: RunContext, record: RunRecord, floor: str) -> CallResult:
    """Rewrite the conclusion to meet the validators' corrections (E80)."""
    return await _rewrite(ctx, record, floor, "synthesis:rewrite", record.validation.corrections)


async def mend_synthesis(
    ctx: RunContext, record: RunRecord, floor: str, faults: Sequence[str]
) -> CallResult:
    """Rewrite the conclusion once to mend major faults of its form (B22)."""
    found = [(ValidationText.FORMAT_CHECK, fault) for fault in faults]
    return await _rewrite(ctx, record, floor, FORM_KEY, found)


async def _rewrite(
    ctx: RunContext,
    record: RunRecord,
    floor: str,
    key: str,
    corrections: Sequence[tuple[str, str]],
) -> CallResult:
    values = _values(ctx, record, floor) | {
        "SYNTHESIS_DRAFT": record.conclusion.text,
        "CORRECTIONS": label_voices(corrections),
    }
    # Whoever could not write it will not rewrite it either.
    by_orchestrator = record.conclusion.by_orchestrator
    models = ctx.designed.coordinators[:1] if by_orchestrator else ctx.designed.synthesis
    return await _ask(ctx, key, values, models)


async def _ask(
    ctx: RunContext, key: str, values: Mapping[str, str], models: tuple[ResolvedModel, ...]
) -> CallResult:
    ask = ModelCall(
        key=key,
        purpose=SYNTHESIS,
        prompt=ctx.prompt(SYNTHESIS, values),
        seconds=ctx.time.cap_tail(ctx.config.timeouts.synthesis, models),
        models=models,
        essential=True,
    )
    return await ctx.caller.ask(ask, read_synthesis)


def read_synthesis(text: str) -> Reading:
    """Take the conclusion apart for the store."""
    parsed = parse_synthesis(text)
    sections = {name: cut_chars(body, _SECTION_CHARS) for name, body in parsed.sections.items()}
    return Reading(
        parsed={
            "title": parsed.title,
            "sections": sections,
            "missing": list(parsed.missing),
            "text": cut_chars(parsed.text, _CONCLUSION_CHARS),
            "cut": sections != dict(parsed.sections) or len(parsed.text) > _CONCLUSION_CHARS,
        }
    )


def _values(ctx: RunContext, record: RunRecord, floor: str) -> dict[str, str]:
    values = {
        "MODE": record.mode.value,
        "PROMPT": record.topic,
        "ROUND1_SUMMARIES": "\n\n".join(_position(s) for s in record.final_speeches),
        "ROUND2_SUMMARIES": "\n".join(_critiques(record)),
        "CONSENSUS_SCORES": record.agreement.matrix_text(),
        "DISCORD_THREAD_ID": str(ctx.place.target_id),
        "ROLLING_SUMMARY": record.summary_before(record.rounds_held),
        "FLOOR": floor,
        **ctx.subject(),
    }
    if record.mode is Mode.VOTE and record.tallies:
        values["BALLOTS"] = "\n".join(_ballots(record))
    return values


def _position(speech: Speech) -> str:
    return f"{speech.seat.role} ({speech.model}): {speech.digest or speech.text}"


def _critiques(record: RunRecord) -> list[str]:
    return [
        f"{speech.seat.role} criticized {critique.target}'s {critique.claim or critique.point}"
        f" because {critique.reason}"
        for speech in record.speeches
        for critique in speech.critiques
    ]


def _ballots(record: RunRecord) -> list[str]:
    tally = record.tallies[-1]
    cast = {s.seat.role: s for s in record.speeches if s.round == tally.round and s.ballot}
    votes = [f"{role}: {s.ballot} — {s.reason or 'no reason given'}" for role, s in cast.items()]
    return [*votes, tally.verdict]


async def write_dissents(ctx: RunContext, record: RunRecord) -> None:
    """Give every dissenter one short turn about the conclusion."""
    able = [speech for speech in dissenters(record) if speech.digest]
    await asyncio.gather(*(_dissent(ctx, record, speech) for speech in able))


async def _dissent(ctx: RunContext, record: RunRecord, speech: Speech) -> None:
    seat = next(row for row in ctx.designed.seats if row.slug == speech.seat.slug)
    models = ctx.designed.models_of(seat)
    ask = ModelCall(
        key=f"dissent:{seat.slug}",
        purpose=_DISSENT,
        prompt=ctx.prompt(
            _DISSENT,
            {
                "PROMPT": record.topic,
                "ROLE": seat.role,
                "CONCLUSION": record.conclusion.text,
                "SELF_DIGEST": speech.digest,
            },
        ),
        seconds=ctx.time.cap_tail(ctx.config.timeouts.dissent, models),
        models=models,
        seat=seat.slug,
    )
    await ctx.caller.ask(ask, lambda text: Reading(parsed={"text": parse_dissent(text)}))
