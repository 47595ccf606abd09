"""What each process of a fleet writes on a connection of its own: that it is up, and its turns."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, select

from bot.store.tables import processes
from bot.store.tables.fleet import DATABASE_NOW

if TYPE_CHECKING:
    import asyncpg

STOP: Final = "roundtable_stop"
"""The channel on which all processes hear that Discord refuses requests for a while."""
_TURNS: Final = """
    INSERT INTO request_turns AS known (id, next_at, stopped_until)
    VALUES ($1, extract(epoch FROM clock_timestamp()) + $2, 0)
    ON CONFLICT (id) DO UPDATE SET next_at = $2 +
    greatest(known.next_at, known.stopped_until, extract(epoch FROM clock_timestamp()) - $3)
    RETURNING next_at - $2 - extract(epoch FROM clock_timestamp())
"""
_STOP_TURNS: Final = """
    INSERT INTO request_turns AS known (id, next_at, stopped_until)
    VALUES ($1, 0, extract(epoch FROM clock_timestamp()) + $2)
    ON CONFLICT (id) DO UPDATE SET stopped_until =
    greatest(known.stopped_until, extract(epoch FROM clock_timestamp()) + $2)
"""
_SEEN: Final = """
    INSERT INTO processes (id, role, version, schema, panels, seen_at)
    VALUES ($1, $2, $3, $4, $5, extract(epoch FROM clock_timestamp()))
    ON CONFLICT (id) DO UPDATE SET panels = excluded.panels, seen_at = excluded.seen_at
"""
_UNSEEN: Final = """
    DELETE FROM processes
    WHERE id = $1 OR seen_at < extract(epoch FROM clock_timestamp()) - 3600
"""
_UP_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class ProcessState:
    """A gateway or worker that is up."""

    process: str
    role: str
    version: str
    schema: int
    panels: str


class Processes:
    """Who is up, as each process says of itself on a connection of its own."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection

    async def seen(self, state: ProcessState) -> None:
        """This process is up."""
        told = (state.process, state.role, state.version, state.schema, state.panels)
        await self._connection.execute(_SEEN, *told)

    async def gone(self, process: str) -> None:
        """This process ends."""
        await self._connection.execute(_UNSEEN, process)

    @staticmethod
    def all(conn: Connection) -> list[ProcessState]:
        """Every process that was seen lately."""
        recent = processes.c.seen_at > DATABASE_NOW - _UP_SECONDS
        columns = (processes.c[name] for name in ("id", "role", "version", "schema", "panels"))
        rows = conn.execute(
            select(*columns).where(recent).order_by(processes.c.role, processes.c.id)
        )
        return [ProcessState(*row) for row in rows]


class RequestTurns:
    """Hands out the turns of requests; on a connection of its own, because everybody waits."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection

    async def reserve(self, lane: str, seconds: float, burst: float) -> float:
        """Reserve so many seconds of a lane, of which `burst` may be past; returns when it begins.

        That is counted from now and may be negative.
        """
        return float(await self._connection.fetchval(_TURNS, lane, seconds, burst))

    async def stop(self, lane: str, seconds: float) -> None:
        """Hand out no turns for so long, and tell everybody who has some."""
        await self._connection.execute(_STOP_TURNS, lane, seconds)
        told = f"{lane} {seconds}"
        await self._connection.execute("SELECT pg_notify($1, $2)", STOP, told)
