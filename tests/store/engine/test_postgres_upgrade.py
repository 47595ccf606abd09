"""A database of version 1 on Postgres: what an older Roundtable wrote there is kept."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from bot.store import EventType, Store
from bot.store.engine.migrations import STEPS
from bot.store.log import events
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.runs import RunRepository
from bot.store.tables import metadata, schema_version
from tests.store.conftest import PostgresDatabases, on_postgres

VERSION_1 = Path(__file__).with_name("version1.sql")


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> PostgresDatabases:
    return on_postgres(request)


def version_1() -> sqlite3.Connection:
    """The older database, as SQLite has it."""
    file = sqlite3.connect(":memory:")
    file.row_factory = sqlite3.Row
    file.executescript(VERSION_1.read_text(encoding="utf-8"))
    return file


def take_back_to_version_1(conn: Connection) -> None:
    """Leave of today's empty tables what version 1 had, with its data."""
    with closing(version_1()) as file:
        found = file.execute("SELECT type, name FROM sqlite_schema").fetchall()
        known = {name for _, name in found}
        for table in reversed(metadata.sorted_tables):
            if table.name not in known:
                table.drop(conn)
                continue
            columns = {row["name"] for row in file.execute(f"PRAGMA table_info({table.name})")}
            for name in set(table.c.keys()) - columns:
                conn.execute(text(f'ALTER TABLE {table.name} DROP COLUMN "{name}" CASCADE'))
            for index in table.indexes:
                if index.name not in known:
                    conn.execute(text(f"DROP INDEX IF EXISTS {index.name}"))
        conn.execute(schema_version.delete())
        for table in metadata.sorted_tables:
            if table.name in known:
                copy_rows(conn, file, table.name)


def copy_rows(conn: Connection, file: sqlite3.Connection, table: str) -> None:
    """What stands in a table of the older file."""
    for row in file.execute(f"SELECT * FROM {table}"):
        names = row.keys()
        values = ", ".join(f":{name}" for name in names)
        listed = ", ".join(f'"{name}"' for name in names)
        conn.execute(text(f"INSERT INTO {table} ({listed}) VALUES ({values})"), dict(row))


def shape(conn: Connection) -> dict[str, object]:
    """Every table with its columns and indexes, whatever their order."""
    look = inspect(conn)
    return {
        name: (
            sorted((c["name"], str(c["type"]), c["nullable"]) for c in look.get_columns(name)),
            sorted(str(index["name"]) for index in look.get_indexes(name)),
        )
        for name in look.get_table_names()
    }


async def test_version_1_on_postgres_keeps_its_data_and_gets_todays_shape(
    places: PostgresDatabases,
) -> None:
    """B44: the same promise as for a file."""
    fresh, older = str(await places.vacant()), str(await places.vacant())
    store = await Store.open(older)
    await store.write(take_back_to_version_1)
    await store.close()

    store = await Store.open(older)
    run = await store.read(lambda conn: RunRepository(conn).require("rt_00000001"))
    (waiting,) = await store.read(lambda conn: ApprovalRepository(conn).pending())
    log = await store.read(lambda conn: events.history(conn, run.id))
    upgraded = await store.read(shape)
    versions = await store.read(lambda conn: list(conn.execute(schema_version.select())))
    await store.close()
    assert (run.topic, run.thread_id, run.request) == ("Tabs or spaces?", 302, {"validate": False})
    assert (waiting.requested_action, waiting.effect, waiting.details) == ("post elsewhere", "", {})
    assert [event.type for event in log] == [EventType.TASK_CREATED]
    assert [row.version for row in versions] == [step.number for step in STEPS]

    new = await Store.open(fresh)
    todays = await new.read(shape)
    await new.close()
    assert upgraded == todays
