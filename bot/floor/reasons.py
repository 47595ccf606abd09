"""Why the floor decided as it did: every reason has a name and can be read as a phrase."""

import enum

from bot.words import floor as words


@enum.unique
class DenyReason(enum.StrEnum):
    """Why a seat may not take the turn."""

    UNKNOWN_AGENT = words.NOT_AT_THIS_TABLE
    ALLOWANCE_TAKEN = words.ALLOWANCE_TAKEN
    EPOCH_CLOSED = words.EXCHANGE_OVER
    NOT_A_TARGET = words.NOT_ADDRESSED
    OWN_MESSAGE = words.OWN_MESSAGE
    NOT_ELIGIBLE = words.HAD_ITS_TURN
    NOT_YOUR_SLOT = words.ANOTHER_COMES_FIRST
    ALREADY_DECLINED = words.ALREADY_DECLINED
    ALREADY_SENT = words.ALREADY_VISIBLE
    ALL_DECLINED = words.ALL_DECLINED
    HELD = words.TURN_IS_HELD
    SENDING = words.BEING_POSTED
    PROMPT_BUDGET = words.TRANSCRIPT_TOO_LONG
    CALL_BUDGET = words.CALLS_USED_UP
    HOP_LIMIT = words.ENOUGH_REACTIONS
    QUIET = words.QUIET
    STOPPED = words.STOPPED
    ARCHIVED = words.ARCHIVED


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


@enum.unique
class CancelReason(enum.StrEnum):
    """Why a text must not be posted."""

    NO_REPLY = words.NO_REPLY_HIDDEN
    EMPTY = words.NOTHING_TO_POST
    NO_CLAIM = words.NOBODY_HAS_THE_TURN
    NOT_A_TARGET = words.SEAT_NOT_ADDRESSED
    NOT_HOLDER = words.NOT_THE_HOLDER
    EPOCH_CLOSED = words.EXCHANGE_OVER
    SUPERSEDED = words.SUPERSEDED
    WRONG_RUN = words.OTHER_MODEL_CALL
    NOT_APPROVED = words.NOT_WHAT_WAS_WRITTEN
    ALREADY_SENT = words.ALREADY_POSTED
    ARBITER_ERROR = words.ARBITER_FAILED


@enum.unique
class IgnoreReason(enum.StrEnum):
    """Why an event changed nothing, or nothing that needs an answer."""

    NOTED = words.NOTED
    DUPLICATE = words.KNOWN_ALREADY
    NOT_ADDRESSED = words.ADDRESSES_NOBODY
    NO_SUCH_SEAT = words.ADDRESSEE_NOT_HERE
    FROM_THE_FLOOR = words.ROUND_UNDER_WAY
    QUEUE_FULL = words.TOO_MANY_WAIT
    STALE = words.CAME_TOO_LATE
    GUARDED = words.LATE_OPENS_NOTHING
    FOREIGN = words.NOT_A_PANELISTS
    EMPTY_OUTPUT = words.MODEL_WROTE_NOTHING
    NO_ROUND = words.NO_ROUND
    SWITCHED_OFF = words.NOT_ARBITRATED


class Silence(enum.StrEnum):
    """What keeps panelists silent until a person speaks."""

    HOP_LIMIT = "max_bot_hops"
    QUIET = "quiet"
    STOPPED = "stopped"
