"""Why a seat has no answer."""

from typing import Final

OVER_BUDGET: Final = "over budget"
NOT_IN_TIME: Final = "no model was usable in time"
NO_ANSWER: Final = "no answer"


def over_budget(obstacle: str) -> str:
    """Nobody was asked, for lack of money."""
    return f"{OVER_BUDGET}: {obstacle}"


def timed_out(seconds: float) -> str:
    """Nobody answered in time."""
    return f"timeout after {seconds:g} s"


def failed(kind: str, why: str) -> str:
    """A call failed."""
    return f"{kind}: {why}"


def said_nothing(model: str) -> str:
    """An answer without a word."""
    return f"{model} sent an empty answer."


def not_whole(model: str, seconds: float) -> str:
    """An answer that had not ended when its time was over."""
    return f"{model} did not finish its answer within {seconds:g} seconds."
