"""What the bot keeps on disk is for its own user alone, whatever the umask and the past."""

import asyncio
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.files.private import replace_file
from bot.models.adapters.acp.workspaces import Workspaces
from bot.operations.backup import back_up
from bot.reports.files import roundtables_folder
from bot.store import DATABASE, Store
from tests.e2e.playground_harness import open_harness
from tests.store.conftest import start_run

SCORECARD = "scorecard.jsonl"


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


async def test_the_database_and_its_companions_are_private(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    store = await Store.open(home / DATABASE)
    await start_run(store)
    beside = modes(home)
    await store.close()
    assert set(beside) == {DATABASE, *(f"{DATABASE}{end}" for end in ("-wal", "-shm", ".lock"))}
    assert set(beside.values()) == {0o600}
    assert modes(tmp_path) | modes(tmp_path / "new") == {"new": 0o700, "home": 0o700}


async def test_what_an_earlier_version_left_open_is_closed(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / DATABASE)
    await start_run(store)
    # As if it had been killed, so that the write-ahead log stays; copies are for everybody.
    shutil.copytree(tmp_path, tmp_path / "copy", copy_function=shutil.copyfile)
    assert set(modes(tmp_path / "copy").values()) == {0o666}
    await store.close()
    again = await Store.open(tmp_path / "copy" / DATABASE)
    found = modes(tmp_path / "copy")
    await again.close()
    assert len(found) == 4
    assert set(found.values()) == {0o600}


async def test_a_database_that_may_not_be_written_stays_so(tmp_path: Path) -> None:
    """Only the rights of others are taken away; none is added."""
    path = tmp_path / DATABASE
    await (await Store.open(path)).close()
    path.chmod(0o444)
    store = await Store.open(path)
    await store.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o400


async def test_exports_minutes_and_the_scorecard_are_private(tmp_path: Path) -> None:
    """Also those that were there, at the next start."""
    folder = roundtables_folder(tmp_path)
    async with open_harness(tmp_path) as table:
        await table.hold("roundtable --quick --debate tea")
        written = modes(folder)
    assert len(written) == 5
    assert set(written.values()) == {0o600}
    assert {modes(tmp_path)["memory"], modes(tmp_path / "memory")["roundtables"]} == {0o700}
    for path in folder.iterdir():
        path.chmod(0o666)
    async with open_harness(tmp_path):
        assert set(modes(folder).values()) == {0o600}
    assert SCORECARD in written


async def test_backups_files_and_workspaces_are_private(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / DATABASE)
    await start_run(store)
    copy = await asyncio.to_thread(back_up, tmp_path / DATABASE)
    await store.close()
    replace_file(tmp_path / "note.md", "text")
    await Workspaces(tmp_path).lay_out("rt_1", {"a/b.py": "x = 1\n"})
    found = modes(tmp_path)
    assert (found[copy.name], found["note.md"]) == (0o600, 0o600)
    inner = tmp_path / "workspaces" / "rt_1" / "a"
    assert found["workspaces"] == modes(tmp_path / "workspaces")["rt_1"] == 0o700
    assert modes(inner.parent)["a"] == 0o700
    assert modes(inner)["b.py"] == 0o600
