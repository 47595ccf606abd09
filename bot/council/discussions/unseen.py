"""A discussion that no person sees, because it has no channel."""

from bot.errors import UsageError
from bot.messages.discussions import DiscussionText
from bot.store.discussions import Discussion
from bot.store.speeches import Said


class Unseen:
    """Shows nothing to anybody."""

    async def place(self, channel: str) -> tuple[int, int]:
        """There are no channels without a running bot."""
        if channel:
            raise UsageError(DiscussionText.CHANNEL_NEEDS_BOT)
        return 0, 0

    async def opened(self, discussion: Discussion) -> Discussion:
        """There is no thread to open."""
        return discussion

    async def said(self, discussion: Discussion, speech: Said) -> None:
        """Nobody watches."""

    async def ended(self, discussion: Discussion) -> None:
        """Nobody watches."""

    def url(self, discussion: Discussion) -> str | None:  # noqa: ARG002 (others have one)
        """There is no place."""
        return None
