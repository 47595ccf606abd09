"""Who may read which roundtable: every command, completion and context asks here.

A run can be read by those who can read its thread or channel now, from within its own server. What
somebody may not read does not exist for them: the same look-ups are made, the same sentence is
said, and a refusal always takes the same time.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.errors import UsageError
from bot.messages.library import LibraryText
from bot.record.run_rows import place_of
from bot.stage.port import Stage
from bot.store import Store
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.artifacts import FileRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.types import Sleep

_REFUSAL_SECONDS = 0.6
_MOST_LOOKED_AT = 40
_NEVER = "rt_"
_RUN_ID = re.compile(r"rt_[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who wants to read, where they ask, and whether only they see the answer."""

    asker: Asker
    guild_id: int
    channel_id: int
    private: bool = True


class Readers:
    """Finds runs for people."""

    def __init__(self, store: Store, stage: Stage, sleep: Sleep = asyncio.sleep) -> None:
        self._store = store
        self._stage = stage
        self._sleep = sleep

    async def readable(self, reader: Reader, found: Sequence[Run]) -> tuple[Run, ...]:
        """The runs that a reader may read; every command decides here."""
        # A run without a topic was erased, so it does not exist for readers.
        ours = [run for run in found if run.guild_id == reader.guild_id and run.topic]
        # Always check the reader's own channel, so that the timing tells nothing.
        places = {place_of(run).target_id for run in ours} | {reader.channel_id}
        stage = self._stage
        seen = await stage.readable(reader.asker.id, reader.guild_id, places)
        if not reader.private:
            here = reader.channel_id
            seen = frozenset([place for place in seen if await stage.open_to(place, here)])
        return tuple(run for run in ours if place_of(run).target_id in seen)

    async def find(self, reader: Reader, run_id: str | None) -> Run:
        """The run of that id, or the newest of this place; raises UsageError alike."""
        begun = time.monotonic()
        if run_id is None:
            here = reader.channel_id
            run = await self._store.read(lambda conn: RunRepository(conn).newest_at(here))
        else:
            run = await self._stored(run_id)
        readable = await self.readable(reader, () if run is None else (run,))
        if readable:
            return readable[0]
        await self._take_time(begun)
        raise UsageError(_not_found(reader, run_id))

    async def reach(self, reader: Reader, run_id: str) -> Run:
        """A run to act on: also the person's own, and for moderators one whose thread is gone."""
        begun = time.monotonic()
        run = await self._stored(run_id)
        readable = await self.readable(reader, () if run is None else (run,))
        if readable:
            return readable[0]
        if run is not None and run.guild_id == reader.guild_id and run.topic:
            lost = reader.asker.may_manage and await self._stage.is_gone(place_of(run))
            if lost or run.starter_id == reader.asker.id:
                return run
        await self._take_time(begun)
        raise UsageError(LibraryText.NOT_FOUND)

    async def require_server(self, guild_id: int, about: str) -> None:
        """Refuse to act on a run or its approval from another server."""
        run = await self._store.read(lambda conn: _run_behind(conn, about))
        if run is None or run.guild_id != guild_id:
            raise UsageError(LibraryText.NOT_FOUND)

    async def named(self, reader: Reader, slug: str) -> Run | None:
        """The newest concluded run of that name that the reader can read (2.2#45)."""
        begun = time.monotonic()
        guild_id = reader.guild_id
        found = await self._store.scan(
            lambda conn: FileRepository(conn).find_runs(slug, guild_id, _MOST_LOOKED_AT)
        )
        readable = await self.readable(reader, found)
        if readable:
            return readable[0]
        await self._take_time(begun)
        return None

    async def newest(self, reader: Reader) -> tuple[Run, ...]:
        """The newest runs of the server that the reader can read, newest first."""
        found = await self._store.scan(
            lambda conn: RunListRepository(conn).recent(reader.guild_id, _MOST_LOOKED_AT)
        )
        return await self.readable(reader, found)

    async def _stored(self, run_id: str) -> Run | None:
        """The run of an id; malformed ids are looked up like unknown ones."""
        wanted = run_id if _RUN_ID.fullmatch(run_id) else _NEVER
        return await self._store.read(lambda conn: RunRepository(conn).get(wanted))

    async def _take_time(self, begun: float) -> None:
        await self._sleep(max(0.0, begun + _REFUSAL_SECONDS - time.monotonic()))


def _run_behind(conn: Connection, about: str) -> Run | None:
    if _RUN_ID.fullmatch(about):
        return RunRepository(conn).get(about)
    approval = ApprovalRepository(conn).get(about)
    return RunRepository(conn).get(approval.run_id) if approval else None


def _not_found(reader: Reader, run_id: str | None) -> str:
    if run_id is None:
        return LibraryText.NONE_HERE
    return LibraryText.NOT_FOUND if reader.private else LibraryText.NOT_FOUND_IN_PUBLIC
