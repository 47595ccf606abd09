"""Sums that calls hold and cost: dollars where a price is known, tokens elsewhere."""

import math
from dataclasses import dataclass


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
class Grant:
    """What was held for a call, and how many tokens it may write for that."""

    held: Amount
    output_tokens: int
