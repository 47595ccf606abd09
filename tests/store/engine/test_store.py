"""The store hands out whole transactions and survives what disks and callers do to it."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing

import pytest
from sqlalchemy import Connection, event, func, select
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.errors import UnavailableError
from bot.store import Store
from bot.store.repositories.runs import Run, RunRepository
from bot.store.tables import runs as run_table
from bot.store.tables import turns
from bot.store.vocabulary import Actor
from tests.store.conftest import Clock, Places, request_for, sql, start_run


def add_turn(conn: Connection, run: Run, ordinal: int, text: str = "hello") -> int:
    row = {"run_id": run.id, "seat": "analyst", "ordinal": ordinal, "voice": "heard"}
    conn.execute(turns.insert(), row | {"author": "Ada", "text": text, "created_at": 1.0})
    return ordinal


def adding(run: Run, ordinal: int, text: str = "hello") -> Callable[[Connection], int]:
    return lambda conn: add_turn(conn, run, ordinal, text)


async def stored(store: Store) -> list[int]:
    query = select(turns.c.ordinal).order_by(turns.c.ordinal)
    return await store.read(lambda conn: list(conn.execute(query).scalars()))


@asynccontextmanager
async def counted_commits(store: Store) -> AsyncIterator[list[object]]:
    commits: list[object] = []
    count = commits.append
    engine = await store.write(lambda conn: conn.engine)
    event.listen(engine, "commit", count)
    yield commits
    event.remove(engine, "commit", count)


async def test_a_write_is_visible_to_reads_once_acknowledged(store: Store, run: Run) -> None:
    assert await store.write(adding(run, 1)) == 1
    assert await stored(store) == [1]


async def test_a_closure_that_fails_halfway_leaves_nothing(store: Store, run: Run) -> None:
    def halfway(conn: Connection) -> None:
        add_turn(conn, run, 1)
        raise ValueError("halfway")

    with pytest.raises(ValueError, match="halfway"):
        await store.write(halfway)
    assert await stored(store) == []


async def test_writers_that_wait_together_share_commits(store: Store, run: Run) -> None:
    async with counted_commits(store) as commits:
        writes = [store.write(adding(run, n)) for n in range(50)]
        assert await asyncio.gather(*writes) == list(range(50))
    assert 0 < len(commits) <= 3
    assert await stored(store) == list(range(50))


async def test_a_failing_closure_does_not_hurt_its_neighbours(store: Store, run: Run) -> None:
    def spoiled(conn: Connection) -> int:
        add_turn(conn, run, 2)
        return add_turn(conn, run, 1)

    works = [adding(run, n) for n in range(5)]
    works[2] = spoiled

    async with counted_commits(store) as commits:
        results = await asyncio.gather(
            *(store.write(work) for work in works), return_exceptions=True
        )
    assert [r for r in results if isinstance(r, int)] == [0, 1, 3, 4]
    assert isinstance(results[2], IntegrityError)
    assert await stored(store) == [0, 1, 3, 4]
    assert len(commits) == 1


async def test_nothing_is_acknowledged_before_the_commit(store: Store, run: Run) -> None:
    acknowledged_at_commit: list[bool] = []
    engine = await store.write(lambda conn: conn.engine)
    writing = asyncio.create_task(store.write(adding(run, 1)))

    def note(_conn: Connection) -> None:
        acknowledged_at_commit.append(writing.done())

    event.listen(engine, "commit", note)
    await writing
    assert acknowledged_at_commit == [False]


async def test_a_cancelled_caller_leaves_its_closure_whole(store: Store, run: Run) -> None:
    started = asyncio.Event()

    def two_rows(conn: Connection) -> None:
        add_turn(conn, run, 1)
        started.set()
        add_turn(conn, run, 2)

    caller = asyncio.create_task(store.write(two_rows))
    await started.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await store.write(adding(run, 3))
    assert await stored(store) == [1, 2, 3]


async def test_many_cancelled_callers_never_tear_a_transaction(store: Store, run: Run) -> None:
    def pair(number: int) -> Callable[[Connection], int]:
        first = adding(run, 2 * number)
        second = adding(run, 2 * number + 1)
        return lambda conn: first(conn) + second(conn)

    callers = [asyncio.create_task(store.write(pair(n))) for n in range(40)]
    for turn, caller in enumerate(callers):
        await asyncio.sleep(0)
        if turn % 2:
            caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    await store.write(lambda conn: None)
    ordinals = await stored(store)
    assert all((n ^ 1) in ordinals for n in ordinals)
    assert {4 * n for n in range(20)} <= set(ordinals)


async def test_a_cancelled_read_leaves_the_readers_usable(store: Store, run: Run) -> None:
    started = asyncio.Event()

    def slow(conn: Connection) -> int:
        started.set()
        return conn.execute(select(func.count()).select_from(run_table)).scalar_one()

    reader = asyncio.create_task(store.scan(slow))
    await started.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    counts = await asyncio.gather(*(store.scan(slow) for _ in range(10)))
    assert counts == [1] * 10


async def test_a_read_sees_one_snapshot_whatever_is_written_meanwhile(
    store: Store, run: Run
) -> None:
    """A write that commits between two statements of a read is seen by neither."""
    if isinstance(store.where, str):
        pytest.skip("on Postgres a read waits for others, so nothing can be written inside it")
    path = str(store.where)

    def twice(conn: Connection) -> list[str]:
        topic = select(run_table.c.topic)
        before = conn.execute(topic).scalar_one()
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("UPDATE runs SET topic = 'changed'")
        return [before, conn.execute(topic).scalar_one()]

    assert await store.read(twice) == [run.topic, run.topic]
    assert (
        await store.read(lambda c: c.execute(select(run_table.c.topic)).scalar_one()) == "changed"
    )


async def test_a_read_waits_in_a_thread_while_another_program_holds_the_file(
    store: Store, run: Run
) -> None:
    """Whoever asks gets an answer, and nobody else waits for it."""
    held = iter([True])

    def busy_at_first(conn: Connection) -> int:
        if next(held, False):
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return conn.execute(select(func.count()).select_from(run_table)).scalar_one()

    if isinstance(store.where, str):
        pytest.skip("Postgres has no file")
    assert await store.read(busy_at_first) == 1


async def test_readers_cannot_write(store: Store, run: Run) -> None:
    with pytest.raises(UnavailableError):
        await store.read(lambda conn: add_turn(conn, run, 1))
    assert await stored(store) == []


async def test_closures_of_a_lost_transaction_are_run_again_one_by_one(
    store: Store, run: Run
) -> None:
    """SQLite may give up a whole transaction; those who shared it must not pay for it."""

    def lose_everything(conn: Connection) -> None:
        conn.exec_driver_sql("ROLLBACK")
        raise RuntimeError("lost")

    results = await asyncio.gather(
        store.write(adding(run, 1)),
        store.write(lose_everything),
        store.write(adding(run, 2)),
        return_exceptions=True,
    )
    assert (results[0], results[2]) == (1, 2)
    assert isinstance(results[1], RuntimeError)
    assert await stored(store) == [1, 2]


async def test_close_commits_what_was_handed_in(places: Places) -> None:
    where = await places.vacant()
    store = await Store.open(where)
    run = await start_run(store)
    writing = asyncio.create_task(store.write(adding(run, 1)))
    await asyncio.sleep(0)
    await asyncio.wait_for(store.close(), 5)
    assert await writing == 1
    again = await Store.open(where)
    assert await stored(again) == [1]
    await again.close()


async def test_close_may_be_called_twice_and_refuses_later_work(places: Places) -> None:
    store = await Store.open(await places.prepared())
    await asyncio.gather(store.close(), store.close())
    with pytest.raises(UnavailableError, match="shutting down"):
        await store.write(lambda conn: None)
    with pytest.raises(UnavailableError, match="shutting down"):
        await store.read(lambda conn: None)


async def test_the_clock_is_the_injected_one(store: Store, clock: Clock) -> None:
    clock.now = 77.5
    assert store.now() == 77.5


async def test_a_second_store_in_this_process_is_refused(store: Store) -> None:
    with pytest.raises(UnavailableError, match="already in use by process"):
        await Store.open(store.where)


OPEN_IT = """
import asyncio, sys
from bot.errors import UserError
from bot.store import Store
from tests.store.conftest import where_of
try:
    asyncio.run(Store.open(where_of(sys.argv[1])))
except UserError as error:
    print(error.text)
"""


async def test_a_second_process_is_told_who_holds_the_database(store: Store) -> None:
    command = [sys.executable, "-c", OPEN_IT, str(store.where)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert f"is already in use by process {os.getpid()}" in done.stdout
    assert ": stop that process first, or set ROUNDTABLE_" in done.stdout


async def test_the_database_is_free_again_after_close(store: Store) -> None:
    await store.close()
    again = await Store.open(store.where)
    await again.close()


async def test_errors_that_are_bugs_keep_their_type(store: Store) -> None:
    with pytest.raises(DBAPIError):
        await store.write(sql("SELECT * FROM nowhere"))


async def test_an_orphan_row_is_refused(store: Store) -> None:
    def orphan(conn: Connection) -> None:
        row = {"run_id": "rt_00000000", "seat": "a", "ordinal": 1, "voice": "said"}
        conn.execute(turns.insert(), row | {"author": "", "text": "", "created_at": 0.0})

    with pytest.raises(IntegrityError):
        await store.write(orphan)


async def test_text_no_database_takes_is_cleaned_not_lost(store: Store) -> None:
    new = request_for("half a pair \ud800, a pair \ud83d\ude00, a nul \0.")
    run = await start_run(store, new)
    assert run.topic == "half a pair �, a pair 😀, a nul ."
    assert await store.read(lambda conn: RunRepository(conn).require(run.id)) == run


def test_actors_are_the_six_of_the_rights_table() -> None:
    """3.3."""
    assert len(Actor) == 6
