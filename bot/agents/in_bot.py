"""The tools inside a running bot: agents reach it on loopback, people see them in threads."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.agents.command import tools_enabled
from bot.agents.standalone import conclusions_folder
from bot.council.discussions.meetings import Meetings
from bot.council.discussions.on_stage import OnStage
from bot.council.discussions.service import Discussions
from bot.council.service import Council
from bot.council.tools import Tools
from bot.messages.discussions import AgentText
from bot.panels import PanelsConfig
from bot.settings import Settings

log = logging.getLogger(__name__)


@asynccontextmanager
async def agents_served(
    tools: Tools, council: Council, settings: Settings, config: PanelsConfig
) -> AsyncIterator[None]:
    """Serve the tools while the bot runs, where panels.json offers them (C2)."""
    if not tools_enabled(config):
        yield
        return
    try:
        from bot.agents.http import serve_tools  # noqa: PLC0415 (an extra, and slow to import)
    except ImportError:
        log.warning(AgentText.NOT_INSTALLED)
        yield
        return

    service = Discussions(
        tools,
        OnStage(tools, council.linking),
        conclusions_folder(tools.store, settings),
        Meetings(tools, settings.mcp_user),
    )
    token = settings.mcp_token.get_secret_value() if settings.mcp_token else None
    async with serve_tools(service, settings.home, token, settings.mcp_port or 0) as endpoint:
        log.info("agent tools are served at %s", endpoint.url)
        yield
