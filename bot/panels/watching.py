"""Watches panels.json, and tells the admins once when a change of it cannot be used."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from bot.errors import ConfigError
from bot.messages.configuration import PanelsFileText
from bot.panels.live import LivePanels, mark_of

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS: Final = 2.0
MOST_PROBLEMS: Final = 5
LONGEST_PROBLEM: Final = 300

Sleep = Callable[[float], Awaitable[None]]
Tell = Callable[[str], Awaitable[None]]


class PanelsWatch:
    """Looks at the file now and then; a file that is still being written is left to the next look.

    Modification times are compared, because this needs no package and works on every disk.
    """

    def __init__(self, panels: LivePanels, tell: Tell) -> None:
        self._panels = panels
        self._tell = tell
        self._seen = panels.mark
        self._told = ""

    async def run(self, sleep: Sleep) -> None:
        """Look until cancelled."""
        while True:
            await sleep(SECONDS_BETWEEN_LOOKS)
            try:
                await self.look()
            except Exception:
                log.exception("panels.json could not be checked; retrying")

    async def look(self) -> None:
        """Reload the file if it changed and is no longer being written."""
        before, self._seen = self._seen, mark_of(self._panels.path)
        if self._seen != before or self._seen == self._panels.mark:
            return
        try:
            changed = await self._panels.reload()
        except ConfigError as error:
            await self._complain(error.text)
            return
        if changed:
            log.info("panels.json reloaded")
        if self._told:
            self._told = ""
            await self._tell(PanelsFileText.GOOD_AGAIN)

    async def _complain(self, problems: str) -> None:
        if problems == self._told:
            return
        self._told = problems
        log.warning("panels.json is not valid, the old configuration stays active: %s", problems)
        await self._tell(refusal(problems))


def refusal(problems: str) -> str:
    """What admins read about a file that cannot be used."""
    lines = problems.splitlines()
    shown = [line[:LONGEST_PROBLEM] for line in lines[:MOST_PROBLEMS]]
    return PanelsFileText.refusal(shown, len(lines) - len(shown))
