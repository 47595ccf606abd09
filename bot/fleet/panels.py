"""panels.json of a fleet: whichever worker finds a new one publishes it, and all use it."""

import hashlib
import logging
from collections.abc import Awaitable, Callable

from bot.errors import ConfigError
from bot.messages.command_line import FleetText
from bot.panels.live import LivePanels, refusal
from bot.store import Store
from bot.store.engine.postgres_lock import signature
from bot.store.repositories.servers import PublishedPanels

_log = logging.getLogger(__name__)


def digest_of(text: str) -> str:
    """A short name of a file's content."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class FleetPanels:
    """One worker's part: its own file, and the newest that anybody published.

    A file that changes while the worker runs is published. So is one that the worker finds at its
    start and nobody ever used; one that was used before is an old copy, and the newest is used.
    """

    def __init__(
        self,
        store: Store,
        panels: LivePanels,
        read_settings: Callable[[], Awaitable[None]],
        tell: Callable[[str], Awaitable[None]],
        in_use: Callable[[str], None],
    ) -> None:
        self._store, self._panels, self._in_use = store, panels, in_use
        self._read_settings, self._tell = read_settings, tell
        self._file: str | None = None
        """The file of this machine, as it was seen last."""
        self._settings: int | None = None
        self._newest, self._digest = -1, ""
        """What was published last, and what this worker uses since."""

    async def look(self) -> None:
        """Publish what is new here, and use what is new elsewhere."""
        await self._publish(self._panels.file)
        file, settings = await self._store.read(lambda conn: PublishedPanels(conn).versions())
        if settings != self._settings:
            self._settings = settings
            await self._read_settings()
        if file != self._newest or digest_of(self._panels.text) != self._digest:
            await self._use_newest()
            self._newest, self._digest = file, digest_of(self._panels.text)
            self._in_use(self._digest)

    async def _publish(self, text: str) -> None:
        digest, began = digest_of(text), self._file is None
        if digest == self._file:
            return
        known = await self._store.read(lambda conn: PublishedPanels(conn).knows(digest))
        if began and known:
            _log.info("panels.json here (%s) was used before: the newest one is used", digest)
        else:
            process = signature()
            await self._store.write(
                lambda conn: PublishedPanels(conn).publish(digest, text, process)
            )
            _log.info("panels.json of this machine (%s) is now that of all workers", digest)
        self._file = digest

    async def _use_newest(self) -> None:
        newest = await self._store.read(lambda conn: PublishedPanels(conn).newest())
        if newest is None or newest[1] == digest_of(self._panels.text):
            return
        _, digest, text = newest
        try:
            await self._panels.use(text)
        except ConfigError as error:
            _log.warning("panels.json of another worker (%s) is refused: %s", digest, error.text)
            await self._tell(FleetText.panels_refused(refusal(error.text)))
        else:
            _log.info("panels.json of another worker (%s) is used", digest)
