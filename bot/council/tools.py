"""What the council works with, handed in by the composition root."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot.council.late import LateAnswers
from bot.council.writers import coordinators
from bot.models.desk import ModelDesk
from bot.panels import PanelsConfig, Resolution, ResolvedModel
from bot.prompting.templates import PromptBook
from bot.search.desk import SearchDesk
from bot.stage.port import Stage
from bot.store import Store
from bot.talk.threads import Threads

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Tools:
    """The store, the stage, the prompts, the models, the search and the configuration."""

    store: Store
    stage: Stage
    book: PromptBook
    desk: ModelDesk
    search: SearchDesk
    config: Callable[[int | None], PanelsConfig]
    resolution: Callable[[], Resolution]
    home: Path
    threads: Threads = field(default_factory=Threads)
    exporting: asyncio.Lock = field(default_factory=asyncio.Lock)
    late: LateAnswers = field(default_factory=LateAnswers)
    sleep: Sleep = asyncio.sleep

    def coordinators(self, guild_id: int) -> tuple[ResolvedModel, ...]:
        """The models that coordinate now."""
        return coordinators(self.config(guild_id), self.resolution())
