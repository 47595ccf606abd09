"""What `roundtable mcp` does: hand on to the running bot, or hold the tools itself."""

import logging
from contextlib import AsyncExitStack

from bot.agents.endpoint import Endpoint
from bot.errors import UnavailableError
from bot.messages.discussions import AgentText
from bot.operations.logs import set_up_logging
from bot.panels import PanelsConfig, load_panels
from bot.settings import Settings

log = logging.getLogger(__name__)


def tools_enabled(config: PanelsConfig) -> bool:
    """Whether panels.json offers the discussion tools (C2)."""
    return "roundtable" in config.toolsets


async def serve_stdio(settings: Settings) -> None:
    """Serve the tools until the agent closes its end."""
    # Standard output belongs to the protocol; everything else goes to standard error.
    set_up_logging(settings.log, settings.redactions(), settings.log_format)
    config = load_panels(settings.panels)
    if not tools_enabled(config):
        raise UnavailableError(AgentText.switched_off(str(settings.panels)))
    try:
        from bot.agents.stdio import connected_to, hand_on  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise UnavailableError(AgentText.NOT_INSTALLED) from error
    endpoint = Endpoint.read(settings.home)
    async with AsyncExitStack() as stack:
        if endpoint is not None:
            try:
                client = await stack.enter_async_context(connected_to(endpoint))
            except Exception:
                # A bot that was killed leaves its address behind; the lock decides who writes.
                log.info("no bot responds at its stored address")
            else:
                await hand_on(client)
                return
        await _serve_alone(settings, config)


async def _serve_alone(settings: Settings, config: PanelsConfig) -> None:
    from bot.agents.server import build_server  # noqa: PLC0415
    from bot.agents.standalone import open_discussions  # noqa: PLC0415

    log.info("no bot is running: this process opens the database")
    async with open_discussions(settings, config) as service:
        await build_server(service).run_stdio_async()
