"""Rehearsing bad days: making chosen calls fail, hang or answer badly, without any mock.

A port is given `troubles`, keyed by the label of a request, for instance
`{"r1:analyst": Trouble("hang"), "synthesis": Trouble("overloaded", times=1)}`.
"""

from dataclasses import dataclass

from bot.errors import ConfigError
from bot.models.port import ErrorKind

HANG, GARBAGE, EMPTY, SLOW, CUT = "hang", "garbage", "empty", "slow", "cut"
MISBEHAVIOURS = frozenset({HANG, GARBAGE, EMPTY, SLOW, CUT})
KINDS = MISBEHAVIOURS | {kind.value for kind in ErrorKind}

GARBAGE_TEXT = (
    "well, it depends, and anyway the form does not suit me; imagine a table with three legs "
    "and a fourth one somewhere else, that is about what I think of it"
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong with a call.

    `kind` is the value of an ErrorKind (the call fails that way), "hang" (no answer ever comes),
    "garbage" (text without any structure), "empty" (an answer without text), "slow" (the answer
    takes `seconds`) or "cut" (the stream ends in the middle). `times` limits it to the first so
    many calls of that label; None means always. `retry_after` goes with a failing kind.
    """

    kind: str
    seconds: float = 0.0
    times: int | None = None
    retry_after: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            known = ", ".join(sorted(KINDS))
            raise ConfigError(f"“{self.kind}” is not a trouble; use one of: {known}.")

    @property
    def error(self) -> ErrorKind | None:
        """The error the call fails with, if it fails."""
        return None if self.kind in MISBEHAVIOURS else ErrorKind(self.kind)
