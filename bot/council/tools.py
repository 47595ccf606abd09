"""What the council works with, handed in by the composition root."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.models.desk import ModelDesk
from bot.panels import PanelsConfig, Resolution
from bot.prompting.templates import PromptBook
from bot.stage.port import Stage
from bot.store.engine import Store


@dataclass(frozen=True, slots=True)
class Tools:
    """The store, the stage, the prompts, the models and the current configuration."""

    store: Store
    stage: Stage
    book: PromptBook
    desk: ModelDesk
    config: Callable[[int | None], PanelsConfig]
    resolution: Callable[[], Resolution]
    home: Path
