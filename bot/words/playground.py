"""Texts of the playground in a terminal."""

from typing import Final

NO_KEY: Final = "No key is set: this is a rehearsal, no model is speaking."
WAITING: Final = "waiting for a question …"
NO_TEXT: Final = "(no text)"


def address(url: str) -> str:
    """Where the page is."""
    return f"Roundtable playground: {url}"


def port_taken(port: int | None) -> str:
    """The port is already in use."""
    return (
        f"The playground cannot listen on port {port}: choose another with --port, or leave "
        "--port out to take any free one."
    )


def accepts(person: str, answer: str) -> str:
    """The playground accepts a build's spec by itself."""
    return f"{person} presses Accept: {answer}"


def file(name: str) -> str:
    """Stands for an attachment."""
    return f"[file: {name}]"
