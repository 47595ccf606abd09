"""The store hands out whole transactions and survives what disks and callers do to it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, select
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.errors import UnavailableError
from bot.store import Actor, Store, runs
from bot.store.runs import Run
from bot.store.tables import runs as run_table
from bot.store.tables import turns
from tests.store.conftest import Clock, request_for, sql, start_run


def add_turn(conn: Connection, run: Run, ordinal: int, text: str = "hello") -> int:
    row = {"run_id": run.id, "seat": "analyst", "ordinal": ordinal, "voice": "heard"}
    conn.execute(turns.insert(), row | {"author": "Ada", "text": text, "created_at": 1.0})
    return ordinal


def adding(run: Run, ordinal: int, text: str = "hello") -> Callable[[Connection], int]:
    return lambda conn: add_turn(conn, run, ordinal, text)


async def stored(store: Store) -> list[int]:
    query = select(turns.c.ordinal).order_by(turns.c.ordinal)
    return await store.read(lambda conn: list(conn.execute(query).scalars()))


@contextmanager
def counted_commits(store: Store) -> Iterator[list[object]]:
    commits: list[object] = []
    count = commits.append
    engine = store._write_line.engine
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
    with counted_commits(store) as commits:
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

    with counted_commits(store) as commits:
        results = await asyncio.gather(
            *(store.write(work) for work in works), return_exceptions=True
        )
    assert [r for r in results if isinstance(r, int)] == [0, 1, 3, 4]
    assert isinstance(results[2], IntegrityError)
    assert await stored(store) == [0, 1, 3, 4]
    assert len(commits) == 1


async def test_nothing_is_acknowledged_before_the_commit(store: Store, run: Run) -> None:
    acknowledged_at_commit: list[bool] = []
    writing = asyncio.create_task(store.write(adding(run, 1)))

    def note(_conn: Connection) -> None:
        acknowledged_at_commit.append(writing.done())

    event.listen(store._write_line.engine, "commit", note)
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

    reader = asyncio.create_task(store.read(slow))
    await started.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    counts = await asyncio.gather(*(store.read(slow) for _ in range(10)))
    assert counts == [1] * 10


async def test_readers_cannot_write(store: Store, run: Run) -> None:
    with pytest.raises(UnavailableError):
        await store.read(lambda conn: add_turn(conn, run, 1))
    assert await stored(store) == []


async def test_readers_never_checkpoint(store: Store) -> None:
    """providers.md 3.2: the WAL-reset bug of SQLite before 3.51.3."""
    pages = await store.read(lambda c: c.exec_driver_sql("PRAGMA wal_autocheckpoint").scalar())
    assert pages == 0


async def test_the_writer_has_the_durable_settings(store: Store) -> None:
    """providers.md 3.2."""
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 5000,
        "trusted_schema": 0,
        "temp_store": 2,
        "journal_size_limit": 64 * 1024 * 1024,
    }

    def settings(conn: Connection) -> dict[str, object]:
        return {name: conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted}

    assert await store.write(settings) == wanted


def limit_pages(conn: Connection, extra: int | None) -> None:
    used = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
    limit = 1 << 30 if extra is None else used + extra
    conn.exec_driver_sql(f"PRAGMA max_page_count={limit}")


async def test_a_full_disk_is_told_in_one_sentence_and_the_writer_lives(
    store: Store, run: Run
) -> None:
    await store.write(lambda conn: limit_pages(conn, 2))
    with pytest.raises(UnavailableError, match=r"is full: free some space, then try again\.$"):
        await store.write(adding(run, 1, "x" * 100_000))
    await store.write(lambda conn: limit_pages(conn, None))
    await store.write(adding(run, 2))
    assert await stored(store) == [2]


async def test_a_full_disk_is_told_even_when_it_breaks_a_savepoint(store: Store, run: Run) -> None:
    """SQLite gives up the transaction; rolling back to the savepoint then fails, too."""

    def nested(conn: Connection) -> None:
        with conn.begin_nested():
            conn.exec_driver_sql("CREATE TABLE heap (text TEXT)")
            conn.exec_driver_sql("INSERT INTO heap VALUES (?)", ("x" * 500_000,))

    await store.write(lambda conn: limit_pages(conn, 1))
    with pytest.raises(UnavailableError, match="is full: free some space"):
        await store.write(nested)
    await store.write(lambda conn: limit_pages(conn, None))
    await store.write(adding(run, 2))


async def test_a_full_disk_spares_the_neighbours_that_fit(store: Store, run: Run) -> None:
    await store.write(lambda conn: limit_pages(conn, 4))
    sizes = [10, 200_000, 10, 200_000, 10]
    results = await asyncio.gather(
        *(store.write(adding(run, n, "x" * size)) for n, size in enumerate(sizes)),
        return_exceptions=True,
    )
    assert [isinstance(result, UnavailableError) for result in results] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert await stored(store) == [0, 2, 4]


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


async def test_a_read_only_disk_is_told_in_one_sentence_and_the_writer_lives(
    store: Store, run: Run
) -> None:
    await store.write(sql("PRAGMA query_only=ON"))
    with pytest.raises(UnavailableError, match="is read-only: give Roundtable the right"):
        await store.write(adding(run, 1))
    await store._write_line.execute("PRAGMA query_only=OFF")
    await store.write(adding(run, 2))
    assert await stored(store) == [2]


async def test_everybody_in_a_batch_is_told_when_the_disk_became_read_only(
    store: Store, run: Run
) -> None:
    await store.write(sql("PRAGMA query_only=ON"))
    results = await asyncio.gather(
        *(store.write(adding(run, n)) for n in range(5)), return_exceptions=True
    )
    assert [type(result) for result in results] == [UnavailableError] * 5


async def test_close_commits_what_was_handed_in(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    store = await Store.open(path)
    run = await start_run(store)
    writing = asyncio.create_task(store.write(adding(run, 1)))
    await asyncio.sleep(0)
    await asyncio.wait_for(store.close(), 5)
    assert await writing == 1
    again = await Store.open(path)
    assert await stored(again) == [1]
    await again.close()


async def test_close_may_be_called_twice_and_refuses_later_work(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "roundtable.db")
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
        await Store.open(store.path)


OPEN_IT = """
import asyncio, sys
from pathlib import Path
from bot.errors import UserError
from bot.store import Store
try:
    asyncio.run(Store.open(Path(sys.argv[1])))
except UserError as error:
    print(error.text)
"""


async def test_a_second_process_is_told_who_holds_the_file(store: Store) -> None:
    command = [sys.executable, "-c", OPEN_IT, str(store.path)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert done.stdout.strip() == (
        f"{store.path} is already in use by process {os.getpid()}: stop that Roundtable first,"
        " or set ROUNDTABLE_HOME to another folder."
    )


async def test_the_file_is_free_again_after_close(store: Store) -> None:
    await store.close()
    again = await Store.open(store.path)
    await again.close()


async def test_a_file_that_is_no_database_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    path.write_bytes(b"this was never a database, only some words" * 100)
    with pytest.raises(UnavailableError, match="is damaged: move it away together with its -wal"):
        await Store.open(path)


async def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    store = await Store.open(path)
    run = await start_run(store)
    for number in range(20):
        await store.write(adding(run, number, "y" * 5_000))
    await store.close()
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(UnavailableError, match="is damaged"):
        await Store.open(path)


async def test_a_refused_open_gives_the_lock_back(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    path.write_bytes(b"words" * 1000)
    with pytest.raises(UnavailableError):
        await Store.open(path)
    path.unlink()
    store = await Store.open(path)
    await store.close()


async def test_missing_folders_are_made(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "home" / "deep" / "roundtable.db")
    await store.close()
    assert (tmp_path / "home" / "deep" / "roundtable.db").exists()


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UnavailableError, match=r"cannot be created .*set ROUNDTABLE_HOME"):
        await Store.open(tmp_path / "file" / "roundtable.db")


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
    assert await store.read(lambda conn: runs.require(conn, run.id)) == run


def test_actors_are_the_six_of_the_rights_table() -> None:
    """3.3."""
    assert len(Actor) == 6
