"""`roundtable init`: the shipped settings as files to edit."""

from pathlib import Path

import pytest

from bot.cli import write_starter_files
from bot.errors import UnavailableError
from bot.panels import load_panels
from bot.settings import SHIPPED_PANELS, load_settings

NAMES = {"panels.json", "panels.schema.json", ".env.example"}


def test_the_shipped_files_are_written_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 22: whoever installed the wheel gets a panels.json to edit."""
    monkeypatch.chdir(tmp_path)
    said = list(write_starter_files(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == NAMES
    assert said[0] == f"Written: {tmp_path / 'panels.json'}"
    assert "roundtable check" in said[-1]
    assert load_settings(environ={}).panels == tmp_path / "panels.json"
    assert load_panels(tmp_path / "panels.json") == load_panels(SHIPPED_PANELS)


def test_no_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "panels.json").write_text("mine")
    said = list(write_starter_files(tmp_path))
    assert said[0] == f"Already there, left as it is: {tmp_path / 'panels.json'}"
    assert (tmp_path / "panels.json").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == NAMES


def test_the_small_model_has_panels_of_its_own(tmp_path: Path) -> None:
    list(write_starter_files(tmp_path, small_model=True))
    local = SHIPPED_PANELS.with_name("panels.local.json")
    assert (tmp_path / "panels.json").read_bytes() == local.read_bytes()


def test_a_folder_that_is_not_there_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"could not be written \(No such file"):
        list(write_starter_files(tmp_path / "gone"))
