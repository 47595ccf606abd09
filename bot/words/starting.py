"""Starting a roundtable: the slash command, its form, and the replies."""

from collections.abc import Mapping
from typing import Final

ROUNDTABLE: Final = "Hold a meeting of language models on a question."
START: Final = "Hold a roundtable on a question."
_QUICK: Final = "Three seats, one round"
_VALIDATE: Final = "Let the panelists check the conclusion"
_NO_SEARCH: Final = "Do not search the web first"
OPTIONS: Final[Mapping[str, str]] = {
    "topic": "What the table should discuss; leave everything out for a form",
    "mode": "What kind of meeting; left out, it is read from your words",
    "quick": _QUICK,
    "rounds": "At most so many rounds",
    "panel": "Models with commas between, such as opus,grok — or budget",
    "validate": _VALIDATE,
    "no_search": _NO_SEARCH,
    "context_from": "The name of an earlier roundtable to build on",
    "link": "An issue to post the conclusion on, after approval",
    "masked": "Hide who the panelists are until the vote is over",
}
"""What Discord shows beside each option of `/roundtable start`."""

FORM_TITLE: Final = "Hold a roundtable"
FORM_TOPIC: Final = "What should the panel discuss?"
FORM_MODE: Final = "What kind of meeting?"
FORM_EXTRAS: Final = "Anything else?"
FORM_PANEL: Final = "Your own panel, comma-separated"
FORM_CONTEXT: Final = "Build on an earlier roundtable"
EXAMPLE_TOPIC: Final = "Postgres or SQLite for our queue?"
EXAMPLE_PANEL: Final = "opus,grok,gemini"
EXAMPLE_CONTEXT: Final = "2026-05-01-our-queue"
MODE_FROM_WORDS: Final = "Detect it from my words"
EXTRAS: Final[Mapping[str, str]] = {
    "--quick": "Quick: three seats, one round",
    "--validate": _VALIDATE,
    "--no-search": _NO_SEARCH,
    "--masked": "Hide who the panelists are until the end",
}
"""What the form calls the flags that have no field of their own."""

IN_PRIVATE: Final = (
    "Roundtables only work in server channels: type `roundtable` and your question in a channel "
    "of a server we share."
)
NOT_LATE: Final = (
    "I was offline when you sent this, and I do not start roundtables late: please send it again."
)
NO_TEXT: Final = "This message has no text to discuss: choose another one."


def meets_in(channel_id: int, price: str = "") -> str:
    """A roundtable was started; the price is a sentence, or nothing."""
    return f"The roundtable is in <#{channel_id}>. {price}".rstrip()


def is_built_in(channel_id: int) -> str:
    """Somebody pressed Build it before."""
    return f"The build is already running, or has just finished, in <#{channel_id}>."


def anchor(topic: str, mode: str, starter_id: int) -> str:
    """Stands in the channel where the thread begins; agents start without a person."""
    who = f"asked by <@{starter_id}>" if starter_id else "started by agents"
    return f"🎯 **Roundtable** · {mode} · {who}\n{topic}"
