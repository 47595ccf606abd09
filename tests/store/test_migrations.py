"""Migrations are numbered and atomic, and never touch what a newer version wrote."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect

from bot.errors import UnavailableError
from bot.store import Store, sqlite
from bot.store.line import Line
from bot.store.migrations import STEPS, Step, current_version, migrate
from tests.store.conftest import sql


def add_notes(conn: Connection) -> None:
    conn.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT")


def fail_after_a_table(conn: Connection) -> None:
    add_notes(conn)
    raise RuntimeError("the power went out")


@pytest.fixture
async def line(tmp_path: Path) -> AsyncIterator[Line]:
    made = sqlite.writer_line(tmp_path / "roundtable.db")
    await made.open()
    yield made
    await made.close()


async def apply(line: Line, *more: Step) -> None:
    def work(conn: Connection) -> None:
        with conn.begin():
            migrate(conn, 5.0, (*STEPS, *more))

    await line.run(work)


async def version_and_notes(line: Line) -> tuple[int, bool]:
    return await line.run(lambda conn: (current_version(conn), inspect(conn).has_table("notes")))


async def test_an_older_database_gets_the_steps_it_lacks(line: Line) -> None:
    await apply(line)
    await apply(line, Step(2, "notes", add_notes))
    assert await version_and_notes(line) == (2, True)


async def test_a_step_is_applied_once(line: Line) -> None:
    step = Step(2, "notes", add_notes)
    await apply(line)
    await apply(line, step)
    await apply(line, step)
    assert await version_and_notes(line) == (2, True)


async def test_a_fresh_database_gets_todays_tables_without_the_later_steps(
    line: Line,
) -> None:
    await apply(line, Step(2, "notes", add_notes))
    assert await version_and_notes(line) == (2, False)


async def test_a_failing_step_leaves_the_older_version_whole(line: Line) -> None:
    await apply(line)
    with pytest.raises(RuntimeError):
        await apply(line, Step(2, "notes", fail_after_a_table))
    assert await version_and_notes(line) == (1, False)


async def test_a_newer_database_is_refused_with_what_to_do(store: Store) -> None:
    await store.write(sql("INSERT INTO schema_version VALUES (99, 1.0)"))
    await store.close()
    with pytest.raises(
        UnavailableError,
        match=r"newer Roundtable \(version 99, this one knows 1\): install that one, or set",
    ):
        await Store.open(store.path)
