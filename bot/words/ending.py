"""Why no further round is held, and what a spent budget means for the conclusion."""

from typing import Final

NOBODY_LEFT: Final = "No panelist can go on."
LAST_ROUND: Final = "All planned rounds were held."
ALONE: Final = "With one panelist there is nobody to debate with."
PEERS_FAILED: Final = "Only one panelist is left, so the debate ends here."
CONVERGED: Final = "The panel converged: hardly any point is still disputed."
NO_TIME: Final = "There is no time left for another round."
ALL_AGREE: Final = "All panelists agree, so the rounds end early."
MOST_AGREE: Final = "Most panelists agree and none objects, so the rounds end early."


def no_money(obstacle: str) -> str:
    """Another round cannot be paid."""
    return f"The rounds end here because {obstacle}."


def not_everybody(obstacle: str) -> str:
    """Some panelists could not be paid."""
    return f"Not everybody was asked because {obstacle}."


def budget_reached(why: str) -> str:
    """The first line of a conclusion that money cut short."""
    return f"⚠️ BUDGET REACHED — {why} What follows rests on what was said before."
