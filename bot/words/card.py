"""The card of a meeting: what is being done, what it costs, and the rounds."""

from typing import Final

OPENING: Final = "opening the thread …"
READY_TO_START: Final = "ready to start …"
LOOKING_UP: Final = "searching the web …"
SUMMARISING_SEARCH: Final = "summarising search results …"
DESIGNING: Final = "the meta-panel is designing the meeting …"
PHRASING: Final = "the coordinator is phrasing the question as a proposition …"
STAGE_2_WORKS: Final = "stage 2: checking and combining the work of stage 1 …"
CONCLUDING: Final = "writing the conclusion …"
LAST_WORDS: Final = "asking dissenters for a final statement …"
CHECKING: Final = "the panelists are checking the conclusion …"
REWRITING: Final = "rewriting the conclusion …"
STAGE_2: Final = "Stage 2"


def thinking(number: int, planned: int) -> str:
    """The panel answers in a round."""
    return f"round {number} of {planned}: the panel is thinking …"


def summing_up(number: int, planned: int) -> str:
    """A round's answers are there."""
    return f"round {number} of {planned}: summarising the round …"


def round_title(number: int) -> str:
    """The heading of a round's rows."""
    return f"Round {number}"


def waiting(attempt: int, due_at: float) -> str:
    """An attempt failed and the next one is due later."""
    return f"attempt {attempt} failed · next attempt at <t:{due_at:.0f}:T>"


def spent(so_far: str, estimate: str) -> str:
    """What was spent, beside the estimate if there is one."""
    return f"{so_far} of an estimated {estimate}" if estimate else so_far


def remark(role: str, text: str) -> str:
    """A remark about a seat's answer, or about the whole round."""
    return f"{role}: {text}" if role else text
