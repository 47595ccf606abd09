"""How often a panel's vote is right, how well it knows that, and how many votes it is worth.

Published answers of real models to questions with known answers are voted on by the code that the
bot runs (bot/measures). Skills and correlations of a subject come from the other subjects alone.
The data are not part of the project: `--data DIR` names the folder that holds mmlu_pro/.
"""

import argparse
import csv
import gzip
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.measures.tally import Tally
from bot.measures.worth import Experience, PanelWorth, seat_weights, skills_of
from bot.prompting.closing_lines import Ballot

WHERE = (
    "decisions: no data, nothing measured. Give --data DIR, a folder with mmlu_pro/answers.csv.gz "
    "and mmlu_pro/confidence_numeric.csv.gz: row, category, correct_answer and one column per "
    "model, made of results/mmlu_pro_* in the repository Linwei94/LLM-Calibration-Study (MIT)."
)
PANELS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "seven": (
        3.0,
        (
            *("gpt-4.1", "claude-3-7-sonnet-20250219", "deepseek-chat", "grok-3-beta"),
            *("gemini-2.0-flash", "Llama-4-Maverick-17B-128E-Instruct-FP8"),
            "Qwen3-235B-A22B-fp8-tput",
        ),
    ),
    "four": (2.0, ("gpt-4.1", "claude-3-7-sonnet-20250219", "deepseek-chat", "grok-3-beta")),
    "mixed": (
        -0.3,
        (
            *("deepseek-reasoner", "gpt-4.1", "claude-3-5-haiku-20241022"),
            *("gpt-4o-mini-2024-07-18", "Mistral-Small-24B-Instruct-2501"),
        ),
    ),
    "small": (
        2.3,
        (
            *("claude-3-5-haiku-20241022", "gpt-4o-mini-2024-07-18"),
            *("Mistral-Small-24B-Instruct-2501", "gemini-1.5-flash", "gemma-3-27b-it"),
        ),
    ),
    "family": (
        0.8,
        (
            *("Qwen3-14B", "Qwen3-32B", "Qwen3-30B-A3B", "Qwen2.5-32B-Instruct"),
            "Qwen3-235B-A22B-fp8-tput",
        ),
    ),
}
"""By name: how many points ours must be ahead of the best member, and the members."""
LIMIT_ERROR = 0.035
BINS = 10


@dataclass(frozen=True)
class Question:
    """One question: its subject, the right option, and every model's ballot, None if unreadable."""

    subject: str
    right: str
    ballots: Mapping[str, Ballot | None]

    def is_right(self, model: str) -> bool:
        """Whether a model chose the right option."""
        ballot = self.ballots[model]
        return ballot is not None and ballot.option == self.right


@dataclass(frozen=True)
class Result:
    """What one panel reached: shares of right answers, calibration errors, independent votes."""

    best: float
    majority: float
    ours: float
    error: float
    unskilled_error: float
    """The calibration error where no skill is known, as panels.json is shipped."""
    unskilled_excess: float
    """How much more sure than right votes are where no skill is known; below 0 too cautious."""
    votes: float


def read_questions(folder: Path) -> list[Question]:
    """All questions with the ballots of the models that sit on any panel."""
    seated = {model for _, members in PANELS.values() for model in members}
    with (
        gzip.open(folder / "answers.csv.gz", "rt", encoding="utf-8", newline="") as answers,
        gzip.open(folder / "confidence_numeric.csv.gz", "rt", encoding="utf-8") as stated,
    ):
        rows = zip(csv.DictReader(answers), csv.DictReader(stated), strict=True)
        return [
            Question(
                row["category"],
                row["correct_answer"],
                {model: _ballot(row[model], sure[model]) for model in seated},
            )
            for row, sure in rows
        ]


def _ballot(option: str, stated: str) -> Ballot | None:
    if not option:
        return None
    return Ballot(option, min(100, max(0, round(100 * float(stated)))) if stated else None)


def judge(questions: Sequence[Question], members: Sequence[str]) -> Result:
    """Let a panel vote on every question, each subject with what the others taught."""
    plain: list[tuple[Tally, bool]] = []
    ours: list[tuple[Tally, bool]] = []
    votes = 0.0
    for subject in sorted({question.subject for question in questions}):
        others = [q for q in questions if q.subject != subject]
        history = [{model: q.is_right(model) for model in members} for q in others]
        decided = {m: (sum(right[m] for right in history), len(history)) for m in members}
        skills = skills_of(dict.fromkeys(members), decided)
        seats = {model: model for model in members}
        weights = seat_weights(seats, skills)
        worth = PanelWorth.of(seats, seats, skills, Experience(tuple(history)))
        asked = [q for q in questions if q.subject == subject]
        votes += worth.votes * len(asked) if worth else 0.0
        for question in asked:
            for results, used in ((plain, ()), (ours, weights)):
                tally = count(question, members, used)
                results.append((tally, tally.leader == question.right))
    held = len(questions)
    return Result(
        best=max(sum(q.is_right(model) for q in questions) for model in members) / held,
        majority=sum(right for _, right in plain) / held,
        ours=sum(right for _, right in ours) / held,
        error=calibration_error(_promises(ours)),
        unskilled_error=calibration_error(_promises(plain)),
        unskilled_excess=excess(_promises(plain)),
        votes=votes / held,
    )


def _promises(results: Sequence[tuple[Tally, bool]]) -> list[tuple[float, bool]]:
    return [(tally.sure, right) for tally, right in results if tally.sure is not None]


def count(
    question: Question, members: Sequence[str], weights: tuple[tuple[str, float], ...] = ()
) -> Tally:
    """The vote of a panel on one question."""
    ballots = {model: question.ballots[model] for model in members}
    options = sorted({b.option for b in ballots.values() if b is not None and b.option})
    return Tally.of(1, options, ballots, weights)


def calibration_error(sure: Sequence[tuple[float, bool]]) -> float:
    """The expected calibration error: how far ten bins are from what they promise."""
    bins: defaultdict[int, float] = defaultdict(float)
    for share, right in sure:
        bins[min(BINS - 1, int(share * BINS))] += share - right
    return sum(map(abs, bins.values())) / len(sure)


def excess(sure: Sequence[tuple[float, bool]]) -> float:
    """How much votes promise on average beyond what is true."""
    return sum(share - right for share, right in sure) / len(sure)


def report(name: str, found: Result, ahead: float) -> bool:
    """Print one panel's figures; whether they are within their limits."""
    gain = 100 * (found.ours - found.best)
    print(
        f"{name}: best member {found.best:.1%}, majority {found.majority:.1%}, "
        f"ours {found.ours:.1%}, worth {found.votes:.2f} votes"
    )
    calibrated = "within" if found.unskilled_error <= LIMIT_ERROR else "beyond"
    print(
        f"{name} without skills: calibration error {found.unskilled_error:.4f} ({calibrated} "
        f"{LIMIT_ERROR:.4f}, none is promised), {100 * found.unskilled_excess:+.1f} points too sure"
    )
    print(f"decisions_{name}_gain: {gain:+.2f} (limit {ahead:+.2f})")
    print(f"decisions_{name}_calibration_error: {found.error:.4f} (limit {LIMIT_ERROR:.4f})")
    return gain >= ahead and found.error <= LIMIT_ERROR


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder that holds mmlu_pro/")
    folder = parser.parse_args().data
    if folder is None or not (folder / "mmlu_pro" / "answers.csv.gz").is_file():
        print(WHERE)
        return 0
    questions = read_questions(folder / "mmlu_pro")
    print(f"{len(questions)} questions, skills from other subjects than the one judged")
    kept = [report(name, judge(questions, m), ahead) for name, (ahead, m) in PANELS.items()]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
