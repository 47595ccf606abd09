"""Follow-ups: people's questions to panelists, from receipt until they are answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Text, cast, exists, select

from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.repositories import inbound as messages
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.tables import events as event_table
from bot.store.tables import inbound
from bot.store.vocabulary import Actor


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question and the seats it is for; `visible` unless it was asked through a form."""

    message: InboundMessage
    seats: tuple[str, ...]
    for_all: bool = False
    visible: bool = True


class FollowUpRepository:
    """The follow-ups of runs, kept as inbound messages and events."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def hear(self, asked: FollowUp, now: float) -> bool:
        """Store a message to panelists; False when it was stored before."""
        message = asked.message
        if message.run_id is None or not InboundRepository(self._conn).remember(message, now):
            return False
        payload = {"seats": asked.seats, "for_all": asked.for_all, "visible": asked.visible}
        key, heard = str(message.message_id), EventType.FOLLOWUP_HEARD
        return events.append(self._conn, message.run_id, heard, key, Actor.HUMAN, payload, now)

    def was_heard(self, message_id: int) -> bool:
        """Whether a message was stored before, because Discord may deliver it twice."""
        return InboundRepository(self._conn).get(message_id) is not None

    def last_heard(self, guild_id: int, author_id: int) -> float | None:
        """When a person last asked a panel in a server, or None."""
        said = (inbound.c.author_id == author_id, inbound.c.guild_id == guild_id)
        asked = exists().where(*_same(EventType.FOLLOWUP_HEARD))
        newest = inbound.c.message_id.desc()
        query = select(inbound.c.seen_at).where(*said, asked).order_by(newest).limit(1)
        moment: float | None = self._conn.execute(query).scalar_one_or_none()
        return moment

    def is_visible(self, run_id: str, message_id: int) -> bool:
        """Whether a message is visible in the thread, so that it can be linked."""
        payload = events.find(self._conn, run_id, EventType.FOLLOWUP_HEARD, str(message_id))
        return payload is None or bool(payload["visible"])

    def close(self, message_ids: Sequence[int], reason: str, now: float, *, answered: bool) -> None:
        """Close questions as answered, or with the reason why they will not be."""
        for message_id in message_ids:
            message = InboundRepository(self._conn).get(message_id)
            if message is None or message.run_id is None:
                continue
            payload = {"reason": reason, "answered": answered}
            key, closed = str(message_id), EventType.FOLLOWUP_CLOSED
            events.append(self._conn, message.run_id, closed, key, Actor.ORCHESTRATOR, payload, now)

    def still_open(self, since: float) -> tuple[FollowUp, ...]:
        """The unanswered questions since a time, oldest first."""
        first = messages.first_id_since(since)
        heard = _same(EventType.FOLLOWUP_HEARD)
        query = (
            select(inbound.c.message_id)
            .where(inbound.c.message_id >= first, exists().where(*heard))
            .where(~exists().where(*_same(EventType.FOLLOWUP_CLOSED)))
            .order_by(inbound.c.message_id)
        )
        found = (
            _follow_up(self._conn, number) for number in self._conn.execute(query).scalars().all()
        )
        return tuple(entry for entry in found if entry is not None)


def _same(type_: EventType) -> tuple[ColumnElement[bool], ...]:
    return (
        event_table.c.run_id == inbound.c.run_id,
        event_table.c.type == type_.value,
        event_table.c.key == cast(inbound.c.message_id, Text),
    )


def _follow_up(conn: Connection, message_id: int) -> FollowUp | None:
    message = InboundRepository(conn).get(message_id)
    if message is None or message.run_id is None or not message.content:
        return None
    key = str(message_id)
    payload = events.find(conn, message.run_id, EventType.FOLLOWUP_HEARD, key)
    if payload is None:
        return None
    return FollowUp(message, tuple(payload["seats"]), payload["for_all"], payload["visible"])
