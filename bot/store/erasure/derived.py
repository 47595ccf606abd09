"""Erases repetitions of a person's words from what a run produced.

Erased are sequences of five words or more that the person said first and that models repeated after
they could have read them, and nothing else:

- what is in the topic, the design, the roles, the request or the search is never the person's, nor
  is what anybody said, wrote or posted before, here or in the newest answers of other runs, nor
  what the prompts themselves say;
- what code derives from answers, or what models write that read no messages of people, loses only
  what those repeated who may have read the person;
- keys, options, roles, requests, other people's words and every field that is not prose
  (`quotes.TEXTS`) stay as they are, so that a record can be read as before.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, Table, func, select, update

from bot.store import tables as t
from bot.store.erasure.quotes import FORGOTTEN, Phrase, phrases_of, quoted_in
from bot.store.erasure.repeated import Row, clean, opened, raw, rows_of, values_of
from bot.store.log.events import EventType
from bot.store.vocabulary import InboundKind

STANDING: Final[tuple[tuple[Table, tuple[str, ...]], ...]] = (
    (t.designs, ("texts",)),
    (t.seats, ("role", "perspective", "task")),
    (t.discussions, ("context", "link")),
    (t.participants, ("role", "perspective", "display_name")),
)
"""What no speaker of a run has written, beside its topic, its request and its search."""
_CONTEXT: Final = "context"
"""The key of the answer that holds the conclusion a run was given as context."""
_ALWAYS: Final = -math.inf
_NEWEST_ANSWERS: Final = 200


@dataclass(frozen=True, slots=True)
class Said:
    """What a person said, when the bot saw it, and from when on a model can have read it."""

    text: str
    said_at: float
    heard_at: float
    message_id: int = 0


class _Moments(dict[Phrase, float]):
    """The earliest moment of each phrase."""

    def note(self, phrases: Iterable[Phrase], moment: float) -> None:
        for phrase in phrases:
            self[phrase] = min(moment, self.get(phrase, math.inf))


def said_by(conn: Connection, message: Any) -> Said:
    """What a row of `inbound` said; a message from the floor is read by the next step."""
    heard_at = float(message.seen_at)
    if message.kind is InboundKind.FLOOR and not _is_read_at_once(conn, message):
        heard_at = _taken_in(conn, message)
    return Said(message.content, message.seen_at, heard_at, message.message_id)


def heard_in_call(conn: Connection, run_id: str, key: str, text: str, message_id: int) -> Said:
    """What a person said in the prompt of the call with that key."""
    same = (t.calls.c.run_id == run_id, t.calls.c.key == key)
    began = conn.execute(select(func.min(t.calls.c.started_at)).where(*same)).scalar() or 0.0
    return Said(text, began, began, message_id)


def _take_out_of_run(
    conn: Connection, run_id: str, said: Sequence[Said], usual: Iterable[str] = ()
) -> None:
    """Replace repetitions of a person's words; texts in `usual`, as of prompts, are nobody's.

    The words themselves must be erased from the store by then, or they count as said before.
    """
    phrases = phrases_of(one.text for one in said)
    if phrases:
        rows = tuple(rows_of(conn, run_id, [one.message_id for one in said if one.message_id]))
        _take_out(conn, run_id, said, (*usual,), rows, _found(rows, phrases))


def _take_out_of_heir(
    conn: Connection, run_id: str, began: float, said: Sequence[Said], usual: Iterable[str] = ()
) -> None:
    """Do the same in a run that builds on another, for phrases in the conclusion it was given."""
    phrases = phrases_of(one.text for one in said)
    if phrases:
        rows = tuple(rows_of(conn, run_id, ()))
        phrases = frozenset().union(*_found([r for r in rows if _is_context(r)], phrases))
        later = [replace(one, heard_at=began) for one in said]
        _take_out(conn, run_id, later, (*usual,), rows, _found(rows, phrases))


def _take_out(
    conn: Connection,
    run_id: str,
    said: Sequence[Said],
    usual: Sequence[str],
    rows: Sequence[Row],
    found: Sequence[frozenset[Phrase]],
) -> None:
    first_hand = [some for row, some in zip(rows, found, strict=True) if row.first_hand]
    repeated: frozenset[Phrase] = frozenset().union(*first_hand)
    if not repeated:
        return
    written = _Moments()
    for row, some in zip(rows, found, strict=True):
        written.note(some & repeated, row.begun)
    own = _first_said(conn, run_id, said, written, usual)
    for row, some in zip(rows, found, strict=True):
        if some & own:
            clean(conn, row, own)


def _first_said(
    conn: Connection,
    run_id: str,
    said: Sequence[Said],
    written: Mapping[Phrase, float],
    usual: Sequence[str],
) -> frozenset[Phrase]:
    """The phrases that occur in the run's output and that nobody used before the person."""
    phrases = frozenset(written)
    spoken, heard, known = _Moments(), _Moments(), _Moments()
    for one in said:
        some = quoted_in(one.text, phrases)
        spoken.note(some, one.said_at)
        heard.note(some, one.heard_at)
    for text, moment in _known(conn, run_id, max(spoken.values(), default=0.0)):
        known.note(quoted_in(text, phrases), moment)
    return frozenset(
        phrase
        for phrase in phrases - quoted_in(usual, phrases)
        if written[phrase] >= heard[phrase] and known.get(phrase, math.inf) >= spoken[phrase]
    )


def _known(conn: Connection, run_id: str, until: float) -> Iterator[tuple[Any, float]]:
    """Phrases known before a person says anything, and what others wrote until then."""
    run = conn.execute(select(t.runs.c.topic, t.runs.c.request).where(t.runs.c.id == run_id)).one()
    yield [run.topic, run.request], _ALWAYS
    for table, names in STANDING:
        for values in values_of(conn, table, names, run_id):
            yield list(values.values()), _ALWAYS
    searched = (t.events.c.run_id == run_id, t.events.c.type == EventType.SEARCH_DONE)
    for payload in conn.execute(select(raw(conn, t.events, "payload")).where(*searched)).scalars():
        yield opened(payload), _ALWAYS
    people = select(t.inbound.c.content, t.inbound.c.seen_at).where(t.inbound.c.run_id == run_id)
    for row in conn.execute(people):
        yield row.content, row.seen_at
    elsewhere = (t.answers.c.run_id != run_id, t.answers.c.created_at < until)
    answers = select(t.answers.c.text, t.answers.c.created_at).where(*elsewhere)
    newest = answers.order_by(t.answers.c.created_at.desc()).limit(_NEWEST_ANSWERS)
    for row in conn.execute(newest):
        yield row.text, row.created_at


def _found(rows: Iterable[Row], phrases: frozenset[Phrase]) -> list[frozenset[Phrase]]:
    return [quoted_in(list(row.values.values()), phrases) for row in rows]


def _is_context(row: Row) -> bool:
    return row.table is t.answers and row.key["key"] == _CONTEXT


def _is_read_at_once(conn: Connection, message: Any) -> bool:
    """Whether a message is read at once: by a panelist it asks, or by another program."""
    asked = select(t.events.c.id).where(
        t.events.c.run_id == message.run_id,
        t.events.c.type == EventType.FOLLOWUP_HEARD,
        t.events.c.key == str(message.message_id),
    )
    held = select(t.discussions.c.run_id).where(t.discussions.c.run_id == message.run_id)
    return any(conn.execute(query).first() is not None for query in (asked, held))


def _taken_in(conn: Connection, message: Any) -> float:
    """When the first step began whose prompt held a message; infinity if there was none."""
    steps = select(raw(conn, t.events, "payload"), t.events.c.created_at).where(
        t.events.c.run_id == message.run_id,
        t.events.c.type == EventType.ATTEMPT_CHECKPOINT,
        t.events.c.key.startswith("floor:"),
    )
    for row in conn.execute(steps.order_by(t.events.c.id)):
        step = opened(row.payload)
        if isinstance(step, dict) and step.get("newest", 0) >= message.message_id:
            return max(float(row.created_at), float(message.seen_at))
    return math.inf


def take_back(conn: Connection, said: Mapping[str, Sequence[Said]], usual: Sequence[str]) -> None:
    """Erase repetitions of words, given by run, there and in the runs that build on these.

    The oldest run comes first, so that a quote in it does not count as known in a later one.
    """
    said = {run_id: words for run_id, words in said.items() if any(word.text for word in words)}
    passed_on = dict(said)
    for row in _kept_runs(conn) if said else ():
        given = passed_on.get(row.request.get("context_run"), ())
        own = said.get(row.id, ())
        if own:
            _take_out_of_run(conn, row.id, own, usual)
        if given:
            _take_out_of_heir(conn, row.id, row.created_at, given, usual)
        if own or given:
            passed_on[row.id] = (*own, *given)


def heirs_of(conn: Connection, run_ids: Iterable[str]) -> tuple[str, ...]:
    """Runs that build on one of these, directly or indirectly, oldest first."""
    known, found = set(run_ids), list[str]()
    for row in _kept_runs(conn):
        if row.request.get("context_run") in known and row.id not in known:
            known.add(row.id)
            found.append(row.id)
    return tuple(found)


def built_on(conn: Connection, run_ids: Sequence[str]) -> Iterator[str]:
    """Runs that were given the conclusion of one of these as context."""
    if run_ids:
        given = (row for row in _kept_runs(conn) if row.request.get("context_run") in run_ids)
        yield from (row.id for row in given)


def unname(conn: Connection, run_ids: Sequence[str]) -> None:
    """Remove the names of runs, made of their topics, from the requests that build on them."""
    for row in _kept_runs(conn) if run_ids else ():
        name = row.request.get("context_from")
        if row.request.get("context_run") not in run_ids or not isinstance(name, str) or not name:
            continue
        request = row.request | {"context_from": None}
        conn.execute(update(t.runs).where(t.runs.c.id == row.id).values(request=request))
        asked = t.inbound.c.message_id == row.trigger_message_id
        for text in conn.execute(select(t.inbound.c.content).where(asked)).scalars().all():
            said = text.replace(name, FORGOTTEN)
            conn.execute(update(t.inbound).where(asked).values(content=said))


def _kept_runs(conn: Connection) -> Iterator[Any]:
    """Every run that was not erased, oldest first, because a run builds on older ones."""
    kept = select(t.runs.c.id, t.runs.c.request, t.runs.c.created_at, t.runs.c.trigger_message_id)
    yield from conn.execute(kept.where(t.runs.c.topic != "").order_by(t.runs.c.created_at)).all()
