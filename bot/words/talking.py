"""Replies to people who talk to panelists, during or after a meeting."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.words.counting import any_role

SOMEBODY: Final = "Somebody"

NO_PANEL: Final = "There is no roundtable here: type this in a roundtable's thread."
NO_SEAT: Final = "That message is not from a panelist: choose a panelist's message."
TOO_MANY_WAIT: Final = "There are too many open questions here: try again in a minute."
NOT_STORED: Final = "This panelist is no longer stored: ask another one."
NO_PANELISTS: Final = "This roundtable has no panelists: start a new one."
NOT_RUNNING: Final = "No roundtable is running here: type this in a roundtable's thread."
MAY_NOT_STOP: Final = (
    "Only the person who started it or a moderator can stop it: use `roundtable quiet` to silence "
    "the panel until somebody writes."
)
QUIET: Final = "🤫 The panel is quiet until somebody writes here."
STOPPED: Final = "⏹️ Stopped. Everything said stays, and the panel is quiet until somebody writes."

NOTHING_TO_ADD: Final = "-# Nobody on the panel has anything to add."
NOBODY_COULD_ANSWER: Final = "⚠️ Nobody on the panel could answer: ask again in a moment."
NO_ANSWER_IN_TIME: Final = "⚠️ No panelist answered in time: ask again."
NOT_POSTED: Final = "⚠️ The answer could not be posted: ask again."
TOO_LONG: Final = "-# This conversation is too long for one prompt: write again to start a new one."

SEAT_IS_GONE: Final = "this panelist is no longer stored"
BROKEN: Final = "internal error in the bot"

FORM_PANELIST: Final = "Who should answer?"
FORM_QUESTION: Final = "Your question"
FORM_EXAMPLE: Final = "Why do you think so?"


def only_for(role_ids: Sequence[int]) -> str:
    """The person has no role that can ask the panel."""
    return f"Only {any_role(role_ids)} can ask the panel here: ask one of them."


def next_question(moment: int) -> str:
    """The person's cooldown has not passed yet."""
    return f"You can ask the panel again <t:{moment}:R>."


def form_title(role: str | None) -> str:
    """Heads the form for a question to one panelist, or to one of several."""
    return f"Ask {role or 'a panelist'}"


def will_answer(role: str, channel_id: int, *, waits: bool) -> str:
    """A question from a form was taken."""
    return f"{role} answers in <#{channel_id}>{' when its turn comes' if waits else ''}."


def calls_used_up(calls: int) -> str:
    """One question has caused as many model calls as it may."""
    return (
        f"-# The panel has used all {calls} model calls for one question: write again to continue."
    )


def panel_rests(turns: int) -> str:
    """Panelists have answered each other often enough."""
    return f"-# The panel pauses after {turns} turns without a person: write something to continue."


def failed(failures: Iterable[str]) -> str:
    """Nobody answered, for these reasons."""
    return f"⚠️ {'; '.join(failures)}. Ask again, or ask another panelist."


def topic_erased(role: str) -> str:
    """What the table met about was forgotten on request."""
    return f"**{role}** cannot answer: the topic was removed"


def no_model(role: str, model: str) -> str:
    """The seat's model is gone from panels.json."""
    return f"**{role}** no longer has a model: an admin can add {model} to panels.json again"


def could_not_answer(role: str, problem: str) -> str:
    """The seat's model failed."""
    return f"**{role}** could not answer: {problem}"


def could_not_speak(role: str, problem: str) -> str:
    """Discord did not take the seat's answer."""
    return f"**{role}**'s answer could not be posted: {problem}"
