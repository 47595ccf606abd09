"""Statements that SQLite gets as text mean what they mean to SQLAlchemy."""

import json
import operator
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.exc import IntegrityError, StatementError

from bot.council.facts import load_facts
from bot.request.modes import Mode
from bot.store import (
    Actor,
    CallStatus,
    EventType,
    Store,
    answers,
    calls,
    designs,
    events,
    runs,
    seats,
)
from bot.store.answers import StoredAnswer
from bot.store.calls import Call
from bot.store.prepared import Command, Query
from bot.store.rows import insert_new
from bot.store.runs import Run
from bot.store.seats import Seat
from bot.store.tables import events as event_table
from bot.store.tables import runs as run_table
from bot.store.types import read_back

BY_ID = select(run_table).where(run_table.c.id == bindparam("run_id"))
RENAME = Command(
    update(run_table).where(run_table.c.id == bindparam("run")), ("topic", "request", "mode")
)


async def test_a_query_gives_the_rows_that_sqlalchemy_gives(store: Store, run: Run) -> None:
    def both(conn: Connection) -> tuple[object, object]:
        wanted = {"run_id": run.id}
        return Query(BY_ID).row(conn, wanted), conn.execute(BY_ID, wanted).one()._asdict()

    prepared, usual = await store.read(both)
    assert prepared == usual
    assert await store.read(lambda conn: Query(BY_ID).row(conn, {"run_id": "rt_none"})) is None


async def test_what_goes_in_is_cleaned_and_checked_on_its_way(store: Store, run: Run) -> None:
    change = {"run": run.id, "topic": "a\0b\ud800", "request": {"ä": ("x\0",)}, "mode": "vote"}
    assert await store.write(lambda conn: RENAME.run(conn, change)) == 1
    kept = await store.read(lambda conn: runs.require(conn, run.id))
    assert (kept.topic, kept.request, kept.mode) == ("ab\ufffd", {"ä": ["x"]}, "vote")
    with pytest.raises(StatementError, match="whim"):
        await store.write(lambda conn: RENAME.run(conn, change | {"mode": "whim"}))


async def test_an_update_returns_the_rows_as_they_are_now(store: Store, run: Run) -> None:
    statement = update(run_table).where(run_table.c.id == bindparam("run")).returning(run_table)
    renaming = Query(statement, ("topic", "mode"))
    change = {"run": run.id, "topic": "a\0b", "mode": "vote"}
    changed = await store.write(lambda conn: renaming.row(conn, change))
    assert changed == await store.read(lambda conn: Query(BY_ID).row(conn, {"run_id": run.id}))
    assert changed is not None
    assert (changed["topic"], changed["mode"]) == ("ab", Mode.VOTE)
    assert await store.write(lambda conn: renaming.row(conn, change | {"run": "rt_none"})) is None


async def test_a_value_that_is_missing_is_refused(store: Store, run: Run) -> None:
    with pytest.raises(StatementError, match="run_id"):
        await store.read(lambda conn: Query(BY_ID).row(conn, {}))


HOSTILE = "half \ud800, nul \0, ä"


async def test_a_panel_sits_as_it_was_said_to(store: Store, run: Run) -> None:
    """What is known of seats without reading them is what the store gives back (2.2#28)."""
    panel = [
        Seat(run.id, slug, number, f"{slug} {HOSTILE}", "m", "p", "w", "f", task=HOSTILE)
        for number, slug in enumerate(("ada", "bob", "eve"))
    ]
    await store.write(lambda conn: seats.place(conn, panel))
    taken = [replace(panel[0], role="another"), *panel, replace(panel[1], ordinal=9)]
    await store.write(lambda conn: seats.place(conn, taken))
    await store.write(lambda conn: seats.place(conn, ()))
    kept = await store.read(lambda conn: seats.of_run(conn, run.id))
    assert kept == tuple(seats.as_stored(seat) for seat in panel)
    assert kept[2].task == "half \ufffd, nul , ä"


async def test_the_words_of_a_design_are_kept_as_they_were_said_to(store: Store, run: Run) -> None:
    words = {"options": (HOSTILE, "b"), "priorities": {HOSTILE: 1}, "decision": "", "n": 1.5}
    await store.write(lambda conn: designs.keep(conn, run.id, words))
    kept = await store.read(lambda conn: designs.of_run(conn, run.id))
    assert kept == designs.as_stored(words)
    assert kept["options"] == ["half \ufffd, nul , ä", "b"]


async def test_a_document_is_cleaned_whichever_way_it_is_written(store: Store, run: Run) -> None:
    """No way into the store loses an answer because of a character."""

    def both(conn: Connection) -> tuple[object, object]:
        document = {HOSTILE: [HOSTILE]}
        change = {"run": run.id, "topic": "t", "request": document, "mode": "vote"}
        RENAME.run(conn, change)
        prepared = runs.require(conn, run.id).request
        conn.execute(update(run_table).where(run_table.c.id == run.id).values(request=document))
        return prepared, runs.require(conn, run.id).request

    clean = "half \ufffd, nul , ä"
    assert await store.write(both) == ({clean: [clean]}, {clean: [clean]})


CHANGES: Sequence[Callable[[dict[str, Any]], object]] = (
    lambda written: written.update(a=1),
    lambda written: written.pop("a"),
    lambda written: written.popitem(),
    lambda written: written.setdefault("c", 1),
    lambda written: written.clear(),
    lambda written: operator.setitem(written, "a", 1),
    lambda written: operator.delitem(written, "a"),
    lambda written: written.__ior__({"c": 1}),
)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_written_does_not_change(change: Callable[[dict[str, Any]], object]) -> None:
    """The text that is stored is the one the document was read from."""
    with pytest.raises(TypeError, match="does not change"):
        change(read_back({"a": "b"}))


def test_a_written_document_has_its_text_and_ordinary_copies() -> None:
    written = read_back({"a": ("b", HOSTILE)})
    assert written == {"a": ["b", "half \ufffd, nul , ä"]}
    assert written.take_text() == written.take_text() == json.dumps(written, ensure_ascii=False)
    copied: dict[str, Any] = deepcopy(written)
    copied["a"] = 1
    assert copied == {"a": 1}
    assert written | {"c": 2} == {**written, "c": 2}


async def test_a_refused_row_is_refused_with_sqlalchemys_error(store: Store, run: Run) -> None:
    row = {"run_id": "rt_none", "type": "x", "key": "k", "actor": Actor.HUMAN, "payload": {}}
    with pytest.raises(IntegrityError):
        await store.write(lambda conn: insert_new(conn, event_table, row | {"created_at": 1.0}))
    assert len(await store.read(lambda conn: events.history(conn, run.id))) == 1


def record_call(conn: Connection, run_id: str, key: str) -> None:
    call = Call(run_id, key, "round1", "p", "m", CallStatus.OK, 1.0, 2.0, input_tokens=3)
    calls.record(conn, call)
    answers.save(conn, StoredAnswer(run_id, key, "ada", 1, f"said {key}", 2.0))
    payload = {"status": "ok"}
    events.append(conn, run_id, EventType.CALL_DONE, key, Actor.ORCHESTRATOR, payload, 2.0)


async def test_facts_read_step_by_step_are_those_read_at_once(store: Store, run: Run) -> None:
    known = await store.read(lambda conn: load_facts(conn, run.id))
    for key in ("r1:ada", "r1:bob", "r2:ada"):
        await store.write(partial(record_call, run_id=run.id, key=key))
        known = await store.read(partial(load_facts, run_id=run.id, known=known))
    assert known == await store.read(lambda conn: load_facts(conn, run.id))
    assert [answer.text for answer in known.answers.values()] == [
        "said r1:ada",
        "said r1:bob",
        "said r2:ada",
    ]
    assert known.spent.input_tokens == 9


async def test_facts_with_answers_just_heard_are_those_read_at_once(store: Store, run: Run) -> None:
    heard: dict[str, StoredAnswer] = {}
    known = await store.read(lambda conn: load_facts(conn, run.id))
    for key in ("r1:ada", "r1:bob", "r2:ada"):
        await store.write(partial(record_call, run_id=run.id, key=key))
        if key != "r1:bob":  # an answer that another process stored is not known here
            heard[key] = StoredAnswer(run.id, key, "ada", 1, f"said {key}", 2.0)
        step = partial(load_facts, run_id=run.id, known=known, heard=heard)
        known = await store.read(step)
    assert known == await store.read(lambda conn: load_facts(conn, run.id))
