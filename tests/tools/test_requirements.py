"""The page of requirements is made from what tests name in their docstrings."""

import json
from pathlib import Path

import pytest

from tools.mutation_results import Result
from tools.requirements import (
    IDS,
    Requirement,
    ids_in,
    main,
    named_by_tests,
    page,
    read_requirements,
    unknown_ids,
)

SAMPLE = '''
"""Module docstrings name nothing: E1."""

def test_plain():
    """E93."""

async def test_async():
    """A19 A20: both borders."""

class TestGroup:
    def test_method(self):
        """E93, 2.2#13."""

def helper():
    """E2."""

def test_without_docstring():
    text = """E3"""  # E4
'''


@pytest.mark.parametrize(
    ("docstring", "ids"),
    [
        ("E93.", ["E93"]),
        ("A19 A20", ["A19", "A20"]),
        ("E52, E54: both.", ["E52", "E54"]),
        ("E110-E113.", ["E110", "E111", "E112", "E113"]),
        ("E41–43", ["E41", "E42", "E43"]),
        ("2.2#13 E26: the loser.", ["2.2#13", "E26"]),
        ("2.2#12, #13", ["2.2#12", "2.2#13"]),
        ("2.2#1-#3", ["2.2#1", "2.2#2", "2.2#3"]),
        ("Cites [E1] and `E2`.", []),
        ("UTF8, HTTP2, F9, CE93 and design 2.2 name nothing.", []),
    ],
)
def test_ids_are_read_singly_in_lists_and_in_ranges(docstring: str, ids: list[str]) -> None:
    assert list(ids_in(docstring)) == ids


def test_only_docstrings_of_test_functions_count(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "test_sample.py").write_text(SAMPLE)
    (tmp_path / "sample.py").write_text(SAMPLE)
    assert named_by_tests(tmp_path) == {
        "E93": ["deep/test_sample.py::test_plain", "deep/test_sample.py::test_method"],
        "A19": ["deep/test_sample.py::test_async"],
        "A20": ["deep/test_sample.py::test_async"],
        "2.2#13": ["deep/test_sample.py::test_method"],
    }


CAUGHT: Result = {"place": "x.py::f", "change": "`<` → `<=`", "state": "s", "caught": True}
SURVIVED: Result = {
    "place": "x.py::g",
    "change": "`a | b` → `a & b`",
    "state": "s",
    "caught": False,
    "reason": "It is the same.",
}


def test_the_page_shows_three_tests_then_counts_and_marks_what_is_open() -> None:
    rows = (Requirement("A1", "First"), Requirement("A2", "Second"), Requirement("2.2#1", "Third"))
    made = page(rows, {"A1": ["a::t", "b::t", "c::t", "d::t", "e::t"], "2.2#1": ["f::t"]}, {})
    assert "| A1 | First | `a::t`, `b::t`, `c::t` +2 | 0 | 0 |" in made
    assert "| A2 | Second | **open** | 0 | 0 |" in made
    assert "| A | 1/2 | 0/0 |" in made
    assert "nobody caught" not in made
    assert made.rstrip().endswith("| 2.2 | 1/1 | 0/0 |")


def test_the_page_says_what_was_tried_and_why_something_survived() -> None:
    rows = (Requirement("A1", "First"), Requirement("2.2#1", "Third"))
    made = page(rows, {"A1": ["a::t"]}, {"A1": [CAUGHT, SURVIVED], "2.2#1": [CAUGHT]})
    assert "| A1 | First | `a::t` | 2 | 1 |" in made
    assert "| A1 | `x.py::g` | `a ¦ b` → `a & b` | It is the same. |" in made
    assert "x.py::f" not in made
    assert "| A | 1/1 | 1/2 |" in made
    assert made.rstrip().endswith("| 2.2 | 0/1 | 1/1 |")


def test_an_id_nobody_knows_is_found() -> None:
    assert unknown_ids([Requirement("A1", "First")], ["A1", "E999"]) == ["E999"]


def test_the_list_holds_every_id_once() -> None:
    rows = read_requirements(IDS.read_text(encoding="utf-8"))
    sizes = {"A": 35, "B": 50, "C": 27, "D": 21, "E": 127, "2.2#": 50}
    wanted = [f"{letter}{n}" for letter, size in sizes.items() for n in range(1, size + 1)]
    assert [row.id for row in rows] == wanted
    assert all(row.title for row in rows)


def test_a_page_that_is_not_current_fails_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "requirements.md"
    (tmp_path / "test_sample.py").write_text(SAMPLE)
    results = tmp_path / "mutations.json"
    assert main(["--check"], page, tmp_path, results) == 1
    assert "run `python tools/requirements.py`" in capsys.readouterr().err
    assert main([], page, tmp_path, results) == 0
    assert main(["--check"], page, tmp_path, results) == 0
    results.write_text(json.dumps({"E93": [CAUGHT]}), encoding="utf-8")
    assert main(["--check"], page, tmp_path, results) == 1
