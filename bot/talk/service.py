"""Entry point of the talk: everything people say to panelists arrives here."""

import enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from bot.access.admission import Asker, may_stop
from bot.errors import NotAllowedError, UsageError
from bot.floor import (
    Archived,
    Decision,
    FloorSeat,
    Human,
    IgnoreReason,
    Nothing,
    Observed,
    Queued,
    Quiet,
    Reopened,
    Stop,
)
from bot.meeting.dependencies import Dependencies
from bot.messages.talk import TalkText
from bot.panels import PanelsConfig
from bot.store import InboundKind
from bot.store.repositories.followups import FollowUp
from bot.store.repositories.inbound import InboundMessage
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import Seat as StoredSeat
from bot.talk.admission import Refusals
from bot.talk.incoming import NOBODY, Address, IncomingMessage, address_of
from bot.talk.thread_context import TalkStore, ThreadContext
from bot.threads.driver import ThreadDriver
from bot.threads.threads import floor_seats, home_of, open_floor
from bot.threads.turn import split_key

if TYPE_CHECKING:
    from bot.talk.panelists import Panelists

_RECALLED_SECONDS: Final = 24 * 3600.0
"""Questions that a restart left unanswered are answered when they are no older than this."""


class Ack(enum.StrEnum):
    """The reaction that confirms a message was received."""

    NONE = ""
    HEARD = "👂"
    WAITS = "⏳"
    FULL = "🈵"


class TalkService:
    """Hears people, and lets the panelists they address answer."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._store = TalkStore(deps.store)
        self._threads = deps.threads
        self._refusals = Refusals()

    def is_from_a_person(self, heard: IncomingMessage) -> bool:
        """Whether a person wrote a message, or a bot that may speak for people in the server."""
        return heard.speaks_for_a_person(self._config(heard).trigger.proxy_bot_ids)

    async def hear(self, heard: IncomingMessage) -> Ack:
        """Handle a person's message; the same message is handled once, however often it comes."""
        if not heard.may_concern_a_panel():
            return Ack.NONE
        context = await self._store.context_of(heard)
        if context is None:
            return Ack.NONE
        address, noted = self._address(context, heard), _is_noted(context, heard)
        if not address and not noted:
            self._threads.note(heard.channel_id, _between_people(heard))
            return Ack.NONE
        kind = InboundKind.FLOOR if noted else InboundKind.FOLLOW_UP
        asked = FollowUp(_inbound(heard, context.run.id, kind), address.seats, address.for_all)
        if not address or (noted and address.for_all):
            return Ack.HEARD if await self._store.note(asked.message) else Ack.NONE
        try:
            if not await self._store.admit(heard, asked, self._config(heard)):
                return Ack.NONE
        except NotAllowedError:
            # Tell only people who addressed the panel, and not after every message.
            if _is_meant(address, heard) and self._refusals.is_news(heard, self._deps.store.now()):
                raise
            return Ack.NONE
        return _acknowledged(self._ask(context, asked, heard.author), noted=noted)

    async def ask(self, heard: IncomingMessage, seat_key: str) -> str:
        """Put a question from a form to one seat; returns what to tell the person."""
        run_id, slug = split_key(seat_key)
        context = await self._store.context_of_run(run_id)
        role = next((s.role for s in context.panel if s.slug == slug), "") if context else ""
        if context is None or not role or context.run.guild_id != heard.guild_id:
            raise UsageError(TalkText.NOT_STORED)
        message = _inbound(heard, run_id, InboundKind.FOLLOW_UP)
        asked = FollowUp(message, (seat_key,), visible=False)
        await self._store.admit(heard, asked, self._config(heard))
        reply = self._ask(context, asked, heard.author)
        if _acknowledged(reply, noted=False) is Ack.FULL:
            raise UsageError(TalkText.TOO_MANY_WAIT)
        return TalkText.will_answer(role, home_of(context.run), waits=isinstance(reply, Queued))

    async def panel_of(self, run_id: str) -> tuple[FloorSeat, ...]:
        """Whom people may ask about a run."""
        panel = floor_seats(await self._panel(run_id))
        if not panel:
            raise UsageError(TalkText.NO_PANELISTS)
        return panel

    async def author_of(self, message_id: int) -> FloorSeat:
        """The panelist who wrote a message, also long ago and in several parts."""
        seat = await self._store.seat_behind(message_id)
        if seat is None:
            raise UsageError(TalkText.NO_SEAT)
        return FloorSeat(seat.session_key, seat.role)

    async def wrote(self, message_id: int) -> bool:
        """Whether a panelist wrote a message."""
        return await self._store.seat_behind(message_id) is not None

    async def quiet(self, channel_id: int) -> str:
        """Silence the panel until a person speaks; returns what to tell the person."""
        run = await self._require_run(channel_id)
        panel = await self._panel(run.id)
        self._open(run, panel).tell(Quiet())
        return TalkText.QUIET

    async def stop(self, channel_id: int, asker: Asker) -> str:
        """End the exchange in a thread at once; returns what to tell the person."""
        live = self._threads.live(channel_id)
        run = await self._store.newest_run(channel_id)
        if live is None or run is None:
            raise UsageError(TalkText.NOT_RUNNING)
        if not may_stop(asker, run.starter_id, self._deps.config(run.guild_id).trigger):
            raise NotAllowedError(TalkText.MAY_NOT_STOP)
        live.tell(Stop())
        return TalkText.STOPPED

    def archived(self, thread_id: int, *, archived: bool) -> None:
        """A thread was archived, which ends its talk, or opened again."""
        self._threads.note(thread_id, Archived() if archived else Reopened())

    async def observed(self, thread_id: int, message_id: int) -> None:
        """The echo of a message that a webhook or the bot itself sent."""
        live = self._threads.live(thread_id)
        if live is not None:
            seat = await self._store.seat_behind(message_id)
            live.tell(Observed(message_id, seat.session_key if seat else None))

    async def thread_deleted(self, thread_id: int) -> None:
        """A thread was deleted: stop its floor."""
        await self._threads.drop(thread_id)

    async def recover(self, server: int | None = None) -> int:
        """Answer what a restart left open, or that of a server; returns how many there were."""
        waiting = [
            asked
            for asked in await self._waiting()
            if server is None or asked.message.guild_id == server
        ]
        # Everything is read first, so that whoever tries again after an error asks nobody twice.
        contexts = [await self._store.context_of_run(a.message.run_id or "") for a in waiting]
        for asked, context in zip(waiting, contexts, strict=True):
            if context is not None:
                self._ask(context, asked, "")
        return len(waiting)

    async def give_up_waiting(self, reason: str) -> None:
        """Close questions of an earlier process whose thread is gone, in the store only."""
        ids = [asked.message.message_id for asked in await self._waiting()]
        if ids:
            await self._store.close(ids, reason, answered=False)

    async def idle(self) -> None:
        """Wait until nothing happens in any thread."""
        await self._threads.at_rest()

    async def close(self) -> None:
        """Leave every thread as it is; the next start resumes open questions."""
        await self._threads.close()

    async def _panel(self, run_id: str) -> tuple[StoredSeat, ...]:
        context = await self._store.context_of_run(run_id)
        return context.panel if context else ()

    async def _waiting(self) -> tuple[FollowUp, ...]:
        since = self._deps.store.now() - _RECALLED_SECONDS
        return await self._store.unanswered(since)

    def _config(self, heard: IncomingMessage) -> PanelsConfig:
        return self._deps.config(heard.guild_id)

    def _address(self, context: ThreadContext, heard: IncomingMessage) -> Address:
        if context.replied is None and context.run.thread_id != heard.channel_id:
            return NOBODY
        config = self._deps.config(context.run.guild_id)
        return address_of(
            heard,
            context.replied.session_key if context.replied else None,
            floor_seats(context.panel),
            open_always=config.followups.open_floor == "always",
        )

    def _ask(self, context: ThreadContext, asked: FollowUp, author: str) -> Decision:
        message = asked.message
        return self._open(context.run, context.panel).tell(
            Human(
                message.message_id,
                message.author_id,
                author,
                message.content,
                asked.seats,
                asked.for_all,
            )
        )

    @cached_property
    def _panelists(self) -> "Panelists":
        from bot.talk.panelists import Panelists  # noqa: PLC0415 (slow, for the first question)

        return Panelists(self._deps)

    def _open(self, run: Run, panel: tuple[StoredSeat, ...]) -> ThreadDriver:
        self._threads.serve(self._panelists)
        return open_floor(self._threads, self._deps.config(run.guild_id), run, panel)

    async def _require_run(self, channel_id: int) -> Run:
        run = await self._store.newest_run(channel_id)
        if run is None:
            raise UsageError(TalkText.NO_PANEL)
        return run


def _is_noted(context: ThreadContext, heard: IncomingMessage) -> bool:
    """Whether a message reaches the panel in its next round, because it still meets (2.2#37)."""
    return context.running and context.run.thread_id == heard.channel_id


def _is_meant(address: Address, heard: IncomingMessage) -> bool:
    """Whether somebody spoke to the panel, and not only where it listens to everything."""
    return heard.mentions_bot or not address.for_all


def _between_people(heard: IncomingMessage) -> Human:
    return Human(heard.message_id, heard.author_id, heard.author, heard.text)


def _inbound(heard: IncomingMessage, run_id: str, kind: InboundKind) -> InboundMessage:
    return InboundMessage(
        message_id=heard.message_id,
        channel_id=heard.channel_id,
        guild_id=heard.guild_id,
        author_id=heard.author_id,
        content=heard.text,
        created_at=heard.created_at,
        kind=kind,
        run_id=run_id,
    )


def _acknowledged(reply: Decision, *, noted: bool) -> Ack:
    if isinstance(reply, Queued):
        return Ack.WAITS
    if isinstance(reply, Nothing) and reply.reason is IgnoreReason.QUEUE_FULL:
        return Ack.FULL
    return Ack.HEARD if noted else Ack.NONE
