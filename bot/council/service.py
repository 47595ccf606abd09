"""The council's door: convene a roundtable, stop one, go on after a restart, close down."""

import asyncio
import secrets
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from bot.council.admission import Asker, Traffic, admit, may_stop
from bot.council.tools import Tools
from bot.errors import NotAllowedError, UsageError
from bot.request import Request, topic_key
from bot.stage.port import Place
from bot.store import Actor, EventType, events, runs
from bot.store.runs import NewRun, Run, TopicPlace

if TYPE_CHECKING:
    from bot.council.hall import Hall
    from bot.council.meeting import Meeting

DUPLICATE = "♻️ Duplicate topic detected — reusing existing thread."


@dataclass(frozen=True, slots=True)
class Summons:
    """Somebody asks for a roundtable somewhere."""

    guild_id: int
    channel_id: int
    message_id: int | None
    asker: Asker
    request: Request


@dataclass(frozen=True, slots=True)
class Convened:
    """The run that serves a summons; `reused` when the topic was already on the table."""

    run_id: str
    place: Place
    reused: bool = False


@dataclass(frozen=True, slots=True)
class _Session:
    meeting: "Meeting"
    task: "asyncio.Task[None]"


class Council:
    """Holds every meeting of this process."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._running: dict[str, _Session] = {}
        self._convening: set[asyncio.Future[None]] = set()

    @cached_property
    def _hall(self) -> "Hall":
        """Imported with the first meeting, because a start should not pay for it."""
        from bot.council.hall import Hall  # noqa: PLC0415

        return Hall(self._tools)

    async def convene(self, summons: Summons) -> Convened:
        """Admit the request, open its thread and let the meeting run; raises UserError."""
        under_way: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._convening.add(under_way)
        try:
            return await self._convene(summons)
        finally:
            self._convening.discard(under_way)
            under_way.set_result(None)

    async def stop(self, run_id: str, asker: Asker) -> str:
        """Stop a run and keep what was said; returns what to tell the person."""
        run = await self._tools.store.read(lambda conn: runs.get(conn, run_id))
        if run is None:
            raise UsageError("There is no such roundtable here: check the id.")
        trigger = self._tools.config(run.guild_id).trigger
        if not may_stop(asker, run.starter_id, trigger):
            raise NotAllowedError(
                "Only the person who started it or a moderator may stop this roundtable."
            )
        if run.finished_at is not None:
            raise UsageError("This roundtable is already over.")
        await self._stop(run, asker.id)
        return "Stopped. What was said stays in the thread."

    async def running_in(self, channel_id: int, guild_id: int) -> Run | None:
        """The unfinished run that lives in a channel or thread, newest first."""
        unfinished = await self._tools.store.read(runs.unfinished)
        return next(
            (
                run
                for run in reversed(unfinished)
                if run.guild_id == guild_id
                and channel_id in {run.thread_id, run.output_channel_id, run.trigger_channel_id}
            ),
            None,
        )

    async def resume_all(self) -> int:
        """Go on with every run that a restart interrupted; returns how many there were."""
        unfinished = await self._tools.store.read(runs.unfinished)
        for run in unfinished:
            if run.id not in self._running:
                self._launch(self._hall.meeting(run), resumed=True)
        return len(unfinished)

    async def give_up_unfinished(self, reason: str) -> None:
        """End in the store alone what an earlier process left, because its place is gone."""
        for run in await self._tools.store.read(runs.unfinished):
            await self._hall.give_up(self._hall.meeting(run), reason)

    async def idle(self) -> None:
        """Wait until no meeting runs and none is being opened."""
        while self._running or self._convening:
            running = [session.task for session in self._running.values()]
            await asyncio.wait([*running, *self._convening])

    async def close(self) -> None:
        """Leave every meeting where it is; the next start goes on with it."""
        tasks = [session.task for session in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _convene(self, summons: Summons) -> Convened:
        self._hall.check(summons.guild_id, summons.request)
        await self._admit(summons)
        destination = await self._tools.stage.choose(summons.guild_id, summons.channel_id)
        new = _new_run(summons, destination.channel_id, destination.thread_id)
        now = self._tools.store.now()
        started = await self._tools.store.write(
            lambda conn: runs.start(conn, new, Actor.ORCHESTRATOR, now)
        )
        run = started.run
        if not started.created:
            place = Place(run.guild_id, run.output_channel_id, run.thread_id, run.anchor_id)
            return Convened(run.id, place, reused=True)
        meeting = self._hall.meeting(run)
        place = await self._hall.open(meeting, destination.notices)
        self._launch(meeting)
        return Convened(run.id, place)

    async def _admit(self, summons: Summons) -> None:
        def traffic(conn: Connection) -> Traffic:
            open_here = [run for run in runs.unfinished(conn) if run.guild_id == summons.guild_id]
            last = runs.last_started(conn, summons.guild_id, summons.asker.id)
            return Traffic(len(open_here), last)

        trigger = self._tools.config(summons.guild_id).trigger
        now = self._tools.store.now()
        admit(summons.asker, trigger, await self._tools.store.read(traffic), now)

    def _launch(self, meeting: "Meeting", *, resumed: bool = False) -> None:
        run_id = meeting.run.id
        task = asyncio.create_task(self._hall.hold(meeting, resumed=resumed), name=run_id)
        self._running[run_id] = _Session(meeting, task)
        task.add_done_callback(lambda _: self._running.pop(run_id, None))

    async def _stop(self, run: Run, person_id: int) -> None:
        asked = {"by": person_id}
        now = self._tools.store.now()
        await self._tools.store.write(
            lambda conn: events.append(
                conn, run.id, EventType.STOP_REQUESTED, "stop", Actor.HUMAN, asked, now
            )
        )
        session = self._running.get(run.id)
        meeting = session.meeting if session else self._hall.meeting(run)
        if session is not None:
            session.task.cancel()
            await asyncio.gather(session.task, return_exceptions=True)
        await self._hall.stop(meeting)


def _new_run(summons: Summons, channel_id: int, thread_id: int | None) -> NewRun:
    request = asdict(summons.request)
    del request["topic"], request["mode"]
    return NewRun(
        place=TopicPlace(
            summons.guild_id, channel_id, summons.request.mode, topic_key(summons.request.topic)
        ),
        trigger_channel_id=summons.channel_id,
        trigger_message_id=summons.message_id,
        starter_id=summons.asker.id,
        topic=summons.request.topic,
        seed=secrets.randbelow(2**31),
        request=request | {"thread_id": thread_id},
    )
