"""Sums that calls hold and cost: dollars where a price is known, tokens elsewhere."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from bot.money.estimate import size_of


@dataclass(frozen=True, slots=True)
class Amount:
    """Dollars of priced models, tokens of the others."""

    usd: float = 0.0
    tokens: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        """Both together."""
        return Amount(self.usd + other.usd, self.tokens + other.tokens)

    def __sub__(self, other: "Amount") -> "Amount":
        """What is left without the other; rounding never leaves less than nothing."""
        left = self.usd - other.usd
        return Amount(
            0.0 if math.isclose(left, 0.0, abs_tol=1e-12) else left, self.tokens - other.tokens
        )

    def beyond(self, other: "Amount") -> "Amount":
        """What is missing if the other is there already."""
        return Amount(max(0.0, self.usd - other.usd), max(0, self.tokens - other.tokens))

    def or_more(self, other: "Amount") -> "Amount":
        """The larger of both, each for itself."""
        return Amount(max(self.usd, other.usd), max(self.tokens, other.tokens))

    def __bool__(self) -> bool:
        """Whether it is anything at all."""
        return bool(self.usd or self.tokens)


NOTHING = Amount()


@dataclass(frozen=True, slots=True)
class Bill:
    """What a try cost, None when nobody knows, and what it counts against the budget."""

    cost_usd: float | None = None
    charged: Amount = NOTHING


NO_BILL = Bill()


@dataclass(frozen=True, slots=True)
class CallGrant:
    """What was held for a call, and how many tokens it may write for that."""

    held: Amount
    output_tokens: int


WORDS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "search-digest": 300,
        "meta-panel": 500,
        "proposition": 60,
        "round1": 750,
        "round2-cross-critique": 900,
        "rolling-summary": 800,
        "final-synthesis": 1200,
        "dissent": 120,
        "round3-validation": 200,
        "follow-up": 300,
        "build-spec": 900,
        "build-spec-review": 500,
        "build-files": 4000,
        "build-spec-gate": 800,
        "build-quality-gate": 800,
    }
)
"""How many words each prompt asks for at most, with the lines of its format."""
_ANY_WORDS: Final = 1200
_TOKENS_PER_WORD: Final = 2
"""English needs fewer, other languages more."""
_ROOM: Final = 3


class OutputLimits(NamedTuple):
    """In tokens: what a call may write, and what it may write when money is short."""

    full: int
    tight: int


def output_limits(purpose: str, reasoning: int) -> OutputLimits:
    """The limits of a call, with so much on top for what the model thinks unseen."""
    asked = WORDS.get(purpose, _ANY_WORDS) * _TOKENS_PER_WORD
    tight = max(size_of(purpose).most_written, asked * _ROOM // 2)
    return OutputLimits(asked * _ROOM + reasoning, tight + reasoning)
