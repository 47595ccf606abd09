"""Why no further round is held, and what a spent budget means for the conclusion."""

from typing import Final

NOBODY_LEFT: Final = "No panelist can continue."
LAST_ROUND: Final = "All planned rounds are done."
ALONE: Final = "There is only one panelist, so there is no debate."
PEERS_FAILED: Final = "Only one panelist is left, so the debate ends here."
CONVERGED: Final = "The panel converged: few points are still disputed."
STAGE_2_UNANSWERED: Final = "Nobody answered in stage 2, so the conclusion is based on stage 1."
NO_TIME: Final = "There is no time left for another round."
ALL_AGREE: Final = "All panelists agree, so the rounds end early."
MOST_AGREE: Final = "Most panelists agree and none disagrees, so the rounds end early."


def nobody_answered(number: int, last_answered: int) -> str:
    """A later round in which every panelist failed."""
    rest = rounds_before(last_answered)
    return f"Nobody answered in round {number}, so the conclusion is based on {rest}."


def rounds_before(last_answered: int) -> str:
    """What a conclusion rests on when the round after it was not answered."""
    return "round 1" if last_answered == 1 else f"rounds 1 to {last_answered}"


def no_money(obstacle: str) -> str:
    """Another round cannot be paid."""
    return f"The rounds end here because {obstacle}."


def not_everybody(obstacle: str) -> str:
    """Some panelists could not be paid."""
    return f"Not all panelists were asked because {obstacle}."


def budget_reached(why: str) -> str:
    """The first line of a conclusion that money cut short."""
    return f"⚠️ BUDGET REACHED — {why} The conclusion is based on what was said before that."
