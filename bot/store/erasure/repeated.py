"""The rows of a run in which somebody's words may be repeated, read whatever state they are in."""

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

# Each table with its columns of prose, and the one that says from when on they are.
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
"""What is written by models and programs that hear people."""
MADE: Final[tuple[_Columns, ...]] = (
    (t.posts, ("body",), "created_at"),
    (t.artifacts, ("content",), "created_at"),
    (t.reviews, ("summary", "findings"), "created_at"),
)
"""What is made of that by code, or by models that hear nobody."""
_DEAF: Final = ("build:", "gate:", "spec-review:")
"""How the keys of answers begin whose prompts hold nothing of what people said."""


@dataclass(frozen=True, slots=True)
class Row:
    """Columns of one row; `first_hand` if its writer may have heard people."""

    table: Table
    key: Mapping[str, Any]
    values: Mapping[str, Any]
    begun: float
    first_hand: bool


class _Damaged(str):
    """A document that cannot be read, as the text it is."""

    __slots__ = ()


def rows_of(conn: Connection, run_id: str, asked: Collection[int]) -> Iterator[Row]:
    """Every row of a run that may repeat people, but none that holds their own words.

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
    """Columns of a run's rows; a document that cannot be read is the text that it is."""
    wanted = [table.c[name] for name in more] + [raw(conn, table, name) for name in names]
    documents = {name for name in names if isinstance(table.c[name].type, Document)}
    for row in conn.execute(select(*wanted).where(table.c.run_id == run_id)).all():
        found = dict(zip([*more, *names], row, strict=True))
        yield found | {name: opened(found[name]) for name in documents}


def raw(conn: Connection, table: Table, name: str) -> Any:
    """A column as it is stored, for a document may be damaged."""
    column = table.c[name]
    is_text = isinstance(column.type, Document) and conn.dialect.name != "postgresql"
    return type_coerce(column, Text()).label(name) if is_text else column


def opened(document: Any) -> Any:
    """A document as far as it can be read."""
    if not isinstance(document, str):
        return document
    try:
        return json.loads(document)
    except ValueError:
        return _Damaged(document)


def clean(conn: Connection, row: Row, own: frozenset[Phrase]) -> None:
    """Take phrases out of the prose of a row."""
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
    """When rows were begun that do not say so: an answer with its call, a finding with its event.

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
    """The keys of rows that hold people's own words: what was heard of them, wishes and edits."""
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
