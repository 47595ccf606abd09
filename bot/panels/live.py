"""panels.json while the bot runs: reloaded on change; the old one stays when it is not valid."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from bot.errors import AwayError, ConfigError
from bot.messages.configuration import PanelsFileText
from bot.panels.config import PanelsConfig
from bot.panels.load import StoredSettings, parse_panels, read_panels, setting_problems
from bot.types import Sleep

_log = logging.getLogger(__name__)

Adjust = Callable[[PanelsConfig], PanelsConfig]
Adopt = Callable[[PanelsConfig], Awaitable[None]]
_Mark = tuple[int, int, int]
"""What changes when a file is written: its time, its size and, when it is replaced, its number."""
_SECONDS_BETWEEN_LOOKS: Final = 2.0
_MOST_PROBLEMS: Final = 5
_LONGEST_PROBLEM: Final = 300
_Tell = Callable[[str], Awaitable[None]]
_Look = Callable[[], Awaitable[None]]


def _mark_of(path: Path) -> _Mark | None:
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
        self.mark = _mark_of(path)
        self._stored: StoredSettings = {}
        self.file = self._text = read_panels(path)
        """The file as it was last found to be valid."""
        self.current = adjust(parse_panels(self._text))

    def for_server(self, guild_id: int | None) -> PanelsConfig:
        """The configuration as one Discord server sees it now."""
        return self.current.for_server(guild_id)

    def stored_for(self, guild_id: int) -> Mapping[str, Any]:
        """What the admins of a server stored, as it is used now."""
        return self._stored.get(guild_id, {})

    async def reload(self) -> bool:
        """Reload the file; False when unchanged. Raises ConfigError and keeps the old one."""
        async with self._one_at_a_time:
            self.mark = _mark_of(self.path)
            text = await asyncio.to_thread(read_panels, self.path)
            changed = await self._use(text)
            self.file = text
            return changed

    async def use(self, text: str) -> bool:
        """Use what another process found in its file; False when it says the same."""
        async with self._one_at_a_time:
            return await self._use(text)

    @property
    def text(self) -> str:
        """The file that is used now, of this machine or another."""
        return self._text

    async def _use(self, text: str) -> bool:
        config = self._adjust(await asyncio.to_thread(parse_panels, text, self._stored))
        self._text = text
        if _same(config, self.current):
            return False
        self.current = config
        await self.adopt(config)
        return True

    async def use_settings(self, stored: StoredSettings) -> None:
        """Let servers have what their admins stored, above the file."""
        async with self._one_at_a_time:
            self._stored = dict(stored)
            parsed = await asyncio.to_thread(parse_panels, self._text, self._stored)
            self.current = self._adjust(parsed)

    async def setting_problems(
        self, stored: StoredSettings | None = None
    ) -> dict[int, tuple[str, ...]]:
        """By server, why settings cannot be used: these, or those that are stored."""
        asked = self._stored if stored is None else stored
        return await asyncio.to_thread(setting_problems, self._text, asked)


def _same(one: PanelsConfig, other: PanelsConfig) -> bool:
    return one.model_dump() == other.model_dump()


class PanelsWatch:
    """Looks at the file now and then; a file that is still being written is left to the next look.

    Modification times are compared, because this needs no package and works on every disk.
    """

    def __init__(self, panels: LivePanels, tell: _Tell, shared: _Look | None = None) -> None:
        self._panels = panels
        self._tell = tell
        self._shared = shared
        self._seen = panels.mark
        self._told = ""

    async def run(self, sleep: Sleep) -> None:
        """Look until cancelled."""
        while True:
            await sleep(_SECONDS_BETWEEN_LOOKS)
            try:
                await self.look()
                if self._shared is not None:
                    await self._shared()
            except AwayError:
                continue  # the store tells that the database is away
            except Exception:
                _log.exception("panels.json could not be checked; retrying")

    async def look(self) -> None:
        """Reload the file if it changed and is no longer being written."""
        before, self._seen = self._seen, _mark_of(self._panels.path)
        if self._seen != before or self._seen == self._panels.mark:
            return
        try:
            changed = await self._panels.reload()
        except ConfigError as error:
            await self._complain(error.text)
            return
        if changed:
            _log.info("panels.json reloaded")
            for guild_id, problems in (await self._panels.setting_problems()).items():
                await self._tell(PanelsFileText.settings_ignored(guild_id, problems))
        if self._told:
            self._told = ""
            await self._tell(PanelsFileText.GOOD_AGAIN)

    async def _complain(self, problems: str) -> None:
        if problems == self._told:
            return
        self._told = problems
        _log.warning("panels.json is not valid, the old configuration stays active: %s", problems)
        await self._tell(refusal(problems))


def refusal(problems: str) -> str:
    """What admins read about a file that cannot be used."""
    lines = problems.splitlines()
    shown = [line[:_LONGEST_PROBLEM] for line in lines[:_MOST_PROBLEMS]]
    return PanelsFileText.refusal(shown, len(lines) - len(shown))
