"""The tools without a running bot: this process opens the database itself."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.council.discussions.service import Discussions
from bot.council.discussions.unseen import Unseen
from bot.council.discussions.writing import Folder
from bot.council.exports import roundtables_folder
from bot.council.tools import Kit
from bot.models.availability import KnownLists
from bot.models.local_servers import find_local
from bot.models.registry import ADAPTERS, ModelRegistry
from bot.money.known_prices import has_price
from bot.money.prices import PriceBook
from bot.panels import PanelsConfig, resolve_models
from bot.panels.usual_servers import with_usual_servers
from bot.prompting.templates import PromptBook
from bot.settings import SHIPPED_PROMPTS, Settings
from bot.store import DATABASE, Store


@asynccontextmanager
async def open_discussions(settings: Settings, config: PanelsConfig) -> AsyncIterator[Discussions]:
    """Discussions on the store, seen by nobody on Discord."""
    async with AsyncExitStack() as closing:
        if settings.local == "on":
            config = with_usual_servers(config)
        store = await Store.open(settings.home / DATABASE)
        closing.push_async_callback(store.close)
        desk = ModelRegistry.for_config(config, settings.secret)
        closing.push_async_callback(desk.close)
        local = await find_local(config)
        known = KnownLists(desk.client, settings.secret, settings.home).offers(config)
        offers = {**local.offers, **known}
        resolution = resolve_models(
            config, settings.secret, ADAPTERS, local.faults, offers, has_price
        )
        prices = PriceBook(lambda: config, lambda: resolution)
        kit = Kit(
            store=store,
            book=PromptBook.load(SHIPPED_PROMPTS),
            desk=desk,
            config=config.for_server,
            resolution=prices.usable,
            prices=prices,
            home=settings.home,
        )
        yield Discussions(kit, Unseen(), conclusions_folder(store, settings))


def conclusions_folder(store: Store, settings: Settings) -> Folder:
    """The one folder that conclusions of discussions may be written to."""
    return Folder(store, settings.conclusions or roundtables_folder(settings.home))
