"""`roundtable mcp`: forwards to the running bot, or serves the tools itself."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from bot.agents.endpoint import Endpoint
from bot.approvals.issue_comment import approve_comment
from bot.discussions.document import ConclusionFolder
from bot.discussions.service import Discussions
from bot.discussions.thread import NoThread
from bot.errors import UnavailableError
from bot.meeting.dependencies import CoreDependencies
from bot.messages.discussions import AgentText
from bot.models.availability import KnownLists
from bot.models.local_servers import find_local
from bot.models.registry import ADAPTERS, ModelRegistry
from bot.money.prices import PriceBook
from bot.operations.logs import set_up_logging
from bot.panels import PanelsConfig, load_panels, resolve_models
from bot.panels.machine import with_usual_servers
from bot.panels.price_list import has_price
from bot.prompting.templates import PromptBook
from bot.reports.files import roundtables_folder
from bot.settings import SHIPPED_PROMPTS, Settings
from bot.store import Store

_log = logging.getLogger(__name__)


def tools_enabled(config: PanelsConfig) -> bool:
    """Whether panels.json offers the discussion tools (C2)."""
    return "roundtable" in config.toolsets


async def serve_stdio(settings: Settings) -> None:
    """Serve the tools until the agent closes its end."""
    config = load_panels(settings.panels)
    # Standard output belongs to the protocol; everything else goes to standard error.
    hidden = settings.redactions(config.secret_names(), config.literal_keys())
    set_up_logging(settings.log, hidden, settings.log_format)
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
                # A killed bot leaves its address behind, so the lock on the database decides.
                _log.info("no bot responds at its stored address")
            else:
                await hand_on(client)
                return
        await _serve_alone(settings, config)


async def _serve_alone(settings: Settings, config: PanelsConfig) -> None:
    from bot.agents.server import build_server  # noqa: PLC0415

    _log.info("no bot is running: this process opens the database")
    async with open_discussions(settings, config) as service:
        await build_server(service).run_stdio_async()


async def approve_link(
    settings: Settings, discussion_id: str, agree: Callable[[str, str], bool]
) -> str:
    """`roundtable approve`: the operator decides where there is no card to press."""
    links = load_panels(settings.panels).for_server(0).links
    store = await Store.open(settings.database)
    try:
        return await approve_comment(store, links, settings.secret, discussion_id, agree)
    finally:
        await store.close()


@asynccontextmanager
async def open_discussions(settings: Settings, config: PanelsConfig) -> AsyncIterator[Discussions]:
    """Discussions in the store that are not shown on Discord."""
    async with AsyncExitStack() as closing:
        if settings.local == "on":
            config = with_usual_servers(config)
        settings.make_home()
        store = await Store.open(settings.database)
        closing.push_async_callback(store.close)
        registry = ModelRegistry.for_config(config, settings.secret)
        closing.push_async_callback(registry.close)
        local = await find_local(config)
        known = KnownLists(registry.client, settings.secret, settings.home).offers(config)
        offers = {**local.offers, **known}
        resolution = resolve_models(
            config, settings.secret, ADAPTERS, local.faults, offers, has_price
        )
        prices = PriceBook(lambda: config, lambda: resolution)
        kit = CoreDependencies(
            store=store,
            book=PromptBook.load(SHIPPED_PROMPTS),
            registry=registry,
            config=config.for_server,
            resolution=prices.usable,
            prices=prices,
            home=settings.home,
        )
        yield Discussions(kit, NoThread(), conclusions_folder(store, settings))


def conclusions_folder(store: Store, settings: Settings) -> ConclusionFolder:
    """The only folder that conclusions of discussions may be written to."""
    return ConclusionFolder(store, settings.conclusions or roundtables_folder(settings.home))
