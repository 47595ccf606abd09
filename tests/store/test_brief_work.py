"""Brief work: done without a trip to another thread, and whole like any other (design 4)."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from bot.errors import UnavailableError
from bot.store import Store, calls, events, run_lists, runs, specs, starts
from bot.store.prepared import SqliteConnection
from bot.store.runs import Run
from bot.store.sqlite import SqliteBackend
from bot.words.store import OUR_DATABASE, file_locked
from tests.store.conftest import SqliteFiles, on_sqlite, request_for, sql, start_run
from tests.store.test_engine import adding, counted_commits, stored


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> SqliteFiles:
    return on_sqlite(request)


def path_of(store: Store) -> Path:
    assert isinstance(store.where, Path)
    return store.where


@contextmanager
def another_program_writes(store: Store) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path_of(store), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


async def test_what_was_jotted_is_seen_at_the_next_glance(store: Store, run: Run) -> None:
    assert await store.jot(adding(run, 1)) == 1
    found = await store.glance(lambda conn: conn.exec_driver_sql("SELECT count(*) FROM turns"))
    assert found.scalar_one() == 1


async def test_jottings_that_wait_together_share_commits_with_other_writes(
    store: Store, run: Run
) -> None:
    with counted_commits(store) as commits:
        writes = [store.jot(adding(run, n)) for n in range(25)]
        writes += [store.write(adding(run, n)) for n in range(25, 50)]
        assert await asyncio.gather(*writes) == list(range(50))
    assert 0 < len(commits) <= 3
    assert await stored(store) == list(range(50))


async def test_a_jotting_that_fails_leaves_nothing_and_spares_its_neighbours(
    store: Store, run: Run
) -> None:
    def halfway(conn: Connection) -> int:
        adding(run, 2)(conn)
        raise ValueError("halfway")

    works: list[Callable[[Connection], int]] = [adding(run, 1), halfway, adding(run, 3)]
    first, failed, last = await asyncio.gather(
        *(store.jot(work) for work in works), return_exceptions=True
    )
    assert (first, last) == (1, 3)
    assert isinstance(failed, ValueError)
    assert await stored(store) == [1, 3]


async def test_a_glance_cannot_write(store: Store, run: Run) -> None:
    with pytest.raises(UnavailableError, match="is read-only"):
        await store.glance(adding(run, 1))
    assert await store.glance(lambda conn: runs.require(conn, run.id).id) == run.id


async def test_others_work_on_while_another_program_holds_the_file(store: Store, run: Run) -> None:
    with another_program_writes(store) as other:
        waiting = asyncio.create_task(store.jot(adding(run, 1)))
        # The event loop turns, so nobody waits for the lock in its thread.
        for _ in range(50):
            await asyncio.sleep(0)
        assert not waiting.done()
        other.execute("ROLLBACK")
        assert await waiting == 1
    assert await stored(store) == [1]


async def test_a_lock_that_stays_is_told_with_what_to_do(store: Store, run: Run) -> None:
    assert isinstance(store._backend, SqliteBackend)
    store._backend._line.lock_seconds = 0.01
    await store.jot(adding(run, 1))
    with another_program_writes(store), pytest.raises(Exception, match="is locked") as told:
        await store.jot(adding(run, 2))
    assert str(told.value) == file_locked(OUR_DATABASE)
    assert await store.jot(adding(run, 3)) == 3


async def test_a_commit_that_fails_leaves_nothing(store: Store, run: Run) -> None:
    await store.write(sql("CREATE TABLE later (x REFERENCES runs DEFERRABLE INITIALLY DEFERRED)"))
    with pytest.raises(DBAPIError, match="FOREIGN KEY"):
        await store.jot(sql("INSERT INTO later VALUES ('rt_00000000')"))
    assert await store.jot(adding(run, 1)) == 1
    assert await stored(store) == [1]
    left = await store.glance(lambda conn: conn.exec_driver_sql("SELECT x FROM later").all())
    assert left == []


def plans_of(store: Store, look: Callable[[Connection], object]) -> Callable[[Connection], str]:
    """How SQLite goes about the statements of a closure."""

    def work(conn: Connection) -> str:
        assert isinstance(conn, SqliteConnection)
        said: list[str] = []
        conn.driver.set_trace_callback(said.append)
        look(conn)
        conn.driver.set_trace_callback(None)
        asked = [text for text in said if text.startswith("SELECT")]
        assert asked
        explained = [conn.driver.execute(f"EXPLAIN QUERY PLAN {text}") for text in asked]
        return "\n".join(row[3] for rows in explained for row in rows)

    return work


LOOKS: dict[str, Callable[[Connection], object]] = {
    "is the topic on the table": lambda c: runs.find_recent(c, request_for().place, 0.0),
    "how many are under way": lambda c: run_lists.open_in(c, 1),
    "when did somebody last start": lambda c: starts.last(c, 1, 4_000),
    "what happened": lambda c: events.history(c, "rt_00000000"),
    "what was spent": lambda c: calls.spent(c, "rt_00000000"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
async def test_what_every_start_and_step_looks_up_is_found_by_an_index(
    store: Store, look: Callable[[Connection], object]
) -> None:
    """A start must not take longer because much was discussed before."""
    assert "SCAN" not in await store.glance(plans_of(store, look))


async def test_resting_runs_are_found_without_looking_through_the_log(store: Store) -> None:
    await start_run(store)
    assert "SCAN events" not in await store.glance(plans_of(store, specs.waiting))
