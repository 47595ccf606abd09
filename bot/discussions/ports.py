"""The ports of a discussion, and the request that opens one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.discussions.views import Order, ParticipantIn
from bot.store.repositories.discussions import Discussion
from bot.store.repositories.speeches import Said


class DiscussionView(Protocol):
    """How a discussion is shown to people; without a channel it is not shown."""

    async def place(self, channel: str) -> tuple[int, int]:
        """The server and channel, or UsageError when they cannot be used."""
        ...

    async def opened(self, discussion: Discussion) -> Discussion:
        """Give the discussion its thread."""
        ...

    async def said(self, discussion: Discussion, speech: Said) -> None:
        """Show a speech once."""
        ...

    async def ended(self, discussion: Discussion) -> None:
        """Show how it ended."""
        ...

    def url(self, discussion: Discussion) -> str | None:
        """Where people see it."""
        ...


class ConclusionFiles(Protocol):
    """Where conclusions are written to."""

    def checked(self, output_path: str | None) -> str | None:
        """The path as it will be used, or UsageError when it lies outside what is allowed."""
        ...

    async def write(self, discussion: Discussion) -> str:
        """Write the conclusion and return the file's path."""
        ...


@dataclass(frozen=True, slots=True)
class DiscussionRequest:
    """What a discussion is opened with."""

    topic: str
    participants: Sequence[ParticipantIn]
    context: str = ""
    max_rounds: int = 2
    speech_order: Order = "fixed"
    output_path: str | None = None
    created_by: str = "agent"
    link: str = ""
    channel: str = ""
