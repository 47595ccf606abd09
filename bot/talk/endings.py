"""Messages for an exchange that ends early or without an answer."""

from typing import Final

from bot.floor import Closed, CloseReason, FloorConfig
from bot.messages.talk import TalkText

_UNANSWERED: Final = {
    CloseReason.ALL_AGENTS_DECLINED: TalkText.NOTHING_TO_ADD,
    CloseReason.NO_AGENT_LEFT: TalkText.NOBODY_COULD_ANSWER,
    CloseReason.IDLE_TIMEOUT: TalkText.NO_ANSWER_IN_TIME,
    CloseReason.NO_VISIBLE_CONFIRMATION: TalkText.NOT_POSTED,
}


def ending_text(closed: Closed, failures: tuple[str, ...], config: FloorConfig) -> str:
    """The line to post, or nothing when there is nothing to explain."""
    match closed.reason:
        case CloseReason.PROMPT_BUDGET_EXCEEDED:
            return TalkText.TOO_LONG
        case CloseReason.CALL_BUDGET_EXHAUSTED:
            return TalkText.calls_used_up(config.max_calls)
        case CloseReason.MAX_BOT_HOPS:
            return TalkText.panel_rests(config.max_bot_hops)
    if closed.answered or closed.reason not in _UNANSWERED:
        return ""
    return TalkText.failed(dict.fromkeys(failures)) if failures else _UNANSWERED[closed.reason]
