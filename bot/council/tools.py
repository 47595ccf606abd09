"""The council's dependencies, passed in by the composition root."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary

from bot.council.admission import require_running
from bot.council.expectations import Expectations
from bot.council.late import LateAnswers
from bot.council.pricing import Rates
from bot.council.writers import coordinators
from bot.models.registry import ModelRegistry, no_secret
from bot.money.prices import PriceBook
from bot.money.purse import Purse
from bot.panels import Budgets, PanelsConfig, Resolution, ResolvedModel
from bot.prompting.templates import PromptBook
from bot.search.desk import SearchDesk
from bot.stage.port import Stage
from bot.store import Store, servers
from bot.store.budgets import RUN
from bot.store.runs import Run
from bot.talk.threads import Threads

Sleep = Callable[[float], Awaitable[None]]


async def _nothing_new() -> None:
    """For a council whose surroundings never change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The store, the prompts, the models and the configuration: enough without Discord."""

    store: Store
    book: PromptBook
    desk: ModelRegistry
    config: Callable[[int | None], PanelsConfig]
    resolution: Callable[[], Resolution]
    prices: PriceBook
    home: Path
    late: LateAnswers = field(default_factory=LateAnswers)
    sleep: Sleep = asyncio.sleep
    secret: Callable[[str], str | None] = no_secret
    look_again: Callable[[], Awaitable[None]] = _nothing_new
    purses: WeakValueDictionary[tuple[str, str], Purse] = field(default_factory=WeakValueDictionary)
    """The budgets somebody works on now, by run and name."""

    def rates(self, guild_id: int) -> Rates:
        """What meetings of a server cost now."""
        return Rates(self.config(guild_id), self.resolution(), self.prices)

    def purse(self, run: Run, person_id: int | None = None, name: str = RUN) -> Purse:
        """The budget for the calls of a run, or for a person's follow-ups to it.

        Concurrent users of one budget share the same object.
        """

        def limits() -> Budgets:
            return self.config(run.guild_id).budgets

        found = self.purses.get((run.id, name))
        if found is None:
            payer = person_id or run.starter_id
            found = Purse(self.store, self.prices, limits, run.id, payer, run.guild_id, name)
            self.purses[run.id, name] = found
        return found

    async def require_running(self, guild_id: int) -> None:
        """Refuse new work where admins take none now (the kill switch)."""
        server = await self.store.read(lambda conn: servers.get(conn, guild_id))
        require_running(self.config(guild_id).trigger, server.paused_at)

    def coordinators(self, guild_id: int) -> tuple[ResolvedModel, ...]:
        """The models that coordinate now."""
        return coordinators(self.config(guild_id), self.resolution())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools(Kit):
    """What a meeting needs beside the kit: a stage to speak on, a search, and its floors."""

    stage: Stage
    search: SearchDesk
    threads: Threads = field(default_factory=Threads)
    conclusions: Path | None = None
    """Where conclusions of discussions may be written, if not beside the roundtables."""
    expectations: Expectations = field(default_factory=Expectations)
    drawing: asyncio.Lock = field(default_factory=asyncio.Lock)
    exporting: asyncio.Lock = field(default_factory=asyncio.Lock)
