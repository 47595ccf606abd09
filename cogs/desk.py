"""What the cogs need from the rest of the bot."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.admin.steward import Steward
from bot.council.forgetting import Forgetting
from bot.council.service import Council
from bot.panels import PanelsConfig
from bot.store import Store
from bot.talk.service import Talk


@dataclass(frozen=True, slots=True)
class FrontDesk:
    """The council, the talk, the store, the configuration as a server sees it, and who forgets."""

    council: Council
    talk: Talk
    store: Store
    config: Callable[[int | None], PanelsConfig]
    steward: Steward
    forgetting: Forgetting
