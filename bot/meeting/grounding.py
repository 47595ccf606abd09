"""The context of a run: a search, an earlier conclusion, messages in the thread."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.meeting.context import RunContext
from bot.meeting.questions import ModelCall
from bot.messages.meeting import CardText
from bot.prompting.text import cut_words, label_voices
from bot.record.answer_codec import Reading
from bot.record.loader import read_record
from bot.search.results import (
    Findings,
    SearchStatus,
    context_text,
    results_text,
    with_prior_context,
)
from bot.store import EventType, InboundKind
from bot.store.log import events
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor

_MOST_MESSAGES = 20
_MESSAGE_WORDS = 120
_DIGEST = "search-digest"
SEARCH_KEY = "search"
_CONTEXT_KEY = "context"


async def floor_note_for(ctx: RunContext, step: str) -> str:
    """The messages before a step began; the same for every seat, also after a restart."""
    store, run_id = ctx.deps.store, ctx.run.id

    def said(conn: Connection) -> tuple[InboundMessage, ...]:
        return InboundRepository(conn).of_run(run_id, InboundKind.FLOOR)

    async def work() -> None:
        """What was said is looked up where it is noted how much of it counts."""

    def record(conn: Connection, _: None) -> Mapping[str, Any]:
        return {"newest": max((message.message_id for message in said(conn)), default=0)}

    key = f"floor:{step}"
    payload = await ctx.journal.once(EventType.ATTEMPT_CHECKPOINT, key, work, record)
    heard = await store.read(said) if payload["newest"] else ()
    return _floor_text([m for m in heard if m.message_id <= payload["newest"]])


def _floor_text(messages: Sequence[InboundMessage]) -> str:
    """The newest messages, oldest first, each under a letter for its author."""
    kept = [message for message in messages if message.content.strip()][-_MOST_MESSAGES:]
    letters: dict[int, str] = {}
    for message in messages:
        letters.setdefault(message.author_id, f"Person {len(letters) + 1}")
    return label_voices((letters[m.author_id], cut_words(m.content, _MESSAGE_WORDS)) for m in kept)


async def gather_context(ctx: RunContext) -> None:
    """Fill the context that every prompt of the run begins with, the same for all."""

    store, run_id = ctx.deps.store, ctx.run.id

    def record(conn: Connection, context: str) -> Mapping[str, Any]:
        # Conclusions quote topics, so this text is stored where it can be erased, not in the log.
        AnswerRepository(conn).save(StoredAnswer(run_id, _CONTEXT_KEY, "", 0, context, store.now()))
        if not _searches(ctx):
            payload, actor, now = Findings.skipped().to_dict(), Actor.ORCHESTRATOR, store.now()
            events.append(conn, run_id, EventType.SEARCH_DONE, SEARCH_KEY, actor, payload, now)
        return {}

    checkpoint = EventType.ATTEMPT_CHECKPOINT
    await ctx.journal.once(checkpoint, _CONTEXT_KEY, lambda: _context(ctx), record)
    kept = await store.read(lambda conn: AnswerRepository(conn).get(run_id, _CONTEXT_KEY))
    ctx.context = kept.text if kept else ""


async def _context(ctx: RunContext) -> str:
    findings = await _search(ctx)
    digest = None
    for notice in findings.notices:
        ctx.notice(notice)
    if findings.status is SearchStatus.OK:
        digest = ctx.deps.search.digests.get(findings) or await _digest(ctx, findings)
    if digest:
        ctx.deps.search.digests[findings] = digest
    context = context_text(findings, digest)
    news = str(ctx.run.request.get("news") or "")
    return with_prior_context(context, await _prior_conclusion(ctx), news)


async def _prior_conclusion(ctx: RunContext) -> str:
    """The conclusion of the run that this one builds on, from any attempt; or nothing."""
    run_id = ctx.run.request.get("context_run")
    store = ctx.deps.store
    if run_id is None or await store.read(lambda conn: RunRepository(conn).get(run_id)) is None:
        return ""
    return (await read_record(store, run_id)).conclusion.text


def _searches(ctx: RunContext) -> bool:
    return bool(ctx.run.request.get("search", True))


async def _search(ctx: RunContext) -> Findings:
    if not _searches(ctx):
        return Findings.skipped()

    async def work() -> Findings:
        ctx.show(CardText.LOOKING_UP)
        config = ctx.config
        return await ctx.deps.search.look_up(
            ctx.run.topic, config.search.count, config.timeouts.search
        )

    def record(_: Connection, findings: Findings) -> Mapping[str, Any]:
        return findings.to_dict()

    payload = await ctx.journal.once(EventType.SEARCH_DONE, SEARCH_KEY, work, record)
    return Findings.from_dict(payload)


async def _digest(ctx: RunContext, findings: Findings) -> str | None:
    ctx.show(CardText.SUMMARISING_SEARCH)
    ask = ModelCall(
        key="digest",
        purpose=_DIGEST,
        prompt=ctx.deps.book.render(
            _DIGEST,
            {
                "PROMPT": ctx.run.topic,
                "DATE": findings.searched_on,
                "RESULTS": results_text(findings),
            },
            ctx.run.id,
        ),
        seconds=ctx.time.cap(ctx.config.timeouts.digest),
        models=ctx.deps.coordinators(ctx.run.guild_id),
    )
    reply = await ctx.caller.ask(ask, lambda _: Reading())
    return reply.answer.text if reply.answer else None
