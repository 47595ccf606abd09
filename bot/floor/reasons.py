"""Why the floor decided as it did: every reason has a name and can be read as a phrase."""

import enum


class DenyReason(enum.StrEnum):
    """Why a seat may not take the turn."""

    UNKNOWN_AGENT = "it does not sit at this table"
    ALLOWANCE_TAKEN = "another seat already speaks without having been asked"
    EPOCH_CLOSED = "the exchange is over"
    NOT_A_TARGET = "it was not addressed"
    OWN_MESSAGE = "the latest message is its own"
    NOT_ELIGIBLE = "it has had its turn"
    NOT_YOUR_SLOT = "another seat comes first in this round"
    ALREADY_DECLINED = "it has declined this message"
    ALREADY_SENT = "an answer of it to this message may already be visible"
    ALL_DECLINED = "every seat has declined this message"
    HELD = "another seat holds the turn"
    SENDING = "its own answer is being posted"
    PROMPT_BUDGET = "the transcript is too long for a prompt"
    CALL_BUDGET = "the exchange has used up its model calls"
    HOP_LIMIT = "panelists have reacted to one another often enough until a person speaks"
    QUIET = "the panel was asked to be quiet until a person speaks"
    STOPPED = "the panel was stopped"
    ARCHIVED = "the thread is archived"


class CloseReason(enum.StrEnum):
    """Why an exchange ended."""

    IDLE_TIMEOUT = "idle_timeout"
    ALL_AGENTS_DECLINED = "all_agents_declined"
    PROMPT_BUDGET_EXCEEDED = "prompt_budget_exceeded"
    MAX_BOT_HOPS = "max_bot_hops"
    NO_VISIBLE_CONFIRMATION = "no_visible_confirmation"
    CALL_BUDGET_EXHAUSTED = "call_budget_exhausted"
    ANSWERED = "answered"
    NO_AGENT_LEFT = "no_agent_left"
    SUPERSEDED = "superseded"
    QUIET = "quiet"
    STOPPED = "stopped"
    ARCHIVED = "archived"
    ROUND_DONE = "round_done"


class CancelReason(enum.StrEnum):
    """Why a text must not be posted."""

    NO_REPLY = "NO_REPLY is never shown"
    EMPTY = "there is nothing to post"
    NO_CLAIM = "nobody was given the turn"
    NOT_A_TARGET = "the seat was not addressed"
    NOT_HOLDER = "another seat holds the turn, or the lease ran out"
    EPOCH_CLOSED = "the exchange is over"
    SUPERSEDED = "a newer exchange has taken the place of its own"
    WRONG_RUN = "it comes from another model call than the one under way"
    NOT_APPROVED = "it is not what the model wrote"
    ALREADY_SENT = "the answer was already posted"
    ARBITER_ERROR = "the arbiter failed and failOpen is false"


class IgnoreReason(enum.StrEnum):
    """Why an event changed nothing, or nothing that needs an answer."""

    NOTED = "it was noted"
    DUPLICATE = "it is known already"
    NOT_ADDRESSED = "it addresses nobody"
    NO_SUCH_SEAT = "nobody it addresses sits at this table"
    FROM_THE_FLOOR = "a round is under way; the next one hears it"
    QUEUE_FULL = "too many questions wait"
    STALE = "it came too late"
    GUARDED = "late messages of panelists open nothing"
    FOREIGN = "it is not a panelist's"
    EMPTY_OUTPUT = "the model wrote nothing"
    NO_ROUND = "no round is under way"
    SWITCHED_OFF = "turns are not arbitrated here"


class Silence(enum.StrEnum):
    """What keeps panelists silent until a person speaks."""

    HOP_LIMIT = "max_bot_hops"
    QUIET = "quiet"
    STOPPED = "stopped"
