"""What providers report about a call's usage, made finite: figures come from strangers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.models.port import Usage

MOST_TOKENS: Final = 10_000_000
"""Beyond any model's context."""
MOST_USD: Final = 1_000.0
"""Beyond what one call can cost; a larger figure is no figure."""


def reported_usage(
    read: Sequence[object],
    written: Sequence[object],
    cached: object = None,
    cost: object = None,
    reasoning: object = None,
) -> Usage:
    """The usage of a call from what was said about it, each part perhaps in several figures.

    What is not said is 0 tokens and an unknown cost. What no call can have used is capped, and
    the usage is marked as odd, for the record says so.
    """
    counted = [_count(value) for value in (*read, *written, cached, reasoning)]
    input_tokens = sum(number for number, _ in counted[: len(read)])
    output_tokens = sum(number for number, _ in counted[len(read) : -2])
    usd, odd_cost = _cost(cost)
    return Usage(
        input_tokens=min(input_tokens, MOST_TOKENS),
        output_tokens=min(output_tokens, MOST_TOKENS),
        cached_tokens=counted[-2][0],
        cost_usd=usd,
        reasoning_tokens=counted[-1][0],
        odd=odd_cost or any(odd for _, odd in counted),
    )


def _count(value: object) -> tuple[int, bool]:
    number = _number(value)
    if number is None:
        return 0, False
    if math.isnan(number) or number < 0:
        return 0, True
    return int(min(number, MOST_TOKENS)), number > MOST_TOKENS


def _cost(value: object) -> tuple[float | None, bool]:
    """A number of dollars, or an object with a total; anything else is unknown, never 0."""
    number = _number(value.get("total") if isinstance(value, Mapping) else value)
    if number is None or 0 <= number <= MOST_USD:
        return number, False
    return None, True


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None
    except OverflowError:
        return math.inf if int(value) > 0 else -math.inf
