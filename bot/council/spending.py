"""What a run spent and whether money cut it short, from what the store holds."""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.council.ending import RoundsEnd
from bot.council.record import Spending
from bot.messages.meeting import RoundsText, SeatAnswerText
from bot.store.calls import Spent


def spending_of(spent: Spent) -> Spending:
    """The sums over the run's calls."""
    return Spending(
        calls=spent.calls,
        tokens=spent.input_tokens + spent.output_tokens,
        known_usd=spent.known_usd,
        unpriced_calls=spent.unpriced_calls,
    )


def budget_note(rounds: Iterable[Mapping[str, Any]], problems: Iterable[str]) -> str:
    """Why the conclusion rests on less than planned, for its first line; mostly nothing."""
    for closed in rounds:
        if closed.get("reason") == RoundsEnd.NO_MONEY:
            return RoundsText.budget_reached(str(closed["text"]))
    for problem in problems:
        if is_over_budget(problem):
            obstacle = problem.partition(": ")[2]
            return RoundsText.budget_reached(RoundsText.not_everybody(obstacle))
    return ""


def is_over_budget(problem: str) -> bool:
    """Whether a question was never asked for lack of money."""
    return problem.startswith(SeatAnswerText.OVER_BUDGET)
