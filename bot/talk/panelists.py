"""The panelists: they answer with their models and post through the stage."""

import logging
from typing import Final

from sqlalchemy import Connection

from bot.errors import AwayError, UserError
from bot.floor import Closed, CloseReason, Dropped, FloorConfig, TranscriptLine, Voice
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.meeting.model_calls import ModelCaller
from bot.meeting.questions import CallResult, ModelCall
from bot.messages.talk import TalkText
from bot.money.call_budget import CallBudget
from bot.panels import ResolvedModel
from bot.prompting.filling import MissingValue
from bot.prompting.short_answers import NO_REPLY, parse_followup
from bot.prompting.text import cut_chars, cut_words, label_voices
from bot.record.answer_codec import Reading
from bot.record.masking import mask_of
from bot.stage.port import THE_BOT, Post, Quote
from bot.store import EventType, Journal, TurnVoice
from bot.store.erasure import erase
from bot.store.log import events
from bot.store.repositories.budgets import FOLLOWUPS
from bot.store.repositories.runs import RunRepository
from bot.store.repositories.seats import SeatRepository
from bot.store.repositories.turns import TurnRepository
from bot.store.vocabulary import Actor
from bot.talk.session import (
    KEPT_WHOLE,
    OWN_CHARS,
    SUMMED_UP_AFTER,
    Session,
    as_it_stands,
    follow_up_values,
    load_session,
    recollection_key,
    speaker_of,
    turn_entry,
)
from bot.talk.thread_context import TalkStore
from bot.threads.turn import SpokenTurn, Turn, TurnFailedError, split_key

_log = logging.getLogger(__name__)

_UNANSWERED: Final = {
    CloseReason.ALL_AGENTS_DECLINED: TalkText.NOTHING_TO_ADD,
    CloseReason.NO_AGENT_LEFT: TalkText.NOBODY_COULD_ANSWER,
    CloseReason.ARBITER_FAILED: TalkText.ARBITER_FAILED,
    CloseReason.IDLE_TIMEOUT: TalkText.NO_ANSWER_IN_TIME,
    CloseReason.NO_VISIBLE_CONFIRMATION: TalkText.NOT_POSTED,
}
_FOLLOW_UP: Final = "follow-up"
_ROLLING_SUMMARY: Final = "rolling-summary"
_TURN_WORDS: Final = 200


def _ending_text(closed: Closed, failures: tuple[str, ...], config: FloorConfig) -> str:
    """The line to post, or nothing when there is nothing to explain."""
    match closed.reason:
        case CloseReason.PROMPT_BUDGET_EXCEEDED:
            return TalkText.TOO_LONG
        case CloseReason.CALL_BUDGET_EXHAUSTED:
            return TalkText.calls_used_up(config.max_calls)
        case CloseReason.MAX_BOT_HOPS:
            return TalkText.panel_rests(config.max_bot_hops)
    if closed.answered or closed.reason not in _UNANSWERED:
        return ""
    return TalkText.failed(dict.fromkeys(failures)) if failures else _UNANSWERED[closed.reason]


class Panelists:
    """Answers for every seat of every run."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._store = TalkStore(deps.store)

    async def think(self, turn: Turn) -> SpokenTurn:
        """Ask the seat's model; raises TurnFailedError."""
        return await self._deps.store.outlast(lambda: self._think(turn))

    async def _think(self, turn: Turn) -> SpokenTurn:
        session = await self._session(turn)
        call_budget = self._call_budget(session, await self._asker(session, turn))
        ctx = self._context(session, call_budget)
        name = session.seat.role
        try:
            prompt = ctx.prompt(_FOLLOW_UP, follow_up_values(session, turn))
        except MissingValue as error:
            raise TurnFailedError(TalkText.topic_erased(name)) from error
        models, timeouts = self._models(session), ctx.config.timeouts
        ask = ModelCall(
            key=turn.key,
            purpose=_FOLLOW_UP,
            prompt=prompt,
            seconds=timeouts.allowed(timeouts.followup, models),
            models=models,
            seat=session.seat.slug,
            must_speak=not turn.open_floor,
            after_saving=lambda conn: _withdraw(conn, turn),
        )
        async with self._deps.stage.typing(ctx.place):
            try:
                reply = await ctx.caller.ask(ask, _read)
            finally:
                await call_budget.close()
        return _said(session, reply)

    async def show(self, turn: Turn, said: SpokenTurn) -> tuple[int, ...]:
        """Post what the seat said and return the ids of its messages."""
        return await self._deps.store.outlast(lambda: self._show(turn, said))

    async def _show(self, turn: Turn, said: SpokenTurn) -> tuple[int, ...]:
        session = await self._remembered(turn, said)
        ctx = self._context(session, self._call_budget(session, session.run.starter_id))
        asked = await self._deps.store.read(lambda conn: as_it_stands(conn, turn.lines[-1]))
        post = Post(
            key=turn.key,
            speaker=ctx.speaker(session.seat, said.model),
            text=said.text,
            quote=_quote(asked, visible=session.visible),
        )
        try:
            shown = await ctx.say(post)
        except AwayError:
            raise
        except UserError as error:
            await self._deps.store.write(lambda conn: _withdraw(conn, turn))
            raise TurnFailedError(
                TalkText.could_not_speak(session.seat.role, str(error))
            ) from error
        ids = tuple(part.message_id for part in shown)
        await self._remember(session, turn, said, ids[0])
        return ids

    async def close(self, thread_id: int, closed: Closed, failures: tuple[str, ...]) -> None:
        """Note that an exchange is over; tell people if they got no answer."""
        text = _ending_text(closed, failures, self._deps.threads.config(thread_id))
        await self._deps.store.outlast(lambda: self._close(closed, text))

    async def _close(self, closed: Closed, text: str) -> None:
        await self._store.close(closed.asked, closed.reason, answered=closed.answered)
        if text:
            await self._tell(closed.asked[-1], text)

    async def abandon(self, thread_id: int, dropped: Dropped) -> None:
        """Note that waiting questions will not be answered."""
        over = Closed(0, dropped.reason, dropped.message_ids)
        text = _ending_text(over, (), self._deps.threads.config(thread_id))
        await self._deps.store.outlast(lambda: self._close(over, text))

    async def _remembered(self, turn: Turn, said: SpokenTurn) -> Session:
        return said.memory if isinstance(said.memory, Session) else await self._session(turn)

    async def _session(self, turn: Turn) -> Session:
        session = await self._deps.store.read(
            lambda conn: load_session(conn, turn.seat, turn.source)
        )
        if session is None:
            raise TurnFailedError(TalkText.SEAT_IS_GONE)
        return session

    async def _asker(self, session: Session, turn: Turn) -> int:
        """Who pays for an answer: the person it replies to, otherwise the run's starter."""
        asked = next((line for line in reversed(turn.lines) if line.voice is Voice.PERSON), None)
        if asked is None:
            return session.run.starter_id
        found = await self._store.message(asked.source)
        return found.author_id if found else session.run.starter_id

    def _call_budget(self, session: Session, person_id: int) -> CallBudget:
        """Each person's follow-ups to a run have a budget of their own."""
        return self._deps.call_budget(session.run, person_id, f"{FOLLOWUPS}{person_id}")

    def _context(self, session: Session, call_budget: CallBudget) -> RunContext:
        ctx = RunContext(session.run, self._deps)
        ctx.design = session.design
        ctx.mask = session.mask
        # Ask for one key only, because the log of a long thread is long.
        journal = Journal(self._deps.store, session.run.id, Actor.ORCHESTRATOR)
        deps = self._deps
        ctx.caller = ModelCaller(deps.store, journal, deps.registry, deps.late, call_budget)
        return ctx

    def _models(self, session: Session) -> tuple[ResolvedModel, ...]:
        """The frozen models, as far as their providers still exist; else what serves them now."""
        resolution = self._deps.resolution()
        frozen = session.design.models_of(session.seat)
        usable = [model for model in frozen if resolution.usable(model.provider)]
        found = usable or [m for model in frozen if (m := resolution.model(model.key))]
        if not found:
            raise TurnFailedError(TalkText.no_model(session.seat.role, session.seat.model))
        return tuple(found)

    async def _remember(
        self, session: Session, turn: Turn, said: SpokenTurn, message_id: int
    ) -> None:
        """Store the turn in the seat's session, once."""
        run_id, slug = split_key(turn.seat)
        now = self._deps.store.now()
        heard = turn.lines[-1]

        def write(conn: Connection) -> None:
            payload = {"seat": slug, "message_id": message_id, "source": turn.source}
            key, taken = turn.key, EventType.TURN_TAKEN
            if not events.append(conn, run_id, taken, key, Actor.ORCHESTRATOR, payload, now):
                return
            who, source = speaker_of(heard), heard.source
            TurnRepository(conn).append(run_id, slug, TurnVoice.HEARD, who, heard.text, now, source)
            name, kept = session.seat.role, cut_chars(said.text, OWN_CHARS)
            TurnRepository(conn).append(run_id, slug, TurnVoice.SAID, name, kept, now, message_id)
            SeatRepository(conn).touch(run_id, slug, now)
            _withdraw(conn, turn)

        await self._deps.store.write(write)

    async def after(self, turn: Turn, said: SpokenTurn) -> None:
        """Sum up a session that has become long; without a summary its turns are cut by code."""
        known = await self._remembered(turn, said)
        if len(known.turns) + 2 >= SUMMED_UP_AFTER and known.run.topic:
            session = await self._session(turn)
            await self._sum_up(session, await self._asker(session, turn))

    async def _sum_up(self, session: Session, person_id: int) -> None:
        old = session.turns[:-KEPT_WHOLE]
        entries = [(label, cut_words(text, _TURN_WORDS)) for label, text in map(turn_entry, old)]
        values = {"PROMPT": session.run.topic, "ROUND_ANSWERS": label_voices(entries)}
        if session.earlier is not None:
            values["ROLLING_SUMMARY"] = session.earlier.summary
        call_budget = self._call_budget(session, person_id)
        ctx = self._context(session, call_budget)
        ask = ModelCall(
            key=recollection_key(session.seat.slug, old[-1].ordinal),
            purpose=_ROLLING_SUMMARY,
            prompt=self._deps.book.render(_ROLLING_SUMMARY, values, session.run.id),
            seconds=ctx.config.timeouts.summary,
            models=self._deps.coordinators(session.run.guild_id),
            seat=session.seat.slug,
        )
        try:
            reply = await ctx.caller.ask(ask, lambda _: Reading())
        finally:
            await call_budget.close()
        if not reply.ok:
            _log.info("%s was not summarised: %s", session.seat.session_key, reply.problem)

    async def _tell(self, message_id: int, text: str) -> None:
        """A line of the bot's own below a question."""
        asked = await self._store.message(message_id)
        if asked is None or asked.run_id is None:
            return
        run_id = asked.run_id
        run = await self._deps.store.read(lambda conn: RunRepository(conn).require(run_id))
        post = Post(f"talk:{message_id}:closed", THE_BOT, text)
        ctx = RunContext(run, self._deps)
        ctx.mask = await self._deps.store.read(lambda conn: mask_of(conn, run))
        await ctx.say(post)


def _withdraw(conn: Connection, turn: Turn) -> None:
    """Take what people deleted or edited since the turn began out of what it has left so far."""
    run_id, _ = split_key(turn.seat)
    for line in turn.lines:
        if line.voice is Voice.PERSON:
            erase.withdraw_from_turn(conn, run_id, turn.key, line.text, line.source)


def _read(text: str) -> Reading:
    return Reading(parsed={"public": parse_followup(text).text})


def _said(session: Session, reply: CallResult) -> SpokenTurn:
    if reply.answer is None:
        raise TurnFailedError(TalkText.could_not_answer(session.seat.role, reply.problem))
    text = str(reply.answer.parsed["public"])
    return SpokenTurn(text or NO_REPLY, reply.answered_model or reply.model, session)


def _quote(line: TranscriptLine, *, visible: bool) -> Quote:
    first = line.message_ids[0] if line.voice is Voice.PANELIST else line.source
    return Quote(line.label or TalkText.SOMEBODY, line.text, first if visible else None)
