"""Why the floor decided as it did: every reason has a name and can be read as a phrase."""

import enum

from bot.messages.talk import FloorText


@enum.unique
class DenyReason(enum.StrEnum):
    """Why a seat may not take the turn."""

    UNKNOWN_AGENT = FloorText.NOT_AT_THIS_TABLE
    ALLOWANCE_TAKEN = FloorText.ALLOWANCE_TAKEN
    EPOCH_CLOSED = FloorText.EXCHANGE_OVER
    NOT_A_TARGET = FloorText.NOT_ADDRESSED
    OWN_MESSAGE = FloorText.OWN_MESSAGE
    NOT_ELIGIBLE = FloorText.HAD_ITS_TURN
    NOT_YOUR_SLOT = FloorText.ANOTHER_COMES_FIRST
    ALREADY_DECLINED = FloorText.ALREADY_DECLINED
    ALREADY_SENT = FloorText.ALREADY_VISIBLE
    ALL_DECLINED = FloorText.ALL_DECLINED
    HELD = FloorText.TURN_IS_HELD
    SENDING = FloorText.BEING_POSTED
    PROMPT_BUDGET = FloorText.TRANSCRIPT_TOO_LONG
    CALL_BUDGET = FloorText.CALLS_USED_UP
    HOP_LIMIT = FloorText.ENOUGH_REACTIONS
    QUIET = FloorText.QUIET
    STOPPED = FloorText.STOPPED
    ARCHIVED = FloorText.ARCHIVED


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
    ARBITER_FAILED = "arbiter_failed"
    SUPERSEDED = "superseded"
    QUIET = "quiet"
    STOPPED = "stopped"
    ARCHIVED = "archived"
    ROUND_DONE = "round_done"


@enum.unique
class CancelReason(enum.StrEnum):
    """Why a text must not be posted."""

    NO_REPLY = FloorText.NO_REPLY_HIDDEN
    NO_CLAIM = FloorText.NOBODY_HAS_THE_TURN
    NOT_A_TARGET = FloorText.SEAT_NOT_ADDRESSED
    NOT_HOLDER = FloorText.NOT_THE_HOLDER
    EPOCH_CLOSED = FloorText.EXCHANGE_OVER
    SUPERSEDED = FloorText.SUPERSEDED
    NOT_APPROVED = FloorText.NOT_WHAT_WAS_WRITTEN
    ALREADY_SENT = FloorText.ALREADY_POSTED
    ARBITER_ERROR = FloorText.ARBITER_FAILED


@enum.unique
class IgnoreReason(enum.StrEnum):
    """Why an event changed nothing, or nothing that needs an answer."""

    NOTED = FloorText.NOTED
    DUPLICATE = FloorText.KNOWN_ALREADY
    NOT_ADDRESSED = FloorText.ADDRESSES_NOBODY
    NO_SUCH_SEAT = FloorText.ADDRESSEE_NOT_HERE
    FROM_THE_FLOOR = FloorText.ROUND_UNDER_WAY
    QUEUE_FULL = FloorText.TOO_MANY_WAIT
    STALE = FloorText.CAME_TOO_LATE
    GUARDED = FloorText.LATE_OPENS_NOTHING
    FOREIGN = FloorText.NOT_A_PANELISTS
    NO_ROUND = FloorText.NO_ROUND
    SWITCHED_OFF = FloorText.NOT_ARBITRATED


class Silence(enum.StrEnum):
    """What keeps panelists silent until a person speaks."""

    HOP_LIMIT = "max_bot_hops"
    QUIET = "quiet"
    STOPPED = "stopped"
