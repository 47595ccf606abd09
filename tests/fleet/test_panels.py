"""panels.json of several workers: the newest that one of them finds is used by all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.fleet.panels import FleetPanels
from bot.panels.live import LivePanels
from bot.store import Store
from bot.store.repositories.servers import SettingsRepository
from tests.panels.panels_data import alone


class _Machine:
    """A worker's file and what it uses."""

    def __init__(self, store: Store, folder: Path, rounds: int) -> None:
        folder.mkdir()
        self.file = folder / "panels.json"
        self.save(rounds)
        self.panels = LivePanels(self.file)
        self.told: list[str] = []
        self.read = 0
        self.in_use = ""
        self._fleet = FleetPanels(store, self.panels, self._settings, self._tell, self._used)

    def save(self, rounds: int, **more: Any) -> None:
        data = alone() | more
        data["limits"] = data.get("limits", {}) | {"maxRounds": rounds}
        self.file.write_text(json.dumps(data), encoding="utf-8")

    async def look(self) -> int:
        """What the worker uses after it looked around."""
        await self._fleet.look()
        return self.panels.current.limits.max_rounds

    async def _settings(self) -> None:
        self.read += 1

    async def _tell(self, text: str) -> None:
        self.told.append(text)

    def _used(self, digest: str) -> None:
        self.in_use = digest


@pytest.fixture
def machine(store: Store, tmp_path: Path) -> Callable[[str, int], _Machine]:
    return lambda name, rounds: _Machine(store, tmp_path / name, rounds)


async def test_a_file_that_is_saved_on_one_machine_is_used_on_all(
    machine: Callable[[str, int], _Machine],
) -> None:
    """Issue 25, point 6."""
    one, other = machine("one", 2), machine("other", 2)
    assert (await one.look(), await other.look()) == (2, 2)
    one.save(3)
    await one.panels.reload()
    assert (await one.look(), await other.look()) == (3, 3)
    assert one.in_use == other.in_use != ""
    other.save(1)
    await other.panels.reload()
    assert (await other.look(), await one.look()) == (1, 1)


async def test_a_worker_that_starts_with_an_old_copy_uses_the_newest(
    machine: Callable[[str, int], _Machine],
) -> None:
    """A copy that nobody has used is news; one that was used before is not, unless it is saved."""
    one = machine("one", 2)
    await one.look()
    assert (await machine("deployed", 3).look(), await one.look()) == (3, 3)
    late = machine("late", 2)
    assert (await late.look(), await one.look()) == (3, 3)
    await late.panels.reload()
    assert (await late.look(), await one.look()) == (3, 3)
    late.save(1)
    await late.panels.reload()
    assert (await late.look(), await one.look()) == (1, 1)
    late.save(2)
    await late.panels.reload()
    assert (await late.look(), await one.look()) == (2, 2)


async def test_what_admins_store_in_chat_is_read_by_every_worker(
    machine: Callable[[str, int], _Machine], store: Store
) -> None:
    """Issue 25, point 6; a pause is read from the database whenever somebody asks for a topic."""
    one = machine("one", 2)
    await one.look()
    await one.look()
    assert one.read == 1
    await store.write(lambda conn: SettingsRepository(conn).put(5, 6, {}, 7.0))
    await one.look()
    assert one.read == 2


async def test_a_file_that_another_version_wrote_is_refused_once_and_told(
    machine: Callable[[str, int], _Machine], store: Store
) -> None:
    one = machine("one", 2)
    await one.look()
    unknown = (
        "INSERT INTO published_panels (digest, document, process, published_at)"
        " VALUES ('d', '{\"ofTheNextVersion\": 1}', 'p', 0)"
    )
    await store.write(lambda conn: conn.exec_driver_sql(unknown))
    assert (await one.look(), await one.look()) == (2, 2)
    (told,) = one.told
    assert told.startswith("A worker cannot use the panels.json that another one uses: update it.")
