"""What people are told when they talk to panelists, after a meeting or beside it."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.words.counting import any_role

SOMEBODY: Final = "Somebody"

NO_PANEL: Final = "No roundtable was held here: type this in the thread of one."
NO_SEAT: Final = "That is not a panelist's message: choose one that a panelist wrote."
TOO_MANY_WAIT: Final = "Too many questions wait in this thread: ask again when some are answered."
NOT_STORED: Final = "This panelist is not stored any more: ask another one."
NOBODY_SAT: Final = "Nobody sat at this table: start a new roundtable."
NOT_RUNNING: Final = "No roundtable is running here: type this in the thread of one."
MAY_NOT_STOP: Final = (
    "Only the person who started it or a moderator may stop it: "
    "`roundtable quiet` silences the panel until somebody writes."
)
QUIET: Final = "🤫 The panel is quiet until somebody writes here."
STOPPED: Final = "⏹️ Stopped. What was said stays, and the panel waits until somebody writes."

NOTHING_TO_ADD: Final = "-# Nobody on the panel has anything to add."
NOBODY_COULD_ANSWER: Final = "⚠️ Nobody on the panel could answer: ask again in a moment."
NO_ANSWER_IN_TIME: Final = "⚠️ No answer came in time: ask again."
NOT_POSTED: Final = "⚠️ The answer could not be posted: ask again."
TOO_LONG: Final = (
    "-# This exchange has become too long for one prompt: write again, and a new one begins."
)

SEAT_IS_GONE: Final = "this panelist is not stored any more"
BROKEN: Final = "something broke in the bot"

FORM_PANELIST: Final = "Who should answer?"
FORM_QUESTION: Final = "Your question"
FORM_EXAMPLE: Final = "Why do you think so?"


def only_for(role_ids: Sequence[int]) -> str:
    """Said to somebody without a role that may ask."""
    return f"Only {any_role(role_ids)} may ask the panel here: ask one of them."


def next_question(moment: int) -> str:
    """Said to somebody who asked just now."""
    return f"You can ask the panel again <t:{moment}:R>."


def form_title(role: str | None) -> str:
    """Heads the form for a question to one panelist, or to one of several."""
    return f"Ask {role or 'a panelist'}"


def will_answer(role: str, channel_id: int, *, waits: bool) -> str:
    """A question from a form was taken."""
    return f"{role} answers in <#{channel_id}>{' when it is its turn' if waits else ''}."


def calls_used_up(calls: int) -> str:
    """One question has caused as many model calls as it may."""
    return (
        f"-# The panel has used the {calls} model calls one question may cause: write again to go "
        "on."
    )


def panel_rests(turns: int) -> str:
    """Panelists have answered each other often enough."""
    return f"-# The panel rests after {turns} turns among itself: write something to go on."


def failed(failures: Iterable[str]) -> str:
    """Nobody answered, for these reasons."""
    return f"⚠️ {'; '.join(failures)}. Ask again, or ask another panelist."


def topic_erased(role: str) -> str:
    """What the table met about was forgotten on request."""
    return f"**{role}** cannot answer: its topic was erased"


def no_model(role: str, model: str) -> str:
    """The seat's model is gone from panels.json."""
    return f"**{role}** has no model any more: an admin can put {model} back into panels.json"


def could_not_answer(role: str, problem: str) -> str:
    """The seat's model failed."""
    return f"**{role}** could not answer: {problem}"


def could_not_speak(role: str, problem: str) -> str:
    """Discord did not take the seat's answer."""
    return f"**{role}** could not speak: {problem}"
