"""How much a call may write, by its purpose: every request carries such a limit.

A limit is several times what the prompt asks for, so that it never cuts a format; it is there for
models that do not stop. Hidden reasoning counts as written with most providers, so each model has
an allowance for it on top: `models.<name>.reasoningTokens` in panels.json.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from bot.money.estimate import size_of

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
ANY_WORDS: Final = 1200
TOKENS_PER_WORD: Final = 2
"""English needs fewer, other languages more."""
ROOM: Final = 3


class OutputLimits(NamedTuple):
    """In tokens: what a call may write, and what it may write when money is short."""

    full: int
    tight: int


def output_limits(purpose: str, reasoning: int) -> OutputLimits:
    """The limits of a call, with so much on top for what the model thinks unseen."""
    asked = WORDS.get(purpose, ANY_WORDS) * TOKENS_PER_WORD
    tight = max(size_of(purpose).most_written, asked * ROOM // 2)
    return OutputLimits(asked * ROOM + reasoning, tight + reasoning)
