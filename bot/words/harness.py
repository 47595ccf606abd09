"""What is said about an external harness, spoken to over the Agent Client Protocol."""

from typing import Final

from bot.words.model_errors import it_said

NOT_INSTALLED: Final = "The acp extra is not installed; run pip install 'roundtable[acp]'."
CANNOT_START: Final = (
    "The harness could not be started; check its command and workspace in panels.json."
)
OTHER_VERSION: Final = "The harness uses another version of the Agent Client Protocol; update it."
NOT_LOGGED_IN: Final = "The harness is not logged in; run its own program once and log in."
DECLINED: Final = "The harness declined to answer; rephrase the question."
GAVE_UP: Final = "The harness cancelled its answer; try again."
WOULD_NOT_STOP: Final = "The harness did not stop writing; ask for a shorter answer."

NEW_SESSION: Final = "could not resume its earlier session and started a new one"
REFUSAL: Final = "Roundtable does not allow this."
NO_TEXT_FILE: Final = "there is no readable text file"

SANDBOX_OFF: Final = "runs as this user, because panels.json disables its sandbox"
NO_BWRAP: Final = "runs as this user and can read and change what this user can"
BWRAP_CANNOT: Final = (
    "runs as this user and can read and change what this user can, because bwrap is installed but "
    "cannot create a sandbox here"
)
INSTALL_BWRAP: Final = "install bubblewrap to run it in a sandbox"
LET_BWRAP: Final = "allow this container or service to create user namespaces"

READ_A_FILE: Final = "read a file"
READ_TOO_LARGE: Final = "read a file that is too large"
WRITE_A_FILE: Final = "write a file"
WRITE_TOO_LARGE: Final = "write a file that is too large"
OPEN_A_TERMINAL: Final = "open a terminal"


def in_sandbox(*, network: bool) -> str:
    """Where a harness is started, and whether it reaches its model from there."""
    if network:
        return "runs in a sandbox with network access"
    return 'runs in a sandbox without network access (if its model is remote, set "network": true)'


def harness(name: str, where: str) -> str:
    """The doctor's word about one harness."""
    return f"The harness {name} {where}"


def use_a_tool(kind: str | None) -> str:
    """A harness asked to run one of its own tools."""
    return f"use a tool ({kind or 'unknown'})"


def outside_its_folder(wish: str) -> str:
    """A request for a file outside the folder."""
    return f"{wish} outside its folder"


def denied(wish: str) -> str:
    """A note in the record about a denied request."""
    return f"wanted to {wish}, which was denied"


def reported(said: str) -> str:
    """The harness answered with an error."""
    return f"The harness reported an error: {said}"


def ended_early(last_words: str) -> str:
    """The harness is gone before its answer was."""
    return f"The harness exited before its answer was complete.{it_said(last_words)}"
