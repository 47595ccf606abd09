"""Discussions on a real store, looked at by no model and seen by nobody."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.agents.command import open_discussions as opened
from bot.discussions.ports import DiscussionRequest
from bot.discussions.service import Discussions
from bot.discussions.views import ParticipantIn
from bot.panels import load_panels
from bot.settings import SHIPPED_PANELS, load_settings


def a_beginning() -> DiscussionRequest:
    """Two participants."""
    people = [ParticipantIn(profile=p, role=p.title()) for p in ("architect", "operator")]
    return DiscussionRequest(topic="Split the service?", participants=people)


@asynccontextmanager
async def open_discussions(home: Path) -> AsyncIterator[Discussions]:
    """The service as `roundtable mcp` has it without a bot and without keys."""
    settings = load_settings(None, {"ROUNDTABLE_HOME": str(home)})
    async with opened(settings, load_panels(SHIPPED_PANELS)) as service:
        yield service
