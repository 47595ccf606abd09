"""The outbox of posts: a part is stored here before it is sent, and marked when it was sent."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, update

from bot.store.errors import ConflictError, MissingRowError
from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.tables import NONCE_LIMIT, posts
from bot.store.vocabulary import Actor, PostKind, PostState


@dataclass(frozen=True, slots=True)
class PartRef:
    """The identity of a part: run, post and number."""

    run_id: str
    key: str
    part: int


@dataclass(frozen=True, slots=True)
class AttachmentRef:
    """A file of a part: its name, its source, and the description of a picture.

    The source is `artifact:art_…`, or `base64:art_…` for an artifact that holds bytes as base64.
    """

    name: str
    source: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class NewPart:
    """The text and files of one part; a later attempt sends the same bytes."""

    body: str
    attachments: tuple[AttachmentRef, ...] = ()


@dataclass(frozen=True, slots=True)
class PostPart:
    """One part of a post as stored; parts count from 1."""

    run_id: str
    key: str
    part: int
    position: int
    target_id: int
    kind: PostKind
    speaker: Mapping[str, str]
    body: str
    attachments: tuple[AttachmentRef, ...]
    nonce: str
    state: PostState
    message_id: int | None
    created_at: float
    attempted_at: float | None
    sent_at: float | None
    error: str

    @property
    def ref(self) -> PartRef:
        """The identity of this part."""
        return PartRef(self.run_id, self.key, self.part)


@dataclass(frozen=True, slots=True)
class PostOrigin:
    """The run, post and seat of a message; `seat` is empty for the bot itself."""

    run_id: str
    key: str
    seat: str


class PostRepository:
    """The parts of posts, with the state of each."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def enqueue(
        self,
        run_id: str,
        key: str,
        target_id: int,
        kind: PostKind,
        speaker: Mapping[str, str],
        parts: Sequence[NewPart],
        now: float,
    ) -> tuple[PostPart, ...]:
        """Store every part of a post, or return the parts it was split into before."""
        known = self.of_key(run_id, key)
        if known or not parts:
            return _retargeted(self._conn, known, target_id)
        common = {
            "run_id": run_id,
            "key": key,
            "position": _next_position(self._conn, run_id),
            "target_id": target_id,
            "kind": kind,
            "speaker": dict(speaker),
            "state": PostState.PENDING,
            "created_at": now,
            "error": "",
        }
        rows = [
            common | _part_row(run_id, key, number, part) for number, part in enumerate(parts, 1)
        ]
        self._conn.execute(posts.insert(), rows)
        return self.of_key(run_id, key)

    def of_key(self, run_id: str, key: str) -> tuple[PostPart, ...]:
        """Every part of a post, in order."""
        return _select(self._conn, posts.c.run_id == run_id, posts.c.key == key)

    def unsent(self, target_id: int | None = None) -> tuple[PostPart, ...]:
        """Parts that are pending or sending, in order, everywhere or in one place."""
        wanted: list[ColumnElement[bool]] = [
            posts.c.state.in_([PostState.PENDING, PostState.SENDING])
        ]
        if target_id is not None:
            wanted.append(posts.c.target_id == target_id)
        return _select(self._conn, *wanted)

    def mark_sending(self, ref: PartRef, now: float) -> PostPart:
        """Mark a part as being sent, again or for the first time."""
        part = _require(self._conn, ref)
        if part.state is PostState.SENT:
            raise ConflictError(f"{ref} is already out as message {part.message_id}")
        _change(self._conn, ref, state=PostState.SENDING, attempted_at=now, error="")
        return _require(self._conn, ref)

    def mark_sent(self, ref: PartRef, message_id: int, actor: Actor, now: float) -> bool:
        """Mark a part as sent, with its `post.sent` event; False when it was marked before."""
        part = _require(self._conn, ref)
        if part.state is PostState.SENT:
            if part.message_id != message_id:
                raise ConflictError(f"{ref} is out as message {part.message_id}, not {message_id}")
            return False
        _change(self._conn, ref, state=PostState.SENT, message_id=message_id, sent_at=now, error="")
        payload = {"message_id": message_id, "target_id": part.target_id}
        key = f"{ref.key}#{ref.part}"
        return events.append(self._conn, ref.run_id, EventType.POST_SENT, key, actor, payload, now)

    def mark_failed(self, ref: PartRef, error: str) -> None:
        """Mark a part as failed with a reason; a sent part cannot fail."""
        part = _require(self._conn, ref)
        if part.state is PostState.SENT:
            raise ConflictError(f"{ref} is already out as message {part.message_id}")
        _change(self._conn, ref, state=PostState.FAILED, error=error)

    def find_by_message_id(self, message_id: int) -> PostOrigin | None:
        """The run, post and seat of a visible message."""
        return _origin(self._conn, posts.c.message_id == message_id)

    def being_sent(self, target_id: int) -> PostOrigin | None:
        """Parts being sent to a channel or thread, which people may see before that is recorded."""
        return _origin(
            self._conn, posts.c.target_id == target_id, posts.c.state == PostState.SENDING
        )

    def newest_in(self, target_id: int) -> int:
        """The newest message the bot is known to have posted in a channel or thread, 0 for none."""
        query = select(func.max(posts.c.message_id)).where(posts.c.target_id == target_id)
        return int(self._conn.execute(query).scalar_one() or 0)


def nonce_of(run_id: str, key: str, part: int) -> str:
    """The nonce of a part: always the same for the same part, at most 25 characters."""
    digest = hashlib.blake2b(f"{run_id}:{key}:{part}".encode()).digest()
    return base64.b32encode(digest).decode().lower()[:NONCE_LIMIT]


def _get(conn: Connection, ref: PartRef) -> PostPart | None:
    """The part, or None."""
    found = _select(conn, *_same(ref))
    return found[0] if found else None


def _origin(conn: Connection, *wanted: ColumnElement[bool]) -> PostOrigin | None:
    said = select(posts.c.run_id, posts.c.key, posts.c.speaker).where(
        *wanted, posts.c.kind != PostKind.EDIT
    )
    row = conn.execute(said).first()
    return None if row is None else PostOrigin(row.run_id, row.key, row.speaker.get("seat", ""))


def _retargeted(
    conn: Connection, known: tuple[PostPart, ...], target_id: int
) -> tuple[PostPart, ...]:
    """Move unsent parts to the new thread of a run whose thread was deleted."""
    for part in known:
        if part.state is not PostState.SENT and part.target_id != target_id:
            _change(conn, part.ref, target_id=target_id, state=PostState.PENDING)
    return PostRepository(conn).of_key(known[0].run_id, known[0].key) if known else ()


def _part_row(run_id: str, key: str, number: int, part: NewPart) -> dict[str, Any]:
    return {
        "part": number,
        "body": part.body,
        "attachments": [asdict(attachment) for attachment in part.attachments],
        "nonce": nonce_of(run_id, key, number),
    }


def _next_position(conn: Connection, run_id: str) -> int:
    newest = select(func.coalesce(func.max(posts.c.position), 0)).where(posts.c.run_id == run_id)
    return int(conn.execute(newest).scalar_one()) + 1


def _same(ref: PartRef) -> tuple[ColumnElement[bool], ...]:
    return (posts.c.run_id == ref.run_id, posts.c.key == ref.key, posts.c.part == ref.part)


def _select(conn: Connection, *wanted: ColumnElement[bool]) -> tuple[PostPart, ...]:
    order = (posts.c.created_at, posts.c.run_id, posts.c.position, posts.c.part)
    rows = conn.execute(select(posts).where(*wanted).order_by(*order))
    return tuple(_part(row._asdict()) for row in rows)


def _part(values: dict[str, Any]) -> PostPart:
    files = tuple(AttachmentRef(**attachment) for attachment in values["attachments"])
    return PostPart(**values | {"attachments": files})


def _require(conn: Connection, ref: PartRef) -> PostPart:
    part = _get(conn, ref)
    if part is None:
        raise MissingRowError(f"there is no {ref}")
    return part


def _change(conn: Connection, ref: PartRef, **values: Any) -> None:
    conn.execute(update(posts).where(*_same(ref)).values(values))
