"""What the council works with, handed in by the composition root."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot.council.late import LateAnswers
from bot.council.writers import coordinators
from bot.models.desk import ModelDesk, no_secret
from bot.panels import PanelsConfig, Resolution, ResolvedModel
from bot.prompting.templates import PromptBook
from bot.search.desk import SearchDesk
from bot.stage.port import Stage
from bot.store import Store
from bot.talk.threads import Threads

Sleep = Callable[[float], Awaitable[None]]


async def _nothing_new() -> None:
    """For a council whose surroundings never change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The store, the prompts, the models and the configuration: enough without Discord."""

    store: Store
    book: PromptBook
    desk: ModelDesk
    config: Callable[[int | None], PanelsConfig]
    resolution: Callable[[], Resolution]
    home: Path
    late: LateAnswers = field(default_factory=LateAnswers)
    sleep: Sleep = asyncio.sleep
    secret: Callable[[str], str | None] = no_secret
    look_again: Callable[[], Awaitable[None]] = _nothing_new

    def coordinators(self, guild_id: int) -> tuple[ResolvedModel, ...]:
        """The models that coordinate now."""
        return coordinators(self.config(guild_id), self.resolution())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools(Kit):
    """What a meeting needs beside the kit: a stage to speak on, a search, and its floors."""

    stage: Stage
    search: SearchDesk
    threads: Threads = field(default_factory=Threads)
    exporting: asyncio.Lock = field(default_factory=asyncio.Lock)
