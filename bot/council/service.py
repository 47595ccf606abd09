"""The council's door: convene a roundtable, stop one, go on after a restart, close down."""

import asyncio
import logging
import secrets
from dataclasses import asdict, dataclass

from sqlalchemy import Connection

from bot.council.admission import Asker, Traffic, admit, may_stop
from bot.council.conductor import RunFailedError, advance, close_run, end_badly, open_place
from bot.council.design import plan_meeting
from bot.council.meeting import Meeting
from bot.council.tools import Tools
from bot.errors import NotAllowedError, UsageError, UserError
from bot.request import Request, topic_key
from bot.stage.port import THE_BOT, Place, Post
from bot.store import Actor, AttemptStatus, EventType, Phase, events, runs
from bot.store.runs import NewRun, Run, TopicPlace

log = logging.getLogger(__name__)

INTERRUPTED = "⏸️ The bot was restarted in the middle of this roundtable; it goes on now."
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
    meeting: Meeting
    task: asyncio.Task[None]


class Council:
    """Holds every meeting of this process."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._running: dict[str, _Session] = {}
        self._convening: set[asyncio.Future[None]] = set()

    async def convene(self, summons: Summons) -> Convened:
        """Admit the request, open its thread and let the meeting run; raises UserError."""
        under_way: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._convening.add(under_way)
        try:
            return await self._convene(summons)
        finally:
            self._convening.discard(under_way)
            under_way.set_result(None)

    async def _convene(self, summons: Summons) -> Convened:
        config = self._tools.config(summons.guild_id)
        plan_meeting(config, self._tools.resolution(), summons.request)
        await self._admit(summons)
        destination = await self._tools.stage.choose(summons.guild_id, summons.channel_id)
        new = _new_run(summons, destination.channel_id, destination.thread_id)
        now = self._tools.store.now()
        started = await self._tools.store.write(
            lambda conn: runs.start(conn, new, Actor.ORCHESTRATOR, now)
        )
        if not started.created:
            return await self._reuse(started.run)
        meeting = Meeting(started.run, self._tools)
        await self._open(meeting, destination.notices)
        self._launch(meeting)
        return Convened(started.run.id, meeting.place)

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
                self._launch(Meeting(run, self._tools), resumed=True)
        return len(unfinished)

    async def give_up_unfinished(self, reason: str) -> None:
        """End in the store alone what an earlier process left, because its place is gone."""
        for run in await self._tools.store.read(runs.unfinished):
            meeting = Meeting(run, self._tools)
            await close_run(meeting, AttemptStatus.ABORTED, Phase.FAILED, reason)

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

    async def _admit(self, summons: Summons) -> None:
        def traffic(conn: Connection) -> Traffic:
            open_here = [run for run in runs.unfinished(conn) if run.guild_id == summons.guild_id]
            last = runs.last_started(conn, summons.guild_id, summons.asker.id)
            return Traffic(len(open_here), last)

        trigger = self._tools.config(summons.guild_id).trigger
        now = self._tools.store.now()
        admit(summons.asker, trigger, await self._tools.store.read(traffic), now)

    async def _reuse(self, run: Run) -> Convened:
        place = Place(run.guild_id, run.output_channel_id, run.thread_id, run.anchor_id)
        return Convened(run.id, place, reused=True)

    async def _open(self, meeting: Meeting, notices: tuple[str, ...]) -> None:
        try:
            await open_place(meeting, notices)
        except Exception as error:
            log.exception("%s could not open its place", meeting.run.id)
            await self._abandon(meeting, error)
            raise

    async def _abandon(self, meeting: Meeting, error: Exception) -> None:
        """A run without a place cannot tell anybody anything: end it in the store alone."""
        await close_run(
            meeting, AttemptStatus.FAILED, Phase.FAILED, f"no place ({type(error).__name__})"
        )

    def _launch(self, meeting: Meeting, *, resumed: bool = False) -> None:
        run_id = meeting.run.id
        task = asyncio.create_task(self._hold(meeting, resumed=resumed), name=run_id)
        self._running[run_id] = _Session(meeting, task)
        task.add_done_callback(lambda _: self._running.pop(run_id, None))

    async def _hold(self, meeting: Meeting, *, resumed: bool) -> None:
        try:
            if resumed:
                await open_place(meeting)
                key = f"resumed#{secrets.token_hex(4)}"
                await meeting.say(Post(key, THE_BOT, INTERRUPTED, untrusted=False))
            if await self._stop_was_asked(meeting):
                await self._say_stopped(meeting)
            else:
                await advance(meeting)
        except (RunFailedError, UserError) as error:
            await self._end_failed(meeting, str(error))
        except Exception:
            code = secrets.token_hex(3)
            log.exception("%s failed (code %s)", meeting.run.id, code)
            await self._end_failed(meeting, f"something broke in the bot (code {code})")

    async def _end_failed(self, meeting: Meeting, reason: str) -> None:
        text = f"⚠️ This roundtable failed: {reason.rstrip('.')}."
        try:
            await end_badly(meeting, reason, text, aborted=False)
        except Exception:
            log.exception("%s could not be ended in its thread", meeting.run.id)

    async def _stop(self, run: Run, person_id: int) -> None:
        now = self._tools.store.now()
        await self._tools.store.write(
            lambda conn: events.append(
                conn,
                run.id,
                EventType.STOP_REQUESTED,
                "stop",
                Actor.HUMAN,
                {"by": person_id},
                now,
            )
        )
        session = self._running.get(run.id)
        meeting = session.meeting if session else Meeting(run, self._tools)
        if session is not None:
            session.task.cancel()
            await asyncio.gather(session.task, return_exceptions=True)
        await open_place(meeting)
        await self._say_stopped(meeting)

    async def _stop_was_asked(self, meeting: Meeting) -> bool:
        return await meeting.journal.recorded(EventType.STOP_REQUESTED, "stop") is not None

    async def _say_stopped(self, meeting: Meeting) -> None:
        asked = await meeting.journal.recorded(EventType.STOP_REQUESTED, "stop") or {}
        text = f"⏹️ Stopped by <@{asked.get('by')}>. What was said stays here."
        await end_badly(meeting, "stopped by a person", text, aborted=True)


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
