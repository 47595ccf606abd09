"""A backup is whole and consistent, also while the bot writes."""

import asyncio
import sqlite3
from itertools import count
from pathlib import Path

import pytest

from bot.errors import UnavailableError
from bot.operations.backup import back_up
from bot.store import DATABASE, Store
from tests.store.conftest import request_for, start_run


def rows(path: Path, query: str) -> list[tuple[int]]:
    with sqlite3.connect(path) as conn:
        return conn.execute(query).fetchall()


async def test_a_backup_taken_while_writing_holds_only_whole_transactions(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / DATABASE)
    stop, busy = asyncio.Event(), asyncio.Event()

    async def keep_writing() -> None:
        for number in count():
            if stop.is_set():
                return
            if number == 5:
                busy.set()
            await start_run(store, request_for(generation=number))

    writing = asyncio.create_task(keep_writing())
    try:
        await busy.wait()
        copy = await asyncio.to_thread(back_up, tmp_path / DATABASE, tmp_path / "copy.db")
    finally:
        stop.set()
        await writing
        await store.close()

    # Each run is written with its first event in one transaction.
    (runs,) = rows(copy, "SELECT count(*) FROM runs")[0]
    (events,) = rows(copy, "SELECT count(DISTINCT run_id) FROM events")[0]
    assert runs == events >= 5
    assert copy.stat().st_mode & 0o077 == 0


async def test_a_backup_put_in_its_place_opens_as_a_store(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / DATABASE)
    run = await start_run(store)
    copy = await asyncio.to_thread(back_up, tmp_path / DATABASE)
    await store.close()

    restored = tmp_path / "elsewhere" / DATABASE
    restored.parent.mkdir()
    copy.rename(restored)
    again = await Store.open(restored)
    try:
        found = await again.read(lambda c: c.exec_driver_sql("SELECT id FROM runs").scalar_one())
    finally:
        await again.close()
    assert found == run.id


def test_a_backup_never_overwrites_a_file(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / DATABASE).close()
    (tmp_path / "there.db").write_text("precious")

    with pytest.raises(UnavailableError, match="already exists: choose another file name"):
        back_up(tmp_path / DATABASE, tmp_path / "there.db")

    assert (tmp_path / "there.db").read_text() == "precious"


def test_a_missing_database_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="set ROUNDTABLE_HOME"):
        back_up(tmp_path / DATABASE)


def test_a_damaged_database_leaves_no_file_behind(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"SQLite format 3\0" + bytes(range(1, 251)) * 20)

    with pytest.raises(UnavailableError, match="could not be written"):
        back_up(tmp_path / DATABASE, tmp_path / "copy.db")

    assert [path.name for path in tmp_path.iterdir()] == [DATABASE]


def test_a_postgres_is_left_to_its_own_tool() -> None:
    with pytest.raises(UnavailableError, match="back it up with pg_dump") as refusal:
        back_up("postgresql://ada:secret-word@db/tables")
    assert "secret-word" not in refusal.value.text
