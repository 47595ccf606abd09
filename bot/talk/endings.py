"""What people are told when an exchange ends without an answer, or before it was over."""

from typing import Final

from bot.floor import Closed, CloseReason, FloorConfig

_UNANSWERED: Final = {
    CloseReason.ALL_AGENTS_DECLINED: "-# Nobody on the panel has anything to add.",
    CloseReason.NO_AGENT_LEFT: "⚠️ Nobody on the panel could answer: ask again in a moment.",
    CloseReason.IDLE_TIMEOUT: "⚠️ No answer came in time: ask again.",
    CloseReason.NO_VISIBLE_CONFIRMATION: "⚠️ The answer could not be posted: ask again.",
}
_LIMITS: Final = {
    CloseReason.PROMPT_BUDGET_EXCEEDED: (
        "-# This exchange has become too long for one prompt: write again, and a new one begins."
    ),
    CloseReason.CALL_BUDGET_EXHAUSTED: (
        "-# The panel has used the {calls} model calls one question may cause: write again to go "
        "on."
    ),
    CloseReason.MAX_BOT_HOPS: (
        "-# The panel rests after {hops} turns among itself: write something to go on."
    ),
}


def ending_text(closed: Closed, failures: tuple[str, ...], config: FloorConfig) -> str:
    """The line to post, or nothing when there is nothing to explain."""
    if closed.reason in _LIMITS:
        return _LIMITS[closed.reason].format(calls=config.max_calls, hops=config.max_bot_hops)
    if closed.answered or closed.reason not in _UNANSWERED:
        return ""
    if failures:
        return f"⚠️ {'; '.join(dict.fromkeys(failures))}. Ask again, or ask another panelist."
    return _UNANSWERED[closed.reason]
