"""How long a model may be silent before another one is asked in its place (2.2#24)."""

import time
from typing import Final

from bot.council.late import LINGER_SECONDS
from bot.council.outside_sessions import ON_THIS_MACHINE
from bot.council.questions import ModelCall
from bot.models.port import ErrorKind, ModelError
from bot.panels import ResolvedModel

WORTH_ASKING: Final = 0.4
"""The share of its time that a fallback needs: half, less what noticing the stall took."""


def first_word_seconds(
    model: ResolvedModel, ask: ModelCall, left: float, whole: float
) -> float | None:
    """How long a model may take for its first word; None where its server decides.

    With nobody after it, a model may think for as long as it is heard. A server on this machine
    may have to load the model first.
    """
    if model.kind in ON_THIS_MACHINE or whole > ask.seconds:
        return None
    is_last = model == ask.models[-1]
    return left + LINGER_SECONDS if is_last else min(left, whole / 2)


def may_ask_next(error: ModelError, deadline: float, whole: float) -> bool:
    """Whether the next model may be asked: after an error, and after a stall with time left."""
    if error.kind is not ErrorKind.TIMEOUT:
        return True
    return error.stalled and deadline - time.monotonic() >= WORTH_ASKING * whole
