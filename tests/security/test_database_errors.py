"""A database that fails tells people no path, and the log nothing that people wrote."""

import asyncio
import sqlite3
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, StatementError

from bot.errors import UnavailableError
from bot.store import DATABASE, Store
from bot.store.engine.backend import Where
from bot.store.repositories.runs import RunRepository
from bot.store.tables import runs as run_table
from tests.store.conftest import sql, start_run, writer_of
from tests.support.postgres_server import PostgresServer

pytestmark = pytest.mark.heavy

SECRET = "what Jonas told the table in confidence"


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """A place for a store in each database."""
    if request.param == "sqlite":
        return tmp_path / DATABASE
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.url(asyncio.run(server.create()))


def shown(error: BaseException) -> str:
    """What a log shows of an error, with everything behind it."""
    return "".join(traceback.format_exception(error))


Work = Callable[[str], Callable[[Connection], None]]


def twice(run_id: str) -> Callable[[Connection], None]:
    """Insert the same row once more, through SQLAlchemy."""

    def work(conn: Connection) -> None:
        row = conn.execute(run_table.select().where(run_table.c.id == run_id)).one()._asdict()
        conn.execute(run_table.insert(), row | {"topic": SECRET})

    return work


def without_mode(run_id: str) -> Callable[[Connection], None]:
    """Break a rule of the table, which makes a server quote the row."""

    def work(conn: Connection) -> None:
        changed = {"mode": None, "topic": SECRET}
        conn.execute(run_table.update().where(run_table.c.id == run_id), changed)

    return work


@pytest.mark.parametrize("work", [twice, without_mode])
async def test_an_error_shows_no_parameters_in_either_database(where: Where, work: Work) -> None:
    store = await Store.open(where)
    try:
        run = await start_run(store)
        with pytest.raises(DBAPIError) as told:
            await store.write(work(run.id))
        assert SECRET not in shown(told.value)
        assert await store.read(lambda conn: RunRepository(conn).get(run.id))
    finally:
        await store.close()


async def test_statements_given_as_text_show_none_either(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / DATABASE)
    try:
        with pytest.raises(StatementError) as told:
            await store.write(sql("SELECT ? FROM nowhere", SECRET))
        assert SECRET not in shown(told.value)
    finally:
        await store.close()


def nothing(conn: Connection) -> None:
    conn.exec_driver_sql("DELETE FROM posts")


async def test_people_are_told_what_to_do_and_not_where_it_lies(tmp_path: Path) -> None:
    """Whoever starts the bot is told the path; whoever uses it in Discord is not."""
    path = tmp_path / "secret-folder" / DATABASE
    store = await Store.open(path)
    (await writer_of(store))("PRAGMA busy_timeout=10")
    await store.write(nothing)
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnavailableError, match="locked by another program") as told:
            await store.write(nothing)
        other.execute("ROLLBACK")
    assert "secret-folder" not in told.value.text
    assert DATABASE not in told.value.text
    with pytest.raises(UnavailableError, match="secret-folder"):
        await Store.open(path)
    await store.close()
