"""Runs that build on the conclusions of others, and what words have passed on to them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from bot.store import tables as t
from bot.store.derived import Said, take_out, take_out_of_heir
from bot.store.quotes import FORGOTTEN


def take_back(conn: Connection, said: Mapping[str, Sequence[Said]], usual: Sequence[str]) -> None:
    """Take out what was repeated of words, given by their runs, there and in what builds on these.

    The oldest run comes first, so that a quote in it is not taken for what models say anyway.
    """
    said = {run_id: words for run_id, words in said.items() if any(word.text for word in words)}
    passed_on = dict(said)
    for row in _kept_runs(conn) if said else ():
        given = passed_on.get(row.request.get("context_run"), ())
        own = said.get(row.id, ())
        if own:
            take_out(conn, row.id, own, usual)
        if given:
            take_out_of_heir(conn, row.id, row.created_at, given, usual)
        if own or given:
            passed_on[row.id] = (*own, *given)


def heirs_of(conn: Connection, run_ids: Iterable[str]) -> tuple[str, ...]:
    """Runs that were given the conclusion of one of these, or of one of theirs, oldest first."""
    known, found = set(run_ids), list[str]()
    for row in _kept_runs(conn):
        if row.request.get("context_run") in known and row.id not in known:
            known.add(row.id)
            found.append(row.id)
    return tuple(found)


def built_on(conn: Connection, run_ids: Sequence[str]) -> Iterator[str]:
    """Runs that were given the conclusion of one of these."""
    if run_ids:
        given = (row for row in _kept_runs(conn) if row.request.get("context_run") in run_ids)
        yield from (row.id for row in given)


def unname(conn: Connection, run_ids: Sequence[str]) -> None:
    """The name of a run is made of its topic: take it out of the requests that build on it."""
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
    """Every run that was not erased, oldest first: what builds on another is newer."""
    kept = select(t.runs.c.id, t.runs.c.request, t.runs.c.created_at, t.runs.c.trigger_message_id)
    yield from conn.execute(kept.where(t.runs.c.topic != "").order_by(t.runs.c.created_at)).all()
