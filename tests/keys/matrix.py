"""Which keys somebody may have, and who sits with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from bot.messages.models import ProviderText
from bot.models.availability import KnownLists
from bot.models.registry import ADAPTERS
from bot.money.prices import PriceBook
from bot.panels import MODES, PanelsConfig, Resolution, Sitting, resolve_models, sitting
from bot.panels.config import ModeName
from bot.panels.offers import Offer
from bot.panels.price_list import has_price
from tests.keys.recorded_lists import recorded
from tests.keys.vendor_servers import KEY, SECRETS, Vendors

BLOCKRUN: Final = "Blockrun"
OPENROUTER: Final = "OPENROUTER_API_KEY"
VENDOR_KEYS: Final = tuple(name for name in SECRETS if name != OPENROUTER)
SINGLES: Final = tuple((name,) for name in (*VENDOR_KEYS, OPENROUTER, BLOCKRUN))
PAIRS: Final = tuple(combinations(VENDOR_KEYS, 2))
TRIPLES: Final = tuple(combinations(VENDOR_KEYS, 3))
PORTS_HERE: Final = {
    "blockrun": 8402,
    "ollama": 11434,
    "lmstudio": 1234,
    "vllm": 8000,
    "llamacpp": 8080,
}
NOTHING_HERE: Final = {
    name: ProviderText.nothing_answers("127.0.0.1", port, name) for name, port in PORTS_HERE.items()
}


@dataclass(frozen=True, slots=True)
class Around:
    """What somebody with some keys has: the file, the usable models, the seats of each mode."""

    config: PanelsConfig
    resolution: Resolution
    prices: PriceBook

    def sitting(self, mode: ModeName) -> Sitting:
        """Who would sit in a mode."""
        return sitting(self.config, self.resolution, mode)

    @property
    def sittings(self) -> dict[str, Sitting]:
        """Who would sit in every mode."""
        return {mode: self.sitting(mode) for mode in MODES}


def secrets_of(keys: Sequence[str]) -> dict[str, str]:
    """What stands in .env."""
    return {name: KEY for name in keys if name != BLOCKRUN}


async def look_around(
    vendors: Vendors, config: PanelsConfig, keys: Sequence[str], home: Path | None = None
) -> Around:
    """Ask every provider as the bot does at its start, and resolve every model."""
    secret = secrets_of(keys).get
    async with vendors.client() as client:
        lists = KnownLists(lambda: client, secret, home)
        await lists.ask(config)
    faults = {**NOTHING_HERE, **lists.refusals}
    offers = lists.offers(config)
    if BLOCKRUN in keys:
        del faults["blockrun"]
        offers["blockrun"] = Offer(recorded("blockrun"), exact=False, chats_for_free=False)
    served = resolve_models(config, secret, ADAPTERS, faults, offers, has_price)
    prices = PriceBook(lambda: config, lambda: served)
    return Around(config, prices.usable(), prices)
