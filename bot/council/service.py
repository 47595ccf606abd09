"""The council's door: convene a roundtable, stop one, go on after a restart, close down."""

import asyncio
import secrets
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from bot.council.admission import Asker, Traffic, admit, may_stop, require_running
from bot.council.attempting import Next, standing
from bot.council.dedup import on_the_table, place_of, topic_place
from bot.council.places import move_away
from bot.council.prior import with_context
from bot.council.retrying import reopen
from bot.council.stopping import ask_to_stop
from bot.council.summons import Convened, Summons, stored_request
from bot.council.tools import Tools
from bot.errors import NotAllowedError, UnavailableError, UsageError
from bot.floor import Stop
from bot.request import Mode, Request
from bot.stage.port import Destination
from bot.store import Actor, ApprovalStatus, Phase, Status, approvals, ballots, runs, servers, specs
from bot.store.keyed_locks import KeyedLocks
from bot.store.runs import NewRun, Run, Started, TopicPlace
from bot.words import admission, stopping
from bot.words.circuit import THREAD_DELETED
from bot.words.consent import BEGINS, CANCELLED

if TYPE_CHECKING:
    from bot.council.approvals import Approvals
    from bot.council.delivery.deciding import SpecDesk
    from bot.council.delivery.writing import Writing
    from bot.council.hall import Hall
    from bot.council.library import Library
    from bot.council.linking import Linking
    from bot.council.meeting import Meeting
    from bot.council.peoples_vote import PeoplesVote
    from bot.council.sharing import Sharing
    from bot.money.estimate import Estimate

# With what the app itself waits for, both stay below the ten seconds a stop may take.
POSTS_PATIENCE = 4.0
MEETINGS_PATIENCE = 1.0
FILES_LOOKED_FOR = 7 * 86_400.0
MOST_FILES_WRITTEN = 200
WAITING_FOR_PEOPLE = frozenset({Phase.AWAITING_APPROVAL, Phase.READY_TO_RESUME})


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
        self._opening: dict[str, asyncio.Event] = {}
        self._one_at_a_time = KeyedLocks()
        self._closing = False

    @cached_property
    def _hall(self) -> "Hall":
        """Imported with the first meeting, because a start should not pay for it."""
        from bot.council.hall import Hall  # noqa: PLC0415

        return Hall(self._tools, self._gate(), self.linking)

    @cached_property
    def approvals(self) -> "Approvals":
        """The gate for outside effects; others register theirs here."""
        from bot.council.approvals import Approvals  # noqa: PLC0415 (like the hall)
        from bot.council.spending_gate import register_spending  # noqa: PLC0415

        gate = Approvals(self._tools, self._take_up)
        register_spending(self._tools, gate, self._wake)
        return gate

    @cached_property
    def people(self) -> "PeoplesVote":
        """Where people vote."""
        from bot.council.peoples_vote import PeoplesVote  # noqa: PLC0415 (like the hall)

        return PeoplesVote(self._tools)

    @cached_property
    def specs(self) -> "SpecDesk":
        """Where the starter of a build decides about its spec."""
        from bot.council.delivery.deciding import SpecDesk  # noqa: PLC0415 (like the hall)

        return SpecDesk(self._tools, self._take_up)

    @cached_property
    def _sharing(self) -> "Sharing":
        from bot.council.sharing import Sharing  # noqa: PLC0415 (like the hall)

        return Sharing(self._tools, self.approvals)

    @cached_property
    def linking(self) -> "Linking":
        """Conclusions as comments on outside issues."""
        from bot.council.linking import Linking  # noqa: PLC0415 (like the hall)

        return Linking(self._tools, self.approvals)

    @cached_property
    def _writing(self) -> "Writing":
        from bot.council.delivery.writing import Writing  # noqa: PLC0415 (like the hall)

        return Writing(self._tools, self.approvals)

    @cached_property
    def library(self) -> "Library":
        """The roundtables that were held, for those who may read them."""
        from bot.council.shelving import library_of  # noqa: PLC0415 (like the hall)

        return library_of(self._tools, self.linking)

    async def convene(self, summons: Summons) -> Convened:
        """Admit the request, open its thread and let the meeting run; raises UserError."""
        self._require_open()
        under_way: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._convening.add(under_way)
        try:
            return await self._convene(summons)
        finally:
            self._convening.discard(under_way)
            under_way.set_result(None)

    async def post(self, run_id: str, channel_id: int, asker: Asker) -> str:
        """Post a conclusion in another channel, with an approval where that is needed."""
        self._require_open()
        return await self._sharing.ask(await self._known(run_id), channel_id, asker)

    async def may_decide(self, approval_id: str, asker: Asker) -> None:
        """Refuse somebody who may not decide, before they write down a reason."""
        await self._gate().require_decider(approval_id, asker)

    async def decide(self, approval_id: str, decision: str, asker: Asker, note: str = "") -> str:
        """Take a decision about an outside effect; returns what to tell the person."""
        self._require_open()
        try:
            return await self._gate().decide(approval_id, ApprovalStatus(decision), asker, note)
        finally:
            for run_id in self._running:
                self._wake(run_id)

    async def stop(self, run_id: str, asker: Asker) -> str:
        """Stop a run and keep what was said; returns what to tell the person."""
        run = await self._known(run_id)
        trigger = self._tools.config(run.guild_id).trigger
        owner_id = await self._tools.stage.owner_of(place_of(run).target_id)
        if not may_stop(asker, run.starter_id, trigger) and asker.id != owner_id:
            raise NotAllowedError(stopping.NOT_YOURS_TO_STOP)
        if run.finished_at is not None:
            raise UsageError(stopping.ALREADY_OVER)
        await self._stop(run, asker.id)
        return stopping.STOPPED

    async def consent(self, run_id: str, asker: Asker, *, agree: bool) -> str:
        """Take the answer of a starter who was asked to agree to the price."""
        from bot.council.consent import decide  # noqa: PLC0415 (like the hall)

        run, store = await self._known(run_id), self._tools.store
        trigger, now = self._tools.config(run.guild_id).trigger, store.now()
        await store.write(lambda conn: decide(conn, run, asker, trigger, agree=agree, now=now))
        self._wake(run_id)
        return BEGINS if agree else CANCELLED

    async def price_of(self, guild_id: int, request: Request) -> str:
        """What a request would cost now, in one line; refuses one that could not be seated."""
        from bot.money.words import estimate_words  # noqa: PLC0415 (like the hall)

        await self._tools.prices.load()
        return estimate_words(self._hall.check(guild_id, request))

    async def costs(self, guild_id: int, asker: Asker, *, private: bool) -> str:
        """What a person, and for moderators the server, spent; and what meetings cost now."""
        from bot.council.costs import costs_text  # noqa: PLC0415 (like the hall)

        return await costs_text(self._tools, guild_id, asker, private=private)

    def _wake(self, run_id: str) -> None:
        """Tell a run that waits for a person to look again."""
        if run_id in self._running:
            self._running[run_id].meeting.decided.set()

    async def reconvene(
        self, run_id: str, channel_id: int, asker: Asker, *, challenge: bool
    ) -> Convened:
        """Hold a topic again although it was on the table, perhaps against its old conclusion."""
        run = await self._tools.store.read(lambda conn: runs.get(conn, run_id))
        if run is None or not run.topic:
            raise UsageError(admission.NOT_STORED)
        summons = Summons(
            guild_id=run.guild_id,
            channel_id=channel_id,
            message_id=None,
            asker=asker,
            request=stored_request(run),
            again=True,
            context_run=run.id if challenge else None,
        )
        return await self.convene(summons)

    async def retry(self, run_id: str, asker: Asker, channel_id: int | None = None) -> str:
        """Try a failed run again; what was answered is kept and not paid twice.

        A run whose thread or channel is gone goes on in the channel where it is asked for.
        """
        self._require_open()
        run = await self._known(run_id)
        if asker.id != run.starter_id and not asker.may_manage:
            raise NotAllowedError(stopping.NOT_YOURS_TO_RETRY)
        await self._tools.require_running(run.guild_id)
        if run.finished_at is None:
            raise UsageError(await self._why_not_yet(run))
        if run.status is Status.CONCLUDED:
            raise UsageError(stopping.NOT_RETRIED)
        if (ending := self._running.get(run_id)) is not None:
            await asyncio.wait([ending.task])
        now, limits = self._tools.store.now(), self._tools.config(run.guild_id).budgets
        destination = await self._new_place(run, channel_id or run.trigger_channel_id)

        def work(conn: Connection) -> Run:
            there = move_away(conn, run, destination, now) if destination else run
            return reopen(conn, there, limits, now)

        meeting = self._hall.meeting(await self._tools.store.write(work))
        if destination is not None:
            await self._hall.open(meeting, destination.notices)
        self._launch(meeting)
        return stopping.goes_on_in(meeting.place.target_id)

    async def _new_place(self, run: Run, channel_id: int) -> Destination | None:
        """Where a run goes on whose place is gone; None while its place is there."""
        if not await self._tools.stage.is_gone(place_of(run)):
            return None
        return await self._tools.stage.choose(run.guild_id, channel_id)

    async def _why_not_yet(self, run: Run) -> str:
        """Why a run that is not over cannot be retried."""
        now = await self._tools.store.read(lambda conn: standing(conn, run.id))
        if now.next is Next.WAIT:
            return stopping.retries_itself(now.due_at)
        return stopping.STILL_RUNNING

    async def abandon(self, thread_id: int) -> None:
        """End what is being held in a thread that was deleted, and tell its starter elsewhere."""
        for run in await self._tools.store.read(runs.unfinished):
            if run.thread_id != thread_id:
                continue
            session = self._running.get(run.id)
            meeting = session.meeting if session else self._hall.meeting(run)
            if session is not None:
                session.task.cancel()
                await asyncio.gather(session.task, return_exceptions=True)
            await self._hall.fail(meeting, THREAD_DELETED)

    async def last_in(self, channel_id: int) -> Run | None:
        """The newest run that lives in a thread, over or not."""
        return await self._tools.store.read(lambda conn: runs.by_thread(conn, channel_id))

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
        await self._tools.prices.load()
        unfinished = await self._tools.store.read(runs.unfinished)
        resting = {run_id for run_id, _ in await self._tools.store.read(specs.waiting)}
        for run in unfinished:
            if run.id in self._running or run.id in resting:
                continue
            if run.phase not in WAITING_FOR_PEOPLE or await self._may_go_on(run):
                self._launch(self._hall.meeting(run), resumed=True)
        if await self._tools.store.read(_approvals_under_way):
            await self._gate().resume_all()
        if await self._tools.store.read(ballots.untold):
            await self.people.watch()
        await self._write_missing_files()
        return len(unfinished)

    async def _may_go_on(self, run: Run) -> bool:
        """Whether a kill came between an approved effect and what was to follow it."""
        return await self._tools.store.read(lambda conn: approvals.gate_is_open(conn, run.id))

    async def _write_missing_files(self) -> None:
        """A kill between the end of a run and its files leaves them to the next start."""
        store = self._tools.store
        since = store.now() - FILES_LOOKED_FOR
        for run in await store.read(lambda c: runs.without_files(c, since, MOST_FILES_WRITTEN)):
            await self._hall.write_files(self._hall.meeting(run))

    async def give_up_unfinished(self, reason: str) -> None:
        """End in the store alone what an earlier process left, because its place is gone."""
        for run in await self._tools.store.read(runs.unfinished):
            await self._hall.give_up(self._hall.meeting(run), reason)
        if await self._tools.store.read(ballots.untold):
            await self.people.give_up()

    @property
    def running(self) -> int:
        """How many meetings this process is holding."""
        return len(self._running)

    async def idle(self) -> None:
        """Wait until no meeting runs and none is being opened."""
        while self._running or self._convening:
            running = [session.task for session in self._running.values()]
            await asyncio.wait([*running, *self._convening])

    async def close(self) -> None:
        """Take nothing new, let posts that are going out finish, and leave the rest where it is.

        The next start goes on with it. Whatever hangs is waited for only so long.
        """
        self._closing = True
        await self._tools.late.close()
        if "people" in self.__dict__:
            await self.people.close()
        tasks = [session.task for session in self._running.values()]
        for task in tasks:
            task.cancel()
        await self._tools.stage.drain(POSTS_PATIENCE)
        if tasks:
            await asyncio.wait(tasks, timeout=MEETINGS_PATIENCE)

    async def _convene(self, summons: Summons) -> Convened:
        await self._tools.prices.load()
        estimate = self._hall.check(summons.guild_id, summons.request)
        await self._admit(summons)
        destination = await self._tools.stage.choose(summons.guild_id, summons.channel_id)
        summons = await with_context(self._tools, summons)
        async with self._one_at_a_time.holding(topic_place(summons, destination)):
            known = None if summons.again else await on_the_table(self._tools, summons, destination)
            if known is None:
                started = await self._start(summons, destination, estimate)
                known = None if started.created else _reused(started.run)
            if known is None:
                self._opening[started.run.id] = asyncio.Event()
        if known is not None:
            return await self._with_its_place(known)
        meeting = self._hall.meeting(started.run)
        try:
            place = await self._hall.open(meeting, destination.notices)
        finally:
            self._opening.pop(started.run.id).set()
        self._launch(meeting)
        return self._hall.convened(meeting, place, estimate)

    def _gate(self) -> "Approvals":
        """The gate with every effect of ours registered, as a restart needs it."""
        for effects in (self._sharing, self.linking, self._writing):
            effects.register()
        return self.approvals

    def _require_open(self) -> None:
        if self._closing:
            raise UnavailableError(admission.RESTARTING)

    async def _known(self, run_id: str) -> Run:
        run = await self._tools.store.read(lambda conn: runs.get(conn, run_id))
        if run is None or not run.topic:
            raise UsageError(admission.NO_SUCH_RUN)
        return run

    async def _with_its_place(self, known: Convened) -> Convened:
        """Whoever asked first may still be getting a thread; a link should lead into it."""
        opening = self._opening.get(known.run_id)
        if opening is None:
            return known
        await opening.wait()
        return _reused(await self._tools.store.read(lambda conn: runs.require(conn, known.run_id)))

    async def _start(
        self, summons: Summons, destination: Destination, estimate: "Estimate"
    ) -> Started:
        """Create the run and set its money aside, or refuse both, in one transaction."""
        now, hall = self._tools.store.now(), self._hall

        def work(conn: Connection) -> Started:
            place = topic_place(summons, destination)
            if summons.again:
                place = replace(place, generation=runs.next_generation(conn, place))
            new = _new_run(summons, destination, place, estimate)
            started = runs.start(conn, new, Actor.ORCHESTRATOR, now)
            if started.created:
                hall.prepare(conn, started.run, estimate, now)
            return started

        return await self._tools.store.write(work)

    async def _admit(self, summons: Summons) -> None:
        def traffic(conn: Connection) -> Traffic:
            by_phase = runs.open_in(conn, summons.guild_id)
            open_here = sum(n for phase, n in by_phase.items() if phase not in WAITING_FOR_PEOPLE)
            open_here -= sum(guild == summons.guild_id for _, guild in specs.waiting(conn))
            last = runs.last_started(conn, summons.guild_id, summons.asker.id)
            if open_here < trigger.max_concurrent:
                return Traffic(open_here, last)
            oldest = runs.oldest_open(conn, summons.guild_id) or 0.0
            return Traffic(open_here, last, oldest + config.timeouts.run)

        def seen(conn: Connection) -> tuple[float | None, Traffic]:
            return servers.get(conn, summons.guild_id).paused_at, traffic(conn)

        config = self._tools.config(summons.guild_id)
        trigger = config.trigger
        paused_at, found = await self._tools.store.read(seen)
        require_running(trigger, paused_at)
        admit(summons.asker, trigger, found, self._tools.store.now())

    def _launch(self, meeting: "Meeting", *, resumed: bool = False) -> None:
        if self._closing:
            return  # the next start goes on with it
        run_id = meeting.run.id
        task = asyncio.create_task(self._hold(meeting, resumed=resumed), name=run_id)
        session = _Session(meeting, task)
        self._running[run_id] = session
        task.add_done_callback(lambda _: self._let_go(run_id, session))

    async def _hold(self, meeting: "Meeting", *, resumed: bool) -> None:
        """Hold the meeting, and let people vote about it as long as they may."""
        await self._hall.hold(meeting, resumed=resumed)
        if meeting.run.mode is Mode.VOTE and not self._closing:
            await self.people.watch(meeting.run.id)

    def _take_up(self, run: Run) -> None:
        """Go on with a run that rested until somebody decided something."""
        self._launch(self._hall.meeting(run))

    def _let_go(self, run_id: str, session: _Session) -> None:
        """A run that was retried at once has a new session by now, which stays."""
        if self._running.get(run_id) is session:
            del self._running[run_id]

    async def _stop(self, run: Run, person_id: int) -> None:
        now = self._tools.store.now()
        await self._tools.store.write(lambda conn: ask_to_stop(conn, run.id, person_id, now))
        session = self._running.get(run.id)
        meeting = session.meeting if session else self._hall.meeting(run)
        if session is not None:
            session.task.cancel()
            await asyncio.gather(session.task, return_exceptions=True)
        self._tools.threads.note(place_of(run).target_id, Stop())
        await self._hall.stop(meeting)


def _approvals_under_way(conn: Connection) -> bool:
    return bool(approvals.pending(conn) or approvals.unfinished(conn))


def _reused(run: Run) -> Convened:
    return Convened(run.id, place_of(run), reused=True)


def _new_run(
    summons: Summons, destination: Destination, place: TopicPlace, estimate: "Estimate"
) -> NewRun:
    request = asdict(summons.request) | {"estimate": estimate.to_dict()}
    del request["topic"], request["mode"]
    return NewRun(
        place=place,
        trigger_channel_id=summons.channel_id,
        trigger_message_id=summons.message_id,
        starter_id=summons.asker.id,
        topic=summons.request.topic,
        seed=secrets.randbelow(2**31),
        request=request | {"thread_id": destination.thread_id, "context_run": summons.context_run},
    )
