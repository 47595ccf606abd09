"""Migrations are numbered and atomic, and never touch what a newer version wrote."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.errors import UnavailableError
from bot.store import Store, sqlite
from bot.store.migrations import STEPS, Step, current_version, migrate
from tests.store.conftest import sql


def add_notes(conn: Connection) -> None:
    conn.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT")


def fail_after_a_table(conn: Connection) -> None:
    add_notes(conn)
    raise RuntimeError("the power went out")


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    made = sqlite.writer_engine(tmp_path / "roundtable.db")
    yield made
    await made.dispose()


async def apply(engine: AsyncEngine, *more: Step) -> None:
    async with engine.begin() as conn:
        await conn.run_sync(migrate, 5.0, (*STEPS, *more))


async def version_and_notes(engine: AsyncEngine) -> tuple[int, bool]:
    async with engine.begin() as conn:
        return await conn.run_sync(
            lambda sync: (current_version(sync), inspect(sync).has_table("notes"))
        )


async def test_an_older_database_gets_the_steps_it_lacks(engine: AsyncEngine) -> None:
    await apply(engine)
    await apply(engine, Step(2, "notes", add_notes))
    assert await version_and_notes(engine) == (2, True)


async def test_a_step_is_applied_once(engine: AsyncEngine) -> None:
    step = Step(2, "notes", add_notes)
    await apply(engine)
    await apply(engine, step)
    await apply(engine, step)
    assert await version_and_notes(engine) == (2, True)


async def test_a_fresh_database_gets_todays_tables_without_the_later_steps(
    engine: AsyncEngine,
) -> None:
    await apply(engine, Step(2, "notes", add_notes))
    assert await version_and_notes(engine) == (2, False)


async def test_a_failing_step_leaves_the_older_version_whole(engine: AsyncEngine) -> None:
    await apply(engine)
    with pytest.raises(RuntimeError):
        await apply(engine, Step(2, "notes", fail_after_a_table))
    assert await version_and_notes(engine) == (1, False)


async def test_a_newer_database_is_refused_with_what_to_do(store: Store) -> None:
    await store.write(sql("INSERT INTO schema_version VALUES (99, 1.0)"))
    await store.close()
    with pytest.raises(
        UnavailableError,
        match=r"newer Roundtable \(version 99, this one knows 1\): install that one, or set",
    ):
        await Store.open(store.path)
