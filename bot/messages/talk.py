"""Talking to panelists, and the turn arbiter's log."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.messages.counting import any_role


class TalkText:
    """Replies to people who talk to panelists, during or after a meeting."""

    SOMEBODY: Final = "Somebody"

    NO_PANEL: Final = "There is no roundtable here: type this in a roundtable's thread."
    NO_SEAT: Final = "That message is not from a panelist: choose a panelist's message."
    TOO_MANY_WAIT: Final = "There are too many open questions here: try again in a minute."
    NOT_STORED: Final = "This panelist is no longer stored: ask another one."
    NO_PANELISTS: Final = "This roundtable has no panelists: start a new one."
    NOT_RUNNING: Final = "No roundtable is running here: type this in a roundtable's thread."
    MAY_NOT_STOP: Final = (
        "Only the person who started it or a moderator can stop it: use `roundtable quiet` to "
        "silence the panel until somebody writes."
    )
    QUIET: Final = "🤫 The panel is quiet until somebody writes here."
    STOPPED: Final = (
        "⏹️ Stopped. Everything said stays, and the panel is quiet until somebody writes."
    )

    NOTHING_TO_ADD: Final = "-# Nobody on the panel has anything to add."
    NOBODY_COULD_ANSWER: Final = "⚠️ Nobody on the panel could answer: ask again in a moment."
    ARBITER_FAILED: Final = "⚠️ An internal error lost the questions that waited: ask again."
    NO_ANSWER_IN_TIME: Final = "⚠️ No panelist answered in time: ask again."
    NOT_POSTED: Final = "⚠️ The answer could not be posted: ask again."
    TOO_LONG: Final = (
        "-# This conversation is too long for one prompt: write again to start a new one."
    )

    SEAT_IS_GONE: Final = "this panelist is no longer stored"
    BROKEN: Final = "internal error in the bot"

    FORM_PANELIST: Final = "Who should answer?"
    FORM_QUESTION: Final = "Your question"
    FORM_EXAMPLE: Final = "Why do you think so?"

    @staticmethod
    def only_for(role_ids: Sequence[int]) -> str:
        """The person has no role that can ask the panel."""
        return f"Only {any_role(role_ids)} can ask the panel here: ask one of them."

    @staticmethod
    def next_question(moment: int) -> str:
        """The person's cooldown has not passed yet."""
        return f"You can ask the panel again <t:{moment}:R>."

    @staticmethod
    def form_title(role: str | None) -> str:
        """Heads the form for a question to one panelist, or to one of several."""
        return f"Ask {role or 'a panelist'}"

    @staticmethod
    def will_answer(role: str, channel_id: int, *, waits: bool) -> str:
        """A question from a form was taken."""
        return f"{role} answers in <#{channel_id}>{' when its turn comes' if waits else ''}."

    @staticmethod
    def calls_used_up(calls: int) -> str:
        """One question has caused as many model calls as it may."""
        return (
            f"-# The panel has used all {calls} model calls for one question: write again to "
            "continue."
        )

    @staticmethod
    def panel_rests(turns: int) -> str:
        """Panelists have answered each other often enough."""
        return (
            f"-# The panel pauses after {turns} turns without a person: write something to "
            "continue."
        )

    @staticmethod
    def failed(failures: Iterable[str]) -> str:
        """Nobody answered, for these reasons."""
        return f"⚠️ {'; '.join(failures)}. Ask again, or ask another panelist."

    @staticmethod
    def topic_erased(role: str) -> str:
        """What the table met about was forgotten on request."""
        return f"**{role}** cannot answer: the topic was removed"

    @staticmethod
    def no_model(role: str, model: str) -> str:
        """The seat's model is gone from panels.json."""
        return f"**{role}** no longer has a model: an admin can add {model} to panels.json again"

    @staticmethod
    def could_not_answer(role: str, problem: str) -> str:
        """The seat's model failed."""
        return f"**{role}** could not answer: {problem}"

    @staticmethod
    def could_not_speak(role: str, problem: str) -> str:
        """Discord did not take the seat's answer."""
        return f"**{role}**'s answer could not be posted: {problem}"


class FloorText:
    """The arbiter's log messages: who may speak and why, for debugging turns."""

    NOT_AT_THIS_TABLE: Final = "it is not on this panel"
    ALLOWANCE_TAKEN: Final = "another seat is already speaking unasked"
    EXCHANGE_OVER: Final = "the exchange is over"
    NOT_ADDRESSED: Final = "it was not addressed"
    OWN_MESSAGE: Final = "the latest message is its own"
    HAD_ITS_TURN: Final = "it already had its turn"
    ANOTHER_COMES_FIRST: Final = "another seat comes first in this round"
    ALREADY_DECLINED: Final = "it already declined this message"
    ALREADY_VISIBLE: Final = "its answer to this message may already be visible"
    ALL_DECLINED: Final = "every seat declined this message"
    TURN_IS_HELD: Final = "another seat holds the turn"
    BEING_POSTED: Final = "its own answer is being posted"
    TRANSCRIPT_TOO_LONG: Final = "the transcript is too long for a prompt"
    CALLS_USED_UP: Final = "the exchange used all its model calls"
    ENOUGH_REACTIONS: Final = (
        "panelists reached the limit of reactions to each other until a person speaks"
    )
    QUIET: Final = "the panel was asked to be quiet until a person speaks"
    STOPPED: Final = "the panel was stopped"
    ARCHIVED: Final = "the thread is archived"

    NO_REPLY_HIDDEN: Final = "NO_REPLY is never shown"
    NOBODY_HAS_THE_TURN: Final = "nobody has the turn"
    SEAT_NOT_ADDRESSED: Final = "the seat was not addressed"
    NOT_THE_HOLDER: Final = "another seat holds the turn, or the lease expired"
    SUPERSEDED: Final = "a newer exchange replaced its own"
    NOT_WHAT_WAS_WRITTEN: Final = "it is not what the model wrote"
    ALREADY_POSTED: Final = "the answer was already posted"
    ARBITER_FAILED: Final = "the arbiter failed and failOpen is false"

    NOTED: Final = "it was noted"
    KNOWN_ALREADY: Final = "it is already known"
    ADDRESSES_NOBODY: Final = "it addresses nobody"
    ADDRESSEE_NOT_HERE: Final = "nobody it addresses is on this panel"
    ROUND_UNDER_WAY: Final = "a round is running; the next one includes it"
    TOO_MANY_WAIT: Final = "too many open questions"
    CAME_TOO_LATE: Final = "it arrived too late"
    LATE_OPENS_NOTHING: Final = "late messages from panelists start no exchange"
    NOT_A_PANELISTS: Final = "it is not from a panelist"
    NO_ROUND: Final = "no round is running"
    NOT_ARBITRATED: Final = "turns are not arbitrated here"

    @staticmethod
    def opened(exchange: int, about: int | None) -> str:
        """A question or a round opened an exchange."""
        return f"exchange {exchange} is open{FloorText._about(about)}."

    @staticmethod
    def waits(message_id: int, ahead: int) -> str:
        """A question waits for others."""
        return f"message {message_id} is queued behind {ahead} others."

    @staticmethod
    def nothing_to_do(reason: str) -> str:
        """An event changed nothing."""
        return f"nothing to do: {reason}."

    @staticmethod
    def starts_afresh(error: str) -> str:
        """The arbiter itself failed."""
        return f"the arbiter failed and restarts: {error}."

    @staticmethod
    def has_the_turn(seat: str, claim: int, about: int | None) -> str:
        """A seat may think."""
        return f"{seat} has the turn as claim {claim}{FloorText._about(about)}."

    @staticmethod
    def may_not_speak(seat: str, reason: str) -> str:
        """A seat was refused the turn."""
        return f"{seat} may not speak: {reason}."

    @staticmethod
    def passes(seat: str, about: int | None) -> str:
        """A seat has nothing to add."""
        return f"{seat} passes{FloorText._about(about)}."

    @staticmethod
    def may_post(seat: str, claim: int) -> str:
        """A seat's answer goes out."""
        return f"{seat} may post under claim {claim}."

    @staticmethod
    def posts_anyway(seat: str, fault: str) -> str:
        """An answer goes out without the arbiter's leave."""
        return f"{seat} posts even though the arbiter failed: {fault}."

    @staticmethod
    def must_not_post(seat: str, reason: str) -> str:
        """A seat's answer is held back."""
        return f"{seat} must not post: {reason}."

    @staticmethod
    def is_next(seat: str, about: int | None) -> str:
        """A seat is woken."""
        return f"{seat} is next{FloorText._about(about)}."

    @staticmethod
    def is_over(exchange: int, reason: str, *, taken_up_again: bool) -> str:
        """An exchange ended."""
        later = "; its question is retried later" if taken_up_again else ""
        return f"exchange {exchange} is over: {reason}{later}."

    @staticmethod
    def given_up(number: int, reason: str) -> str:
        """Questions that waited will not be answered."""
        return f"{number} queued messages are dropped: {reason}."

    @staticmethod
    def _about(message_id: int | None) -> str:
        return "" if message_id is None else f", about message {message_id}"
