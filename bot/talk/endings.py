"""Messages for an exchange that ends early or without an answer."""

from typing import Final

from bot.floor import Closed, CloseReason, FloorConfig
from bot.words import talking as words

_UNANSWERED: Final = {
    CloseReason.ALL_AGENTS_DECLINED: words.NOTHING_TO_ADD,
    CloseReason.NO_AGENT_LEFT: words.NOBODY_COULD_ANSWER,
    CloseReason.IDLE_TIMEOUT: words.NO_ANSWER_IN_TIME,
    CloseReason.NO_VISIBLE_CONFIRMATION: words.NOT_POSTED,
}


def ending_text(closed: Closed, failures: tuple[str, ...], config: FloorConfig) -> str:
    """The line to post, or nothing when there is nothing to explain."""
    match closed.reason:
        case CloseReason.PROMPT_BUDGET_EXCEEDED:
            return words.TOO_LONG
        case CloseReason.CALL_BUDGET_EXHAUSTED:
            return words.calls_used_up(config.max_calls)
        case CloseReason.MAX_BOT_HOPS:
            return words.panel_rests(config.max_bot_hops)
    if closed.answered or closed.reason not in _UNANSWERED:
        return ""
    return words.failed(dict.fromkeys(failures)) if failures else _UNANSWERED[closed.reason]
