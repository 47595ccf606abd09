"""Migrations are numbered and atomic, and never touch what a newer version wrote."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect

from bot.errors import UnavailableError
from bot.store import ApprovalStatus, EventType, Store
from bot.store.engine.backend import Backend
from bot.store.engine.migrations import STEPS, Step, current_version, migrate
from bot.store.engine.store import backend_for
from bot.store.log import events
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor
from tests.store.conftest import Places, sql
from tests.support.postgres_server import PostgresServer

TODAY = STEPS[-1].number
NEXT = TODAY + 1
VERSION_1 = Path(__file__).with_name("version1.sql")


def add_notes(conn: Connection) -> None:
    conn.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY)")


def fail_after_a_table(conn: Connection) -> None:
    add_notes(conn)
    raise RuntimeError("the power went out")


@pytest.fixture
async def vacant(places: Places) -> AsyncIterator[Backend]:
    made = backend_for(await places.vacant())
    await made.open(lambda conn: None)
    yield made
    await made.close()


async def apply(vacant: Backend, *more: Step) -> None:
    await vacant.transact(lambda conn: migrate(conn, 5.0, (*STEPS, *more)))


async def version_and_notes(vacant: Backend) -> tuple[int, bool]:
    return await vacant.transact(
        lambda conn: (current_version(conn), inspect(conn).has_table("notes"))
    )


async def test_an_older_database_gets_the_steps_it_lacks(vacant: Backend) -> None:
    await apply(vacant)
    await apply(vacant, Step(NEXT, add_notes))
    assert await version_and_notes(vacant) == (NEXT, True)


async def test_a_step_is_applied_once(vacant: Backend) -> None:
    step = Step(NEXT, add_notes)
    await apply(vacant)
    await apply(vacant, step)
    await apply(vacant, step)
    assert await version_and_notes(vacant) == (NEXT, True)


async def test_a_fresh_database_gets_todays_tables_without_the_later_steps(
    vacant: Backend,
) -> None:
    await apply(vacant, Step(NEXT, add_notes))
    assert await version_and_notes(vacant) == (NEXT, False)


async def test_a_failing_step_leaves_the_older_version_whole(vacant: Backend) -> None:
    await apply(vacant)
    with pytest.raises(RuntimeError):
        await apply(vacant, Step(NEXT, fail_after_a_table))
    assert await version_and_notes(vacant) == (TODAY, False)


async def test_a_newer_database_is_refused_with_what_to_do(places: Places) -> None:
    store = await Store.open(await places.vacant())
    await store.write(sql("INSERT INTO schema_version VALUES (99, 1.0, 1)"))
    await store.close()
    with pytest.raises(
        UnavailableError,
        match=rf"\(schema version 99, this one supports {TODAY}\): install the newer one",
    ):
        await Store.open(store.where)


def older_database(folder: Path) -> Path:
    """A file that version 1 wrote, with data in it."""
    path = folder / "roundtable.db"
    with closing(sqlite3.connect(path)) as file:
        file.executescript("PRAGMA journal_mode=WAL;" + VERSION_1.read_text(encoding="utf-8"))
    return path


def shape(path: Path) -> dict[str, Any]:
    """Every table with its columns, and the other things there are, whatever their order."""
    with closing(sqlite3.connect(path)) as file:
        names = file.execute("SELECT type, name FROM sqlite_schema ORDER BY type, name").fetchall()
        tables = [name for kind, name in names if kind == "table"]
        columns = {
            table: sorted(row[1:] for row in file.execute(f"PRAGMA table_info({table})"))
            for table in tables
        }
        return {"names": names, "columns": columns}


async def test_a_database_of_version_1_keeps_its_data_and_gets_todays_shape(
    tmp_path: Path,
) -> None:
    """B44: whoever upgrades loses nothing, and has the same tables as whoever starts today."""
    path = older_database(tmp_path)
    store = await Store.open(path)
    run = await store.read(lambda conn: RunRepository(conn).require("rt_00000001"))
    (waiting,) = await store.read(lambda conn: ApprovalRepository(conn).pending())
    log = await store.read(lambda conn: events.history(conn, run.id))
    decided = ApprovalStatus.REJECTED
    assert await store.write(
        lambda conn: ApprovalRepository(conn).resolve(
            waiting.id, decided, "4000", "", Actor.HUMAN, 30.0
        )
    )
    await store.close()
    assert (run.topic, run.thread_id, run.request) == ("Tabs or spaces?", 302, {"validate": False})
    assert (waiting.requested_action, waiting.effect, waiting.details) == ("post elsewhere", "", {})
    assert [event.type for event in log] == [EventType.TASK_CREATED]
    fresh = tmp_path / "fresh" / "roundtable.db"
    await (await Store.open(fresh)).close()
    assert shape(path) == shape(fresh)


UPGRADE_AND_DIE = """
import asyncio, os, shutil, sqlite3, sys
from pathlib import Path
from sqlalchemy import event
from sqlalchemy.engine import Engine
from bot.store import Store
from bot.store.engine.migrations import STEPS

original, folder, left = Path(sys.argv[1]), Path(sys.argv[2]), 0

@event.listens_for(Engine, "before_cursor_execute")
def die(*_args):
    global left
    left -= 1
    if left == 0:
        os._exit(9)

async def upgrade(path):
    await (await Store.open(path)).close()

def in_a_child(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

for point in range(1, 1000):
    path = folder / str(point) / "roundtable.db"
    path.parent.mkdir()
    shutil.copy(original, path)
    left = point
    died = in_a_child(lambda: asyncio.run(upgrade(path)))
    left = 0
    assert in_a_child(lambda: asyncio.run(upgrade(path))) == 0, point
    with sqlite3.connect(path) as file:
        versions = [row[0] for row in file.execute("SELECT version FROM schema_version")]
        kept = file.execute("SELECT count(*) FROM approvals WHERE details = '{}'").fetchone()
    assert versions == [step.number for step in STEPS], (point, versions)
    assert kept == (1,), point
    if died == 0:
        print(point - 1)
        break
    assert died == 9, (point, died)
"""


@pytest.mark.heavy
async def test_an_upgrade_killed_before_any_of_its_statements_completes_at_the_next_start(
    tmp_path: Path,
) -> None:
    """A real kill at every statement; each time the next start finds a whole older database."""
    command = [sys.executable, "-c", UPGRADE_AND_DIE, str(older_database(tmp_path)), str(tmp_path)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > len(STEPS)


def columns_of(path: Path) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Every table's columns: type, whether a value is needed, default."""
    return {
        table: {row[0]: row[1:] for row in rows} for table, rows in shape(path)["columns"].items()
    }


async def test_a_step_that_does_not_contract_leaves_older_processes_alone(tmp_path: Path) -> None:
    """Issue 25, point 6: it changes nothing that is there, and what it adds has a default."""
    path = older_database(tmp_path)
    before = columns_of(path)
    upgrade = backend_for(path)
    await upgrade.open(lambda conn: None)
    await upgrade.transact(lambda conn: migrate(conn, 5.0, [s for s in STEPS if not s.contracts]))
    await upgrade.close()
    after = columns_of(path)
    for table, columns in before.items():
        assert columns.items() <= after[table].items(), table
        for name in after[table].keys() - columns.keys():
            _, needed, default, _ = after[table][name]
            assert not needed or default is not None, (table, name)


async def test_a_step_that_contracts_waits_for_processes_that_do_not_know_it(
    postgres_server: PostgresServer,
) -> None:
    """Issue 25, point 6: steps after it are applied, and it is made up for at a later start."""
    backend = backend_for(postgres_server.url(await postgres_server.create()))
    await backend.open(lambda conn: migrate(conn, 5.0))
    old = f"INSERT INTO processes VALUES ('p', 'gateway', '', {TODAY}, '', {{}})"
    now = "extract(epoch FROM clock_timestamp())"
    await backend.transact(lambda conn: conn.exec_driver_sql(old.format(now)))
    more = (Step(NEXT, lambda _: None, contracts=True), Step(NEXT + 1, add_notes))

    async def applied() -> list[int]:
        await backend.transact(lambda conn: migrate(conn, 5.0, (*STEPS, *more)))
        rows = f"SELECT version FROM schema_version WHERE version > {TODAY} ORDER BY version"
        return await backend.transact(lambda conn: [*conn.exec_driver_sql(rows).scalars()])

    assert await applied() == [NEXT + 1]
    await backend.transact(lambda conn: migrate(conn, 5.0))
    later = f"UPDATE processes SET seen_at = {now} - 31"
    await backend.transact(lambda conn: conn.exec_driver_sql(later))
    assert await applied() == [NEXT, NEXT + 1]
    with pytest.raises(UnavailableError, match="written by a newer Roundtable"):
        await backend.transact(lambda conn: migrate(conn, 5.0))
    await backend.close()
