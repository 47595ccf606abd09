"""What people wrote while the bot was offline, and what is done with it.

Gateway events are lost when the bot is down or has to identify again, and duplicated after a
resume. So at every READY the histories of its threads are read, and new messages are handled as if
they had just come. Message ids are stored, so reading too much does no harm.

In channels only commands of the last two minutes count: whoever typed a `roundtable …` hours ago
saw no answer and may have asked again, and nobody should pay for an outdated question. In the
thread of a run a `stop` is carried out, because the run would continue now; any other command is
answered with a request to repeat it.
"""

import enum
from dataclasses import dataclass
from typing import Final

from bot.request import is_addressed, parse_command
from bot.store import Store
from bot.talk.incoming import IncomingMessage, Unread, moment_id, unread_threads

_RECENT_SECONDS: Final = 150.0
"""Two minutes and the time to reconnect."""


class Missed(enum.Enum):
    """How a message found in a thread's history is handled."""

    OWN = enum.auto()
    TALK = enum.auto()
    COMMAND = enum.auto()
    LATE_COMMAND = enum.auto()


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the bot's connections to Discord; a bot without shards has one for all servers."""

    id: int = 0
    count: int = 1

    def serves(self, guild_id: int) -> bool:
        """Whether the events of a server come over this connection."""
        return (guild_id >> 22) % self.count == self.id


ONLY_SHARD: Final = Shard()


@dataclass(frozen=True, slots=True)
class OneServer:
    """What is read where one server is taken over from another process."""

    id: int

    def serves(self, guild_id: int) -> bool:
        """Whether it is this one."""
        return guild_id == self.id


class MissedMessages:
    """Tracks when each shard was offline, and which threads must be read again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._unread: tuple[Unread, ...] = ()
        self._away_since: dict[int, float] = {}

    async def look_at_start(self) -> None:
        """Find the unread threads before the first message of this connection is stored."""
        self._unread = await self._unread_since(None)

    def disconnected(self, shard_id: int = 0, since: float | None = None) -> None:
        """Record when the connection was lost: now, or since when another process misses it."""
        self._away_since.setdefault(shard_id, self._store.now() if since is None else since)

    def resumed(self, shard_id: int = 0) -> None:
        """The session was resumed: Discord has replayed every event."""
        self._away_since.pop(shard_id, None)

    async def look_again(self, shard: Shard = ONLY_SHARD) -> None:
        """After a new identification: find the threads of its servers that must be read again."""
        since = self._away_since.pop(shard.id, None)
        if since is not None:
            found = [u for u in await self._unread_since(since) if shard.serves(u.guild_id)]
            known = {unread.thread_id for unread in found}
            others = [unread for unread in self._unread if unread.thread_id not in known]
            self._unread = (*others, *found)

    async def look_at(self, server: int, since: float | None = None) -> None:
        """Find the threads of one server that must be read."""
        found = [u for u in await self._unread_since(since) if u.guild_id == server]
        known = {unread.thread_id for unread in found}
        others = [unread for unread in self._unread if unread.thread_id not in known]
        self._unread = (*others, *found)

    def take_threads(self, *, live: bool, server: int | None = None) -> list[Unread]:
        """The unread threads of open or of finished runs; each is returned once."""
        taken = [
            unread
            for unread in self._unread
            if unread.live is live and server in (None, unread.guild_id)
        ]
        self._unread = tuple(unread for unread in self._unread if unread not in taken)
        return taken

    def recent_after(self) -> int:
        """The message id after which a command in a channel is still carried out."""
        return moment_id(self._store.now() - _RECENT_SECONDS)

    async def _unread_since(self, since: float | None) -> tuple[Unread, ...]:
        now = self._store.now()
        return await self._store.scan(lambda conn: unread_threads(conn, now, since))


def missed_kind(message: IncomingMessage) -> Missed:
    """How to handle a message found in a thread's history."""
    if message.own:
        return Missed.OWN
    if message.proxied or not is_addressed(message.typed):
        return Missed.TALK
    command = parse_command(message.typed)
    stops = command is not None and command.name == "stop"
    return Missed.COMMAND if stops else Missed.LATE_COMMAND
