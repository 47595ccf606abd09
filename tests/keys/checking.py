"""`roundtable check` as somebody with some keys sees it."""

from collections.abc import Sequence
from pathlib import Path

from bot.models.local_servers import LocalServers
from bot.models.registry import ADAPTERS
from bot.operations.check import run_check
from bot.panels import PanelsConfig
from bot.panels.offers import Offer
from tests.keys.matrix import BLOCKRUN, NOTHING_HERE, secrets_of
from tests.keys.recorded_lists import recorded
from tests.keys.vendor_servers import Vendors
from tests.panels.panels_data import SHIPPED


async def checked(
    vendors: Vendors,
    keys: Sequence[str],
    home: Path,
    *,
    ask_seats: bool = False,
    environ: dict[str, str] | None = None,
    panels: Path = SHIPPED,
) -> tuple[int, list[str]]:
    """The exit code and the lines, with the providers played by `vendors`."""
    lines: list[str] = []
    offers = {}
    if BLOCKRUN in keys:
        offers["blockrun"] = Offer(recorded("blockrun"), exact=False, chats_for_free=False)
    faults = {name: why for name, why in NOTHING_HERE.items() if name not in offers}

    async def probe(_: PanelsConfig) -> LocalServers:
        return LocalServers(faults, offers)

    code = await run_check(
        lines.append,
        adapters=ADAPTERS,
        env_file=None,
        environ={
            "ROUNDTABLE_PANELS": str(panels),
            "ROUNDTABLE_HOME": str(home),
            **secrets_of(keys),
            **(environ or {}),
        },
        probe=probe,
        connect=vendors.client,
        ask_seats=ask_seats,
    )
    return code, lines
