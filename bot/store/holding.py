"""Whether this process still holds its database: who lost it does nothing until it has it again."""

import asyncio
import logging

from bot.errors import UnavailableError

log = logging.getLogger(__name__)


class Holding:
    """Held from the start; lost and taken again by the backend, and waited for by everybody."""

    def __init__(self) -> None:
        self._held = asyncio.Event()
        self._held.set()
        self._over = asyncio.Event()
        self._error: UnavailableError | None = None

    @property
    def held(self) -> bool:
        """Whether nobody else can have the database now."""
        return self._held.is_set()

    async def wait(self) -> None:
        """Go on while the database is held, or when it is again; never when it went to another."""
        await self._held.wait()

    async def gone(self) -> UnavailableError:
        """Wait until it is certain that another process has it, and return who, in a sentence."""
        await self._over.wait()
        return self._error or UnavailableError("")

    def lose(self) -> None:
        """From now on nothing may be done that others see."""
        if self.held:
            log.warning("the database lock is lost: all work waits until it is held again")
        self._held.clear()

    def regain(self) -> None:
        """Go on, unless it went to another process, which may have changed everything."""
        if not self.held and self._error is None:
            log.info("the database lock is held again: work continues")
            self._held.set()

    def give_up(self, error: UnavailableError) -> None:
        """Another process has or had the database; what this one remembers is worth nothing."""
        self._held.clear()
        self._error = self._error or error
        self._over.set()
