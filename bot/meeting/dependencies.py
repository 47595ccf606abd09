"""The dependencies of runs, passed in by the composition root."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from bot.access.admission import require_running
from bot.meeting.late_answers import LateAnswers
from bot.models.registry import ModelRegistry, no_secret
from bot.money.call_budget import CallBudget
from bot.money.prices import PriceBook
from bot.panels import Budgets, PanelsConfig, Resolution, ResolvedModel, coordinators
from bot.prompting.templates import PromptBook
from bot.search.service import SearchService
from bot.stage.port import Stage
from bot.store import Store
from bot.store.repositories.budgets import RUN
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run
from bot.store.repositories.servers import ServerRepository
from bot.threads.threads import Threads
from bot.types import SecretLookup, Sleep
from bot.types.mode import Mode

_REMEMBERED_SECONDS: Final = 60.0


class UsualDurations:
    """The usual duration by mode, cached for a minute."""

    def __init__(self) -> None:
        self._known: dict[tuple[Mode, bool], tuple[float, float | None]] = {}

    async def usual(self, store: Store, mode: Mode, *, quick: bool) -> float | None:
        """How long runs of a mode take; None while there were none."""
        known = self._known.get((mode, quick))
        if known is not None and 0 <= store.now() - known[0] < _REMEMBERED_SECONDS:
            return known[1]
        usual = await store.scan(
            lambda conn: RunListRepository(conn).usual_seconds(mode, quick=quick)
        )
        self._known[mode, quick] = store.now(), usual
        return usual


class HeldServers:
    """Which servers this process works for: all of them, or those that it holds among others."""

    def __init__(self, only: set[int] | None = None) -> None:
        self.only = only

    def __contains__(self, guild_id: int) -> bool:
        return self.only is None or guild_id in self.only


async def _nothing_new() -> None:
    """For runs whose providers never change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreDependencies:
    """The store, the prompts, the models and the configuration: enough without Discord."""

    store: Store
    book: PromptBook
    registry: ModelRegistry
    config: Callable[[int | None], PanelsConfig]
    resolution: Callable[[], Resolution]
    prices: PriceBook
    home: Path
    late: LateAnswers = field(default_factory=LateAnswers)
    sleep: Sleep = asyncio.sleep
    secret: SecretLookup = no_secret
    look_again: Callable[[], Awaitable[None]] = _nothing_new
    call_budgets: WeakValueDictionary[tuple[str, str], CallBudget] = field(
        default_factory=WeakValueDictionary
    )
    """The budgets in use now, by run and name."""

    def call_budget(self, run: Run, person_id: int | None = None, name: str = RUN) -> CallBudget:
        """The budget for the calls of a run, or for a person's follow-ups to it.

        Concurrent users of one budget share the same object.
        """

        def limits() -> Budgets:
            return self.config(run.guild_id).budgets

        found = self.call_budgets.get((run.id, name))
        if found is None:
            payer = person_id or run.starter_id
            found = CallBudget(self.store, self.prices, limits, run.id, payer, run.guild_id, name)
            self.call_budgets[run.id, name] = found
        return found

    async def require_running(self, guild_id: int) -> None:
        """Refuse new work where admins have paused the bot (the kill switch)."""
        server = await self.store.read(lambda conn: ServerRepository(conn).get(guild_id))
        require_running(self.config(guild_id).trigger, server.paused_at)

    def coordinators(self, guild_id: int) -> tuple[ResolvedModel, ...]:
        """The models that coordinate now."""
        return coordinators(self.config(guild_id), self.resolution())


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies(CoreDependencies):
    """Everything a run needs: also a stage to speak on, a search, and its threads."""

    stage: Stage
    search: SearchService
    threads: Threads = field(default_factory=Threads)
    held: HeldServers = field(default_factory=HeldServers)
    conclusions: Path | None = None
    """Where conclusions of discussions may be written, if not beside the roundtables."""
    expectations: UsualDurations = field(default_factory=UsualDurations)
    drawing: asyncio.Lock = field(default_factory=asyncio.Lock)
    exporting: asyncio.Lock = field(default_factory=asyncio.Lock)
