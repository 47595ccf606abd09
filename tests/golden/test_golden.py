"""Nothing people rely on changes unless somebody means it: golden files say what it was."""

from pathlib import Path

import pytest

from tests.golden.contracts import CONTRACTS
from tests.golden.files import complaint, differences, kept


@pytest.mark.parametrize("name", CONTRACTS)
async def test_what_people_rely_on_is_as_it_was(name: str, tmp_path: Path) -> None:
    """E93 E94: the keys of the files, beside commands, ids and tables."""
    told = complaint(name, await CONTRACTS[name](tmp_path))
    assert not told, told


def test_every_file_is_compared() -> None:
    assert kept() == set(CONTRACTS)


def test_a_difference_names_its_key() -> None:
    then = {"a": {"b": 1, "c": 2}, "words": ["x", "y"], "rows": [{"k": 1}], "same": None}
    now = {"a": {"b": 1, "d": 3}, "words": ["y", "z"], "rows": [{"k": 2}], "same": None}
    assert list(differences(then, now)) == [
        "- a.c is gone",
        "- a.d is new",
        "- words: x is gone",
        "- words: z is new",
        "- rows[0].k: 1 became 2",
    ]
    assert list(differences({"flag": True}, {"flag": 1})) == ["- flag: true became 1"]
    assert list(differences({"w": ["x", "x"]}, {"w": ["x"]})) == ["- w: x is gone"]
    assert list(differences({"w": ["x", "y"]}, {"w": ["y", "x"]})) == ["- w: the order differs"]


def test_a_complaint_says_how_to_accept_the_change() -> None:
    told = complaint("event_types", {"types": ["task.created"]})
    assert "tests/golden/event_types.json" in told
    assert "types: run.designed is gone" in told
    assert "python -m tests.golden" in told
