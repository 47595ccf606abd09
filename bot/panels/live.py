"""panels.json while the bot runs: reloaded on change; the old one stays when it is not valid."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from bot.panels.config import PanelsConfig
from bot.panels.load import load_panels

Adjust = Callable[[PanelsConfig], PanelsConfig]
Adopt = Callable[[PanelsConfig], Awaitable[None]]
Mark = tuple[int, int, int]
"""What changes when a file is written: its time, its size and, when it is replaced, its number."""


def mark_of(path: Path) -> Mark | None:
    """The file's mark now, None while it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


async def _nobody(_: PanelsConfig) -> None:
    """Nothing else has to know."""


class LivePanels:
    """The one place that knows which configuration is valid now."""

    def __init__(self, path: Path, adjust: Adjust = lambda config: config) -> None:
        self.path = path
        self.adopt: Adopt = _nobody
        self._adjust = adjust
        self._one_at_a_time = asyncio.Lock()
        self.mark = mark_of(path)
        self.current = adjust(load_panels(path))

    def for_server(self, guild_id: int | None) -> PanelsConfig:
        """The configuration as one Discord server sees it now."""
        return self.current.for_server(guild_id)

    async def reload(self) -> bool:
        """Reload the file; False when unchanged. Raises ConfigError and keeps the old one."""
        async with self._one_at_a_time:
            self.mark = mark_of(self.path)
            config = self._adjust(await asyncio.to_thread(load_panels, self.path))
            if _same(config, self.current):
                return False
            self.current = config
            await self.adopt(config)
            return True


def _same(one: PanelsConfig, other: PanelsConfig) -> bool:
    return one.model_dump() == other.model_dump()
