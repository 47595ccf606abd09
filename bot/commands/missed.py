"""What people wrote while the bot was away: where to look for it, and what becomes of it.

Events are lost when the bot is down or must identify anew, and doubled after a resume. So at
every READY the histories of its threads are read, and what is new is treated like a message that
just came. Message ids are remembered, which makes reading too much harmless.

Elsewhere only what was typed within the last two minutes counts: whoever typed a `roundtable …`
hours ago saw no answer, may have asked again or somebody else, and nobody should pay for a
question that is no longer asked. In a thread of a roundtable a `stop` is obeyed, because it was
meant for the meeting that would go on now; any other command is answered with a request to repeat
it.
"""

import enum
from typing import Final

from bot.request import is_addressed, parse_command
from bot.store import Store
from bot.talk.incoming import IncomingMessage, Unread, moment_id, unread_threads

_RECENT_SECONDS: Final = 150.0
"""Two minutes, and the time it takes to be ready again."""


class Missed(enum.Enum):
    """What a message found in the history of a thread is."""

    OWN = enum.auto()
    TALK = enum.auto()
    COMMAND = enum.auto()
    LATE_COMMAND = enum.auto()


class MissedMessages:
    """Keeps track of when the bot was away and which threads have to be read again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._unread: tuple[Unread, ...] = ()
        self._away_since: float | None = None

    async def look_at_start(self) -> None:
        """Find the unread threads before the first message of this connection is stored."""
        self._unread = await self._unread_since(None)

    def disconnected(self) -> None:
        """Remember since when events may be lost."""
        if self._away_since is None:
            self._away_since = self._store.now()

    def resumed(self) -> None:
        """Discord has replayed what happened meanwhile."""
        self._away_since = None

    async def look_again(self) -> None:
        """After a new identification: find the threads that must be read again."""
        since, self._away_since = self._away_since, None
        if since is not None:
            self._unread = await self._unread_since(since)

    def take_threads(self, *, live: bool) -> list[Unread]:
        """The unread threads of meetings that go on, or of those that are over; each once."""
        taken = [unread for unread in self._unread if unread.live is live]
        self._unread = tuple(unread for unread in self._unread if unread.live is not live)
        return taken

    def recent_after(self) -> int:
        """The message id after which a command in a channel is still carried out."""
        return moment_id(self._store.now() - _RECENT_SECONDS)

    async def _unread_since(self, since: float | None) -> tuple[Unread, ...]:
        now = self._store.now()
        return await self._store.read(lambda conn: unread_threads(conn, now, since))


def missed_kind(message: IncomingMessage) -> Missed:
    """What to do with a message that was found in the history of a thread."""
    if message.own:
        return Missed.OWN
    if message.proxied or not is_addressed(message.typed):
        return Missed.TALK
    command = parse_command(message.typed)
    stops = command is not None and command.name == "stop"
    return Missed.COMMAND if stops else Missed.LATE_COMMAND
