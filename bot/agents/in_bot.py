"""The tools inside a running bot: agents reach it on loopback, people see them in threads."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.agents.command import conclusions_folder, tools_enabled
from bot.discussions.runs import RunsForAgents
from bot.discussions.service import Discussions
from bot.discussions.thread import DiscussionThread
from bot.meeting.dependencies import Dependencies
from bot.messages.discussions import AgentText
from bot.panels import PanelsConfig
from bot.runs.service import RunService
from bot.settings import Settings

_log = logging.getLogger(__name__)


@asynccontextmanager
async def agents_served(
    deps: Dependencies, run_service: RunService, settings: Settings, config: PanelsConfig
) -> AsyncIterator[None]:
    """Serve the tools while the bot runs, where panels.json offers them (C2)."""
    if not tools_enabled(config):
        yield
        return
    try:
        from bot.agents.http import serve_tools  # noqa: PLC0415 (an extra, and slow to import)
    except ImportError:
        _log.warning(AgentText.NOT_INSTALLED)
        yield
        return

    service = Discussions(
        deps,
        DiscussionThread(deps, run_service.linking),
        conclusions_folder(deps.store, settings),
        RunsForAgents(deps, settings.mcp_user),
    )
    token = settings.mcp_token.get_secret_value() if settings.mcp_token else None
    async with serve_tools(service, settings.home, token, settings.mcp_port or 0) as endpoint:
        _log.info("agent tools are served at %s", endpoint.url)
        deps.registry.serve_agents_at(endpoint.url, endpoint.token)
        yield
