"""Starting a roundtable: who may, whether the topic is open already, the money, the thread."""

import asyncio
import secrets
from dataclasses import asdict, replace

from sqlalchemy import Connection

from bot.access.admission import Start, admit_start, check_start, note_start
from bot.access.readers import Reader, Readers
from bot.meeting.context import LANGUAGE
from bot.meeting.dependencies import Dependencies
from bot.messages.conclusion import OutcomeText
from bot.messages.starting import AdmissionText
from bot.money.estimate import Estimate
from bot.record.run_rows import place_of, plain_title
from bot.request import thread_title, topic_key
from bot.runs.requests import StartRequest, StartResult
from bot.runs.supervisor import RunSupervisor
from bot.stage.port import Destination, Place
from bot.store.engine.locks import KeyedLocks
from bot.store.repositories.runs import NewRun, Run, RunRepository, Started, TopicPlace
from bot.store.vocabulary import Actor

_REMEMBERED_SECONDS = 24 * 3600.0


async def _with_context(deps: Dependencies, start_request: StartRequest) -> StartRequest:
    """The request with the run it builds on, or with a note that it was not found (E109)."""
    slug, challenged = start_request.request.context_from, start_request.context_run
    if challenged is not None:
        return await _challenging(deps, start_request, challenged)
    if slug is None:
        return start_request
    readers = Readers(deps.store, deps.stage, deps.sleep)
    found = await readers.named(_reader(start_request), slug)
    if found is None:
        return _told(start_request, AdmissionText.no_context(slug))
    return replace(start_request, context_run=found.id)


async def _challenging(
    deps: Dependencies, start_request: StartRequest, run_id: str
) -> StartRequest:
    """The request if its person can read the run it challenges, else without that run."""
    run = await deps.store.read(lambda conn: RunRepository(conn).get(run_id))
    readers = Readers(deps.store, deps.stage, deps.sleep)
    if await readers.readable(_reader(start_request), () if run is None else (run,)):
        return start_request
    return _told(replace(start_request, context_run=None), AdmissionText.NOTHING_TO_CHALLENGE)


def _reader(start_request: StartRequest) -> Reader:
    return Reader(start_request.asker, start_request.guild_id, start_request.channel_id)


def _told(start_request: StartRequest, notice: str) -> StartRequest:
    notices = (*start_request.request.notices, notice)
    return replace(start_request, request=replace(start_request.request, notices=notices))


def _with_panel(deps: Dependencies, start_request: StartRequest) -> StartRequest:
    """The request with the server's own panel, unless it names one or tries that of a mode."""
    request, panel = start_request.request, deps.config(start_request.guild_id).panel
    if panel is None or request.panel or start_request.tries_mode:
        return start_request
    return replace(start_request, request=replace(request, panel=(panel,)))


class RunStarter:
    """Lets each topic in once, however many ask for it at the same moment."""

    def __init__(self, supervisor: RunSupervisor) -> None:
        self._supervisor = supervisor
        self._deps = supervisor.deps
        self._opening: dict[str, asyncio.Event] = {}
        self._one_at_a_time = KeyedLocks()

    async def start_run(self, start_request: StartRequest) -> StartResult:
        """Admit the request, open its thread and let the meeting run; raises UserError."""
        await self._deps.prices.load()
        holder = self._supervisor.holder
        start_request = _with_panel(self._deps, start_request)
        estimate = holder.check(start_request.guild_id, start_request.request)
        await self._refuse_early(start_request)
        destination = await self._deps.stage.choose(
            start_request.guild_id, start_request.channel_id
        )
        start_request = await _with_context(self._deps, start_request)
        async with self._one_at_a_time.holding(_topic_thread(start_request, destination)):
            known = (
                None
                if start_request.again
                else await _find_open_run(self._deps, start_request, destination)
            )
            if known is None:
                started = await self._start(start_request, destination, estimate)
                known = None if started.created else _reused(started.run)
            if known is None:
                self._opening[started.run.id] = asyncio.Event()
        if known is not None:
            return await self._with_outcome(await self._with_its_place(known))
        ctx = holder.context(started.run)
        try:
            place = await holder.open(ctx, destination.notices)
        finally:
            self._opening.pop(started.run.id).set()
        self._supervisor.sessions.launch(ctx)
        return holder.started(ctx, place, estimate)

    async def _with_its_place(self, known: StartResult) -> StartResult:
        """The first run may still be opening its thread; wait, so that the link leads into it."""
        opening = self._opening.get(known.run_id)
        if opening is None:
            return known
        await opening.wait()
        return _reused(
            await self._deps.store.read(lambda conn: RunRepository(conn).require(known.run_id))
        )

    async def _with_outcome(self, known: StartResult) -> StartResult:
        """Say what is known about the topic already."""
        if not known.run_id:
            return known
        run = await self._deps.store.read(lambda conn: RunRepository(conn).require(known.run_id))
        outcome = await self._supervisor.library.outcome(run)
        return replace(known, outcome=outcome or OutcomeText.RUNNING)

    async def _start(
        self, start_request: StartRequest, destination: Destination, estimate: Estimate
    ) -> Started:
        """Admit and create the run and set its money aside, or refuse it, in one transaction."""
        now, holder = self._deps.store.now(), self._supervisor.holder
        start, config = (
            Start(start_request.guild_id, start_request.asker),
            self._deps.config(start_request.guild_id),
        )

        def work(conn: Connection) -> Started:
            place = _topic_thread(start_request, destination)
            if start_request.again:
                place = replace(place, generation=RunRepository(conn).next_generation(place))
            known = RunRepository(conn).find_open_duplicate(place)
            if known is not None:
                return Started(known, created=False)
            admit_start(conn, start, config, now)
            new = _new_run(start_request, destination, place, estimate)
            # Stored with the run, which keeps to it whatever is set up later.
            new = replace(new, request={**new.request, LANGUAGE: config.language or ""})
            started = RunRepository(conn).start(new, Actor.ORCHESTRATOR, now)
            if started.created:
                note_start(conn, start, started.run.id, now)
                holder.prepare(conn, started.run, estimate, now)
            return started

        return await self._deps.store.write(work)

    async def _refuse_early(self, start_request: StartRequest) -> None:
        """Answer before anything is asked of Discord; the transaction decides once more."""
        config, now = self._deps.config(start_request.guild_id), self._deps.store.now()
        start = Start(start_request.guild_id, start_request.asker)
        await self._deps.store.read(lambda conn: check_start(conn, start, config, now))


def _reused(run: Run) -> StartResult:
    return StartResult(run.id, place_of(run), reused=True)


def _new_run(
    start_request: StartRequest, destination: Destination, place: TopicPlace, estimate: Estimate
) -> NewRun:
    request = asdict(start_request.request) | {"estimate": estimate.to_dict()}
    del request["topic"], request["mode"]
    return NewRun(
        place=place,
        trigger_channel_id=start_request.channel_id,
        trigger_message_id=start_request.message_id,
        starter_id=start_request.asker.id,
        topic=start_request.request.topic,
        title=plain_title(start_request.request.topic),
        seed=secrets.randbelow(2**31),
        request=request
        | {"thread_id": destination.thread_id, "context_run": start_request.context_run},
    )


def _topic_thread(start_request: StartRequest, destination: Destination) -> TopicPlace:
    """What makes two requests the same: server, channel, mode, topic and named options."""
    request = start_request.request
    asked = "\n".join((request.topic, *request.options))
    return TopicPlace(
        start_request.guild_id, destination.channel_id, request.mode, topic_key(asked)
    )


async def _find_open_run(
    deps: Dependencies, start_request: StartRequest, destination: Destination
) -> StartResult | None:
    """The roundtable that serves this request already, or None."""
    since = deps.store.now() - _REMEMBERED_SECONDS
    place = _topic_thread(start_request, destination)
    run = await deps.store.read(lambda conn: RunRepository(conn).find_recent(place, since))
    if run is not None and await _still_counts(deps, run):
        return StartResult(run.id, place_of(run), reused=True)
    if run is not None:
        return None
    title = thread_title(start_request.request.topic, start_request.request.mode)
    titled = await deps.stage.find_thread(destination, title, since)
    if titled is None or await _is_ours(deps, titled):
        return None
    return StartResult("", titled, reused=True)


async def _is_ours(deps: Dependencies, place: Place) -> bool:
    """The store has judged its own threads already; titles speak only for unknown ones (2.2#12)."""
    return (
        await deps.store.read(lambda conn: RunRepository(conn).by_thread(place.target_id))
        is not None
    )


async def _still_counts(deps: Dependencies, run: Run) -> bool:
    """A thread that is archived or deleted does not count (E27)."""
    return run.finished_at is None or await deps.stage.is_alive(place_of(run))
