"""Labels of buttons and message menus, titles of small forms, and what a press is answered with."""

from collections.abc import Mapping
from typing import Final

START: Final = "Start"
CANCEL: Final = "Cancel"
STOP: Final = "Stop"
RETRY: Final = "Retry"
ASK: Final = "Ask …"
MINUTES: Final = "Minutes"
RUN_ANYWAY: Final = "Run it anyway"
CHALLENGE: Final = "Challenge the conclusion"
BUILD_IT: Final = "Build it"
OPEN_THREAD: Final = "Open the thread"
TRY_IT: Final = "Try it"
FORGET_ME: Final = "Forget me"

ASK_THIS_PANELIST: Final = "Ask this panelist"
WHO_SAID_THIS: Final = "Who said this?"
ROUNDTABLE_ON_THIS: Final = "Roundtable on this"

REJECT_IT: Final = "Reject it"
REQUEST_CHANGES: Final = "Request changes"
WHY_NOT: Final = "Why not?"
WHAT_HAS_TO_CHANGE: Final = "What should change?"

GOAL_AND_RISKS: Final = "Goal and risks"
SCOPE: Final = "Scope"
INPUTS_AND_OUTPUTS: Final = "Inputs and outputs"
ACCEPTANCE_CRITERIA: Final = "Acceptance criteria"

ONLY_WHO_ASKED_FORGETS: Final = (
    "Only the person who asked for this can confirm it: type `roundtable forget` to remove your "
    "own data."
)
ONLY_READERS_VOTE: Final = "Only people who can read this thread can vote here."

HOW_SURE: Final = "How sure are you?"
SURENESS: Final[Mapping[int, str]] = {
    20: "20 %: just a guess",
    40: "40 %: not very sure",
    60: "60 %: fairly sure",
    80: "80 %: sure",
    100: "100 %: certain",
}


def voted(choice: str) -> str:
    """A person's vote was taken."""
    return (
        f"🗳️ You voted for **{choice}**. Nobody else can see it; press another option to change "
        f"it. {HOW_SURE}"
    )


def voted_surely(choice: str, percent: int) -> str:
    """A person said how sure of their vote they are."""
    return f"🗳️ You voted for **{choice}** and are {percent} % sure. Nobody else can see it."


def spec_form(label: str, version: int) -> str:
    """Heads the form behind a button under a spec."""
    return f"{label}: spec v{version}"


def broke(code: str) -> str:
    """An unexpected error; the code is also in the log."""
    return (
        f"Internal error in the bot: try again, and tell an admin the code `{code}` if it happens "
        "again."
    )
