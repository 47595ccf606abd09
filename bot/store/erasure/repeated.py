"""The rows of a run that may repeat a person's words, readable even if damaged."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Table, Text, func, literal, select, type_coerce, update

from bot.store import tables as t
from bot.store.erasure.quotes import Phrase, without_quotes, without_quotes_in_document
from bot.store.log.events import EventType
from bot.store.tables.types import Document
from bot.store.vocabulary import TurnVoice

# Each table with its prose columns and the column that says when they were written.
_Columns = tuple[Table, tuple[str, ...], str]
HEARD: Final[tuple[_Columns, ...]] = (
    (t.answers, ("text", "digest", "parsed"), "created_at"),
    (t.turns, ("text",), "created_at"),
    (t.calls, ("error_text",), "started_at"),
    (t.attempts, ("error_summary",), "started_at"),
    (t.speeches, ("content",), "created_at"),
    (t.findings, ("text",), ""),
    (t.discussions, ("conclusion",), ""),
)
"""Tables written by models and programs that read people's messages."""
MADE: Final[tuple[_Columns, ...]] = (
    (t.posts, ("body",), "created_at"),
    (t.artifacts, ("content",), "created_at"),
    (t.reviews, ("summary", "findings"), "created_at"),
)
"""Tables derived from those by code, or by models that read no messages of people."""
_DEAF: Final = ("build:", "gate:", "spec-review:")
"""Prefixes of the keys of answers whose prompts hold no messages of people."""


@dataclass(frozen=True, slots=True)
class Row:
    """Columns of one row; `first_hand` if its writer may have read people's messages."""

    table: Table
    key: Mapping[str, Any]
    values: Mapping[str, Any]
    begun: float
    first_hand: bool


class _Damaged(str):
    """An unreadable document, as raw text."""

    __slots__ = ()


def rows_of(conn: Connection, run_id: str, asked: Collection[int]) -> Iterator[Row]:
    """Every row of a run that may repeat people's words, except those that hold them first-hand.

    A post that answers one of the messages `asked` begins with a quote of it.
    """
    peoples = _written_by_people(conn, run_id)
    quoting = tuple(f"talk:{message_id}:" for message_id in asked)
    for kinds, hears in ((HEARD, True), (MADE, False)):
        for table, names, when in kinds:
            begun = _begun(conn, table, run_id)
            keys = [column.name for column in table.primary_key.columns]
            for found in values_of(conn, table, names, run_id, [*keys, *([when] if when else [])]):
                key = {name: found[name] for name in keys}
                if (table.name, *key.values()) in peoples:
                    continue
                name = str(key.get("key", key.get("round", run_id)))
                first_hand = name.startswith(quoting) or (hears and not name.startswith(_DEAF))
                moment = begun.get(name, found.get(when, 0.0))
                values = {name: found[name] for name in names}
                yield Row(table, key, values, moment, first_hand)


def values_of(
    conn: Connection, table: Table, names: Sequence[str], run_id: str, more: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Columns of a run's rows; an unreadable document is returned as raw text."""
    wanted = [table.c[name] for name in more] + [raw(conn, table, name) for name in names]
    documents = {name for name in names if isinstance(table.c[name].type, Document)}
    for row in conn.execute(select(*wanted).where(table.c.run_id == run_id)).all():
        found = dict(zip([*more, *names], row, strict=True))
        yield found | {name: opened(found[name]) for name in documents}


def raw(conn: Connection, table: Table, name: str) -> Any:
    """A column as it is stored, because a document may be damaged."""
    column = table.c[name]
    is_text = isinstance(column.type, Document) and conn.dialect.name != "postgresql"
    return type_coerce(column, Text()).label(name) if is_text else column


def opened(document: Any) -> Any:
    """A document, parsed as far as possible."""
    if not isinstance(document, str):
        return document
    try:
        return json.loads(document)
    except ValueError:
        return _Damaged(document)


def clean(conn: Connection, row: Row, own: frozenset[Phrase]) -> None:
    """Remove phrases from the prose of a row."""
    new = {name: _cleaned(row.table, name, value, own) for name, value in row.values.items()}
    if row.table is t.artifacts:
        data = new["content"].encode()
        new |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    same = [row.table.c[name] == value for name, value in row.key.items()]
    conn.execute(update(row.table).where(*same).values(new))


def _cleaned(table: Table, name: str, value: Any, own: frozenset[Phrase]) -> Any:
    if isinstance(value, _Damaged):
        return literal(without_quotes(str(value), own), Text())
    if isinstance(table.c[name].type, Document):
        return without_quotes_in_document(value, own)
    return without_quotes(value, own)


def _begun(conn: Connection, table: Table, run_id: str) -> dict[str, float]:
    """When rows that do not say so were begun: answers with their call, findings with an event.

    An answer to a question that was asked before a message cannot repeat it.
    """
    if table is t.answers:
        asked = select(t.calls.c.key, func.min(t.calls.c.started_at).label("moment"))
        calls = asked.where(t.calls.c.run_id == run_id).group_by(t.calls.c.key)
        found = {row.key: row.moment for row in conn.execute(calls)}
        return found | {f"{key}:late": moment for key, moment in found.items()}
    if table is t.findings:
        noted = (t.events.c.run_id == run_id, t.events.c.type == EventType.FINDINGS_RECORDED)
        query = select(t.events.c.key, t.events.c.created_at).where(*noted)
        return {row.key: row.created_at for row in conn.execute(query)}
    if table is t.discussions:
        ended = select(t.runs.c.finished_at).where(t.runs.c.id == run_id)
        return {run_id: conn.execute(ended).scalar() or 0.0}
    return {}


def _written_by_people(conn: Connection, run_id: str) -> set[tuple[Any, ...]]:
    """The keys of rows that hold people's own text: received messages, wishes and edits."""
    heard = select(t.turns.c.run_id, t.turns.c.seat, t.turns.c.ordinal).where(
        t.turns.c.run_id == run_id,
        t.turns.c.voice == TurnVoice.HEARD,
        t.turns.c.message_id.in_(select(t.inbound.c.message_id)),
    )
    peoples: set[tuple[Any, ...]] = {(t.turns.name, *row) for row in conn.execute(heard)}
    wished = t.artifacts.c.name.like("spec-v%-wish.md")
    wishes = select(t.artifacts.c.id).where(t.artifacts.c.run_id == run_id, wished)
    peoples |= {(t.artifacts.name, row.id) for row in conn.execute(wishes)}
    drafted = (t.events.c.run_id == run_id, t.events.c.type == EventType.SPEC_DRAFTED)
    for payload in conn.execute(select(raw(conn, t.events, "payload")).where(*drafted)).scalars():
        draft = opened(payload)
        if isinstance(draft, dict) and str(draft.get("by", "")).isdigit():
            peoples.add((t.artifacts.name, draft.get("artifact")))
    return peoples
