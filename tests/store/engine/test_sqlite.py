"""What disks and files do to a store on SQLite."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError

from bot.errors import UnavailableError
from bot.messages.store import StoreText
from bot.store import Store
from bot.store.log import events
from bot.store.repositories.calls import CallRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.servers import StartRepository
from bot.store.repositories.specs import SpecRepository
from tests.store.conftest import SqliteFiles, on_sqlite, request_for, sql, start_run, writer_of
from tests.store.engine.test_store import adding, stored


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> SqliteFiles:
    return on_sqlite(request)


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


async def test_a_read_only_disk_is_told_in_one_sentence_and_the_writer_lives(
    store: Store, run: Run
) -> None:
    execute = await writer_of(store)
    execute("PRAGMA query_only=ON")
    with pytest.raises(UnavailableError, match="is read-only: give Roundtable write"):
        await store.write(adding(run, 1))
    execute("PRAGMA query_only=OFF")
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


async def test_a_file_that_is_no_database_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    path.write_bytes(b"this was never a database, only some words" * 100)
    with pytest.raises(
        UnavailableError, match="is damaged: move it elsewhere together with its -wal"
    ):
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


async def test_every_table_is_strict(store: Store) -> None:
    def loose(conn: Connection) -> set[str]:
        rows = conn.exec_driver_sql("PRAGMA table_list").mappings()
        return {r["name"] for r in rows if not r["strict"] and not r["name"].startswith("sqlite_")}

    assert await store.read(loose) == set()


async def test_a_replacement_cannot_delete_from_the_log(store: Store, run: Run) -> None:
    with pytest.raises(DBAPIError, match="events is append-only"):
        await store.write(sql("INSERT OR REPLACE INTO events SELECT * FROM events"))


@contextmanager
def another_program_writes(store: Store) -> Iterator[sqlite3.Connection]:
    assert isinstance(store.where, Path)
    with closing(sqlite3.connect(store.where, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


async def test_others_work_on_while_another_program_holds_the_file(store: Store, run: Run) -> None:
    with another_program_writes(store) as other:
        waiting = asyncio.create_task(store.write(adding(run, 1)))
        # The event loop turns, so nobody waits for the lock in its thread.
        for _ in range(50):
            await asyncio.sleep(0)
        assert not waiting.done()
        assert await stored(store) == []
        other.execute("ROLLBACK")
        assert await waiting == 1
    assert await stored(store) == [1]


async def test_a_lock_that_stays_is_told_with_what_to_do(store: Store, run: Run) -> None:
    (await writer_of(store))("PRAGMA busy_timeout=10")
    with another_program_writes(store), pytest.raises(UnavailableError) as told:
        await store.write(adding(run, 2))
    assert str(told.value) == StoreText.file_locked(StoreText.OUR_DATABASE)
    assert await store.write(adding(run, 3)) == 3


async def test_a_commit_that_fails_leaves_nothing(store: Store, run: Run) -> None:
    await store.write(sql("CREATE TABLE later (x REFERENCES runs DEFERRABLE INITIALLY DEFERRED)"))
    with pytest.raises(DBAPIError, match="FOREIGN KEY"):
        await store.write(sql("INSERT INTO later VALUES ('rt_00000000')"))
    assert await store.write(adding(run, 1)) == 1
    assert await stored(store) == [1]
    left = await store.read(lambda conn: conn.exec_driver_sql("SELECT x FROM later").all())
    assert left == []


def plans_of(look: Callable[[Connection], object]) -> Callable[[Connection], str]:
    """How SQLite goes about the statements of a closure."""

    def work(conn: Connection) -> str:
        asked: list[tuple[str, tuple[object, ...]]] = []

        def note(*args: object) -> None:
            _conn, _cursor, statement, parameters, *_ = args
            assert isinstance(statement, str)
            assert isinstance(parameters, tuple)
            asked.append((statement, parameters))

        event.listen(conn, "before_cursor_execute", note)
        look(conn)
        event.remove(conn, "before_cursor_execute", note)
        assert asked
        explained = [conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", p) for text, p in asked]
        return "\n".join(row.detail for rows in explained for row in rows)

    return work


LOOKS: dict[str, Callable[[Connection], object]] = {
    "is the topic on the table": lambda c: RunRepository(c).find_recent(request_for().place, 0.0),
    "how many are under way": lambda c: RunListRepository(c).open_in(1),
    "when did somebody last start": lambda c: StartRepository(c).last(1, 4_000),
    "what happened": lambda c: events.history(c, "rt_00000000"),
    "what was spent": lambda c: CallRepository(c).spent("rt_00000000"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
async def test_what_every_start_and_step_looks_up_is_found_by_an_index(
    store: Store, look: Callable[[Connection], object]
) -> None:
    """A start must not take longer because much was discussed before."""
    plans = await store.read(plans_of(look))
    assert "SEARCH" in plans
    assert "SCAN" not in plans


async def test_resting_runs_are_found_without_looking_through_the_log(store: Store) -> None:
    await start_run(store)
    assert "SCAN events" not in await store.read(
        plans_of(lambda conn: SpecRepository(conn).waiting())
    )
