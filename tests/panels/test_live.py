"""panels.json is watched: what is good is taken, what is bad is told once and changes nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.panels import PanelsConfig
from bot.panels.live import LivePanels, PanelsWatch, refusal
from tests.panels.panels_data import Data, shipped

MOST_PROBLEMS = 5


class Watched:
    """A file that somebody edits, and everything the admins were told."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "panels.json"
        self._moment = 1_000_000_000
        self.write(json.dumps(shipped()))
        self.panels = LivePanels(self.file)
        self.adopted: list[PanelsConfig] = []
        self.told: list[str] = []
        self.panels.adopt = self._adopt
        self.watch = PanelsWatch(self.panels, self._tell)

    async def _adopt(self, config: PanelsConfig) -> None:
        self.adopted.append(config)

    async def _tell(self, text: str) -> None:
        self.told.append(text)

    def write(self, text: str) -> None:
        self.file.write_text(text, encoding="utf-8")
        self._moment += 1
        os.utime(self.file, ns=(self._moment, self._moment))

    def edit(self, change: Callable[[Data], object]) -> None:
        data = shipped()
        change(data)
        self.write(json.dumps(data))

    async def look(self, times: int = 2) -> None:
        for _ in range(times):
            await self.watch.look()


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


async def test_a_good_change_is_taken_once_it_has_come_to_rest(watched: Watched) -> None:
    watched.edit(lambda data: data["limits"].update(maxSeats=5))
    await watched.look(1)
    assert watched.panels.current.limits.max_seats == 8  # it may still be written
    await watched.look(3)
    assert watched.panels.for_server(None).limits.max_seats == 5
    assert [config.limits.max_seats for config in watched.adopted] == [5]
    assert watched.told == []


async def test_a_file_that_only_looks_new_changes_nothing(watched: Watched) -> None:
    watched.write(json.dumps(shipped(), indent=4))
    await watched.look()
    assert watched.adopted == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{\n  "output": {"useThreads": true,}\n}', "line 2, column 33"),
        (json.dumps(shipped() | {"limits": {"maxSeats": "many"}}), "limits.maxSeats"),
    ],
)
async def test_a_bad_file_keeps_the_old_one_and_is_told_once(
    watched: Watched, text: str, named: str
) -> None:
    old = watched.panels.current
    watched.write(text)
    await watched.look(6)
    watched.write(text + "\n")  # saved again, as wrong as before
    await watched.look()
    assert watched.panels.current is old
    assert len(watched.told) == 1
    assert named in watched.told[0]
    with pytest.raises(ConfigError, match=named.split(",", maxsplit=1)[0]):
        await watched.panels.reload()
    watched.edit(lambda data: data["limits"].update(maxSeats=6))
    await watched.look()
    assert watched.panels.current.limits.max_seats == 6
    assert watched.told[1:] == [
        "✅ panels.json is valid again and applies from the next roundtable on."
    ]


async def test_a_file_that_is_taken_away_is_told_and_taken_again_when_it_is_back(
    watched: Watched,
) -> None:
    watched.file.unlink()
    await watched.look(4)
    assert len(watched.told) == 1
    assert "no such file" in watched.told[0]
    watched.edit(lambda data: data["limits"].update(maxSeats=4))
    await watched.look()
    assert watched.panels.current.limits.max_seats == 4


def test_a_long_list_of_problems_fits_one_message() -> None:
    text = refusal("\n".join(f"panels.debate.agents[{n}].model: {'x' * 400}" for n in range(50)))
    assert len(text) <= 2000
    assert f"and {50 - MOST_PROBLEMS} more" in text
