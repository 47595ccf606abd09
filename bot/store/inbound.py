"""Inbound: messages of people, remembered by Discord id before anything answers them."""

from dataclasses import dataclass

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from bot.store.rows import row_of
from bot.store.tables import inbound
from bot.store.vocabulary import InboundKind


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


def remember(conn: Connection, message: InboundMessage, now: float) -> bool:
    """Store a message; True only the first time it is seen."""
    if get(conn, message.message_id) is not None:
        return False
    try:
        with conn.begin_nested():
            conn.execute(inbound.insert(), row_of(message, inbound) | {"seen_at": now})
    except IntegrityError:
        if get(conn, message.message_id) is None:
            raise
        return False
    return True


def get(conn: Connection, message_id: int) -> InboundMessage | None:
    """The message, or None."""
    row = conn.execute(_QUERY.where(inbound.c.message_id == message_id)).first()
    return None if row is None else InboundMessage(**row._asdict())


def of_run(
    conn: Connection, run_id: str, kind: InboundKind | None = None, after_id: int = 0
) -> tuple[InboundMessage, ...]:
    """The run's messages in the order people wrote them, such as all "from the floor"."""
    query = _QUERY.where(inbound.c.run_id == run_id, inbound.c.message_id > after_id)
    if kind is not None:
        query = query.where(inbound.c.kind == kind)
    return tuple(
        InboundMessage(**row._asdict())
        for row in conn.execute(query.order_by(inbound.c.message_id))
    )


def ids_of_author(conn: Connection, author_id: int) -> tuple[int, ...]:
    """Every message a person wrote that was seen, for forgetting that person."""
    query = select(inbound.c.message_id).where(inbound.c.author_id == author_id)
    return tuple(conn.execute(query.order_by(inbound.c.message_id)).scalars())


def assign(conn: Connection, message_id: int, run_id: str, kind: InboundKind) -> bool:
    """Say which run a message belongs to and what it was; False when it is unknown."""
    return _change(conn, message_id, run_id=run_id, kind=kind)


def edit(conn: Connection, message_id: int, content: str) -> bool:
    """Keep only the newest wording of an edited message; False when it is unknown."""
    return _change(conn, message_id, content=content)


def erase(conn: Connection, message_id: int) -> bool:
    """Forget what a message said, not that it was seen; False when it is unknown."""
    return _change(conn, message_id, content="")


_QUERY = select(*(column for column in inbound.columns if column.name != "seen_at"))


def _change(conn: Connection, message_id: int, **values: object) -> bool:
    change = update(inbound).where(inbound.c.message_id == message_id).values(values)
    return bool(conn.execute(change).rowcount)
