"""The stored context of a thread where a person talks to a panel."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.panels import PanelsConfig
from bot.record.masking import mask_of
from bot.store import EventType, Store
from bot.store.log import events
from bot.store.repositories.followups import FollowUp, FollowUpRepository
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.posts import PostOrigin, PostRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import Seat, SeatRepository
from bot.talk.admission import admit_question
from bot.talk.incoming import IncomingMessage
from bot.threads.threads import home_of
from bot.threads.turn import turn_key

_PROXY_SECONDS: Final = 15.0
"""The longest delay after which a proxy repeats a person's message."""


@dataclass(frozen=True, slots=True)
class ThreadContext:
    """A run, who sits there, and the panelist whose message was replied to."""

    run: Run
    panel: tuple[Seat, ...]
    replied: Seat | None = None

    @property
    def running(self) -> bool:
        """Whether the panel still meets."""
        return self.run.finished_at is None


def _context_of(conn: Connection, heard: IncomingMessage) -> ThreadContext | None:
    """The run a message can be about: that of the panelist replied to, or the thread's newest."""
    if heard.proxied and _repeats_a_person(conn, heard):
        return None
    replied = _seat_replied_to(conn, heard)
    if replied is not None:
        run = RunRepository(conn).require(replied.run_id)
        if home_of(run) == heard.channel_id:
            return ThreadContext(run, _panel_of(conn, run), replied)
    newest = RunRepository(conn).by_thread(heard.channel_id)
    return None if newest is None else ThreadContext(newest, _panel_of(conn, newest))


def _context_of_run(conn: Connection, run_id: str) -> ThreadContext | None:
    """A run and its panel."""
    run = RunRepository(conn).get(run_id)
    return None if run is None else ThreadContext(run, _panel_of(conn, run))


def _panel_of(conn: Connection, run: Run) -> tuple[Seat, ...]:
    """The panelists, under the names people see."""
    return mask_of(conn, run).seats(SeatRepository(conn).of_run(run.id))


def _repeats_a_person(conn: Connection, heard: IncomingMessage) -> bool:
    """Whether a proxy repeats a message that was already received from its author."""
    since = heard.created_at - _PROXY_SECONDS
    recent = InboundRepository(conn).since(heard.channel_id, since)
    return any(heard.text and heard.text in said.content for said in recent)


def _seat_behind(conn: Connection, message_id: int) -> Seat | None:
    """The panelist who wrote a message, also long ago and as one of several parts."""
    return _seat_of(conn, PostRepository(conn).find_by_message_id(message_id))


def _seat_replied_to(conn: Connection, heard: IncomingMessage) -> Seat | None:
    """The panelist whose message is replied to, even one whose sending is not confirmed yet."""
    if heard.reply_to is None:
        return None
    origin = PostRepository(conn).find_by_message_id(heard.reply_to)
    if origin is None and heard.replies_to_bot:
        origin = PostRepository(conn).being_sent(heard.channel_id)
    return _seat_of(conn, origin)


def _seat_of(conn: Connection, origin: PostOrigin | None) -> Seat | None:
    if origin is None or not origin.seat:
        return None
    panel = _panel_of(conn, RunRepository(conn).require(origin.run_id))
    return next((seat for seat in panel if seat.slug == origin.seat), None)


def _to_take_up(conn: Connection, since: float) -> tuple[FollowUp, ...]:
    """Questions without an answer; one to everybody is answered as soon as one seat spoke."""
    waiting = FollowUpRepository(conn).still_open(since)
    return tuple(asked for asked in waiting if not (asked.for_all and _answered(conn, asked)))


def _answered(conn: Connection, asked: FollowUp) -> bool:
    run_id = asked.message.run_id or ""
    keys = (turn_key(asked.message.message_id, seat) for seat in asked.seats)
    return any(events.find(conn, run_id, EventType.TURN_TAKEN, key) for key in keys)


@dataclass(frozen=True, slots=True)
class TalkStore:
    """The runs people talk about, what they asked, and which panelist wrote what."""

    store: Store

    async def context_of(self, heard: IncomingMessage) -> ThreadContext | None:
        """The run a message can be about."""
        return await self.store.read(lambda conn: _context_of(conn, heard))

    async def context_of_run(self, run_id: str) -> ThreadContext | None:
        """A run and its panel."""
        return await self.store.read(lambda conn: _context_of_run(conn, run_id))

    async def seat_behind(self, message_id: int) -> Seat | None:
        """The panelist who wrote a message, also long ago and in several parts."""
        return await self.store.read(lambda conn: _seat_behind(conn, message_id))

    async def newest_run(self, thread_id: int) -> Run | None:
        """The newest run of a thread."""
        return await self.store.read(lambda conn: RunRepository(conn).by_thread(thread_id))

    async def message(self, message_id: int) -> InboundMessage | None:
        """A person's message, if it was kept."""
        return await self.store.read(lambda conn: InboundRepository(conn).get(message_id))

    async def unanswered(self, since: float) -> tuple[FollowUp, ...]:
        """The questions that are still without an answer."""
        return await self.store.read(lambda conn: _to_take_up(conn, since))

    async def admit(self, heard: IncomingMessage, asked: FollowUp, config: PanelsConfig) -> bool:
        """Admit and store a question; False when it was stored before, raises if refused."""
        now = self.store.now()

        def work(conn: Connection) -> bool:
            if FollowUpRepository(conn).was_heard(asked.message.message_id):
                return False
            admit_question(conn, heard, config, now)
            return FollowUpRepository(conn).hear(asked, now)

        return await self.store.write(work)

    async def note(self, message: InboundMessage) -> bool:
        """Store a message that reaches the panel in its next round; False when stored before."""
        now = self.store.now()
        return await self.store.write(lambda conn: InboundRepository(conn).remember(message, now))

    async def close(self, message_ids: Sequence[int], reason: str, *, answered: bool) -> None:
        """Close questions as answered, or as never to be answered."""
        now = self.store.now()
        await self.store.write(
            lambda conn: FollowUpRepository(conn).close(message_ids, reason, now, answered=answered)
        )
