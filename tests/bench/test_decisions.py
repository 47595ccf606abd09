"""The benchmark of decisions judges panels by the bot's own code, and says what it lacks."""

import sys
from pathlib import Path

import pytest

from bench import decisions
from bot.prompting.closing_lines import Ballot

MEMBERS = ("strong", "weak", "weaker")


def questions(count: int) -> list[decisions.Question]:
    """One member is always right, the two others are wrong together in half of the questions."""
    return [
        decisions.Question(
            f"subject {n % 2}",
            "A",
            {
                "strong": Ballot("A", 90),
                "weak": Ballot("A" if n % 4 < 2 else "B", 80),
                "weaker": Ballot("A" if n % 4 < 2 else "B", 80),
            },
        )
        for n in range(count)
    ]


def test_skill_of_other_subjects_overrules_a_weak_majority() -> None:
    found = decisions.judge(questions(80), MEMBERS)
    assert (found.best, found.majority, found.ours) == (1.0, 0.5, 1.0)
    assert found.votes == pytest.approx(1.0, abs=0.05)


def test_the_calibration_error_is_the_distance_between_promise_and_truth() -> None:
    assert decisions.calibration_error([(0.75, n < 75) for n in range(100)]) == pytest.approx(0.0)
    assert decisions.calibration_error([(0.9, n < 60) for n in range(100)]) == pytest.approx(0.3)


def test_without_data_it_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for given in ([], ["--data", str(tmp_path)]):
        monkeypatch.setattr(sys, "argv", ["decisions.py", *given])
        assert decisions.main() == 0
        assert "LLM-Calibration-Study" in capsys.readouterr().out
