"""Inbound messages of people, stored by Discord id before they are answered."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select, update

from bot.store.rows import insert_new, row_of
from bot.store.tables import inbound
from bot.store.vocabulary import InboundKind

_DISCORD_EPOCH_MS = 1_420_070_400_000
_QUERY = select(*(column for column in inbound.columns if column.name != "seen_at"))
_LATER = _QUERY.where(
    inbound.c.run_id == bindparam("run_id"), inbound.c.message_id > bindparam("after_id")
).order_by(inbound.c.message_id)
_OF_KIND = _LATER.where(inbound.c.kind == bindparam("kind"))


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A message a person wrote; `content` is empty once erased."""

    message_id: int
    channel_id: int
    guild_id: int
    author_id: int
    content: str
    created_at: float
    kind: InboundKind = InboundKind.OTHER
    run_id: str | None = None


class InboundRepository:
    """The messages of people, each stored once."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def remember(self, message: InboundMessage, now: float) -> bool:
        """Store a message; False when it was stored before."""
        return insert_new(
            self._conn, inbound, row_of(message, inbound) | {"seen_at": now}, "message_id"
        )

    def get(self, message_id: int) -> InboundMessage | None:
        """The message, or None."""
        row = self._conn.execute(_QUERY.where(inbound.c.message_id == message_id)).first()
        return None if row is None else InboundMessage(**row._asdict())

    def of_run(
        self, run_id: str, kind: InboundKind | None = None, after_id: int = 0
    ) -> tuple[InboundMessage, ...]:
        """The run's messages in the order people wrote them, such as all "from the floor"."""
        query = _LATER if kind is None else _OF_KIND
        wanted = {"run_id": run_id, "after_id": after_id, "kind": kind}
        return tuple(InboundMessage(**row) for row in self._conn.execute(query, wanted).mappings())

    def newest_of_run(self, run_id: str) -> int:
        """The id of the run's newest message, 0 when there is none."""
        query = select(func.max(inbound.c.message_id)).where(inbound.c.run_id == run_id)
        return int(self._conn.execute(query).scalar_one() or 0)

    def since(self, channel_id: int, moment: float) -> tuple[InboundMessage, ...]:
        """The messages in a channel since a time, in order."""
        newer = inbound.c.message_id >= first_id_since(moment)
        query = _QUERY.where(newer, inbound.c.channel_id == channel_id)
        rows = self._conn.execute(query.order_by(inbound.c.message_id))
        return tuple(InboundMessage(**row._asdict()) for row in rows)

    def of_author(self, author_id: int) -> tuple[InboundMessage, ...]:
        """Every message of a person whose text is still stored, oldest first."""
        said = (inbound.c.author_id == author_id, inbound.c.content != "")
        rows = self._conn.execute(_QUERY.where(*said).order_by(inbound.c.message_id))
        return tuple(InboundMessage(**row._asdict()) for row in rows)

    def wrote(self, author_id: int) -> bool:
        """Whether the text of any message of a person is still stored."""
        said = (inbound.c.author_id == author_id, inbound.c.content != "")
        return (
            self._conn.execute(select(inbound.c.message_id).where(*said).limit(1)).first()
            is not None
        )

    def assign(self, message_id: int, run_id: str, kind: InboundKind) -> bool:
        """Set the run and the kind of a message; False when it is unknown."""
        return _change(self._conn, message_id, run_id=run_id, kind=kind)

    def edit(self, message_id: int, content: str, now: float) -> bool:
        """Store the new text of an edited message, as seen now; False when it is unknown."""
        return _change(self._conn, message_id, content=content, seen_at=now)

    def erase(self, message_id: int) -> bool:
        """Erase the text of a message, not that it was seen; False when it is unknown."""
        return _change(self._conn, message_id, content="")

    def erase_run(self, run_id: str) -> int:
        """Erase the texts of a run's messages, not that they were seen."""
        return self._conn.execute(
            update(inbound).where(inbound.c.run_id == run_id).values(content="")
        ).rowcount


def first_id_since(moment: float) -> int:
    """The smallest id of a message of that time; Discord's ids begin with the time."""
    return max(0, int(moment * 1000) - _DISCORD_EPOCH_MS) << 22


def _change(conn: Connection, message_id: int, **values: object) -> bool:
    change = update(inbound).where(inbound.c.message_id == message_id).values(values)
    return bool(conn.execute(change).rowcount)
