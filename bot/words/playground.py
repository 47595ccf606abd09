"""What somebody reads who plays in a terminal."""

from typing import Final

NO_KEY: Final = "No key is set: this is a rehearsal, no model is speaking."
WAITING: Final = "waiting for a question …"
NO_TEXT: Final = "(no text)"


def address(url: str) -> str:
    """Where the page is."""
    return f"Roundtable playground: {url}"


def port_taken(port: int | None) -> str:
    """The wanted port is somebody else's."""
    return (
        f"The playground cannot listen on port {port}: choose another with --port, or leave "
        "--port out to take any free one."
    )


def accepts(person: str, answer: str) -> str:
    """A build's spec is accepted where nobody else can press."""
    return f"{person} presses Accept: {answer}"


def file(name: str) -> str:
    """Stands for an attachment."""
    return f"[file: {name}]"
