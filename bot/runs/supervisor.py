"""The runs this process holds: launching, interrupting, resuming after a restart."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from bot.approvals.cross_post import CrossPosts
from bot.approvals.gate import Approvals
from bot.approvals.issue_comment import IssueComments
from bot.decisions.service import Decisions
from bot.delivery.effects import WorkspaceFiles
from bot.delivery.spec import SpecDecisions
from bot.errors import UnavailableError, UsageError
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.messages.starting import AdmissionText
from bot.runs.consent import register_spending
from bot.store import WAITING_FOR_PEOPLE, Store
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecRepository
from bot.types.mode import Mode
from bot.votes.service import PeopleVoting

if TYPE_CHECKING:
    from bot.library.service import Library
    from bot.runs.hold import RunHolder

_Hold = Callable[[RunContext, bool], Coroutine[Any, Any, None]]
_FILES_LOOKED_FOR = 7 * 86_400.0
_MOST_FILES_WRITTEN = 200


@dataclass(frozen=True, slots=True)
class _Session:
    ctx: RunContext
    task: asyncio.Task[None]


class _Sessions:
    """One task for each meeting; `hold` is given the meeting, and whether a restart cut it off."""

    def __init__(self, hold: _Hold) -> None:
        self._hold = hold
        self._running: dict[str, _Session] = {}
        self._opening: set[asyncio.Future[None]] = set()
        self.closing = False

    def __contains__(self, run_id: str) -> bool:
        return run_id in self._running

    def __len__(self) -> int:
        return len(self._running)

    def is_busy(self, server: int) -> bool:
        """Whether a meeting runs in a server, or one is being opened somewhere."""
        here = (session.ctx.run.guild_id == server for session in self._running.values())
        return bool(self._opening) or any(here)

    def require_open(self) -> None:
        """Refuse new work while the process closes down."""
        if self.closing:
            raise UnavailableError(AdmissionText.RESTARTING)

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Count a meeting that is not launched yet among those somebody may wait for."""
        under_way: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._opening.add(under_way)
        try:
            yield
        finally:
            self._opening.discard(under_way)
            under_way.set_result(None)

    def launch(self, ctx: RunContext, *, resumed: bool = False) -> None:
        """Hold the meeting in a task of its own."""
        if self.closing:
            ctx.cancel_grounding()
            return  # the next start resumes it
        run_id = ctx.run.id
        task = asyncio.create_task(self._hold(ctx, resumed), name=run_id)
        session = _Session(ctx, task)
        self._running[run_id] = session
        task.add_done_callback(lambda _: self._let_go(run_id, session))

    def _let_go(self, run_id: str, session: _Session) -> None:
        """A run that was retried at once has a new session by now, which stays."""
        if self._running.get(run_id) is session:
            del self._running[run_id]

    def wake(self, run_id: str) -> None:
        """Tell a run that waits for a person to look again."""
        if run_id in self._running:
            self._running[run_id].ctx.decided.set()

    def conclude(self, run_id: str) -> None:
        """Let a run's rounds end now; what asks for it is stored already."""
        if run_id in self._running:
            self._running[run_id].ctx.concluding.set()

    def wake_all(self) -> None:
        """Tell every run to look again."""
        for run_id in self._running:
            self.wake(run_id)

    async def interrupt(self, run_id: str) -> RunContext | None:
        """Take a meeting off its task and return it; None where none is held."""
        session = self._running.get(run_id)
        if session is None:
            return None
        session.task.cancel()
        await asyncio.gather(session.task, return_exceptions=True)
        return session.ctx

    async def ended(self, run_id: str) -> None:
        """Wait until a run is not held any more."""
        if (ending := self.holding(run_id)) is not None:
            await asyncio.wait([ending])

    def holding(self, run_id: str) -> asyncio.Task[None] | None:
        """What holds a run now."""
        session = self._running.get(run_id)
        return session.task if session else None

    async def idle(self) -> None:
        """Wait until no meeting runs and none is being opened."""
        while self._running or self._opening:
            await asyncio.wait([*self._tasks(), *self._opening])

    def cancel_all(self) -> list[asyncio.Task[None]]:
        """Let every meeting stop where it is; returns what is still to end."""
        tasks = self._tasks()
        for task in tasks:
            task.cancel()
        return tasks

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [session.task for session in self._running.values()]


class RunSupervisor:
    """The parts that runs need, built once and wired to each other."""

    def __init__(self, deps: Dependencies) -> None:
        self.deps = deps
        self.sessions = _Sessions(self._hold)
        self.approvals = Approvals(deps, self.take_up)
        """The gate for outside effects; others register theirs here."""
        register_spending(deps, self.approvals, self.sessions.wake)
        self.sharing = CrossPosts(deps, self.approvals)
        """Conclusions in other channels."""
        self.linking = IssueComments(deps, self.approvals)
        """Conclusions as comments on outside issues."""
        WorkspaceFiles(deps, self.approvals)  # registers its effect
        self.people = PeopleVoting(deps)
        """Where people vote."""
        self.decisions = Decisions(deps)
        """What becomes of conclusions."""
        self.specs = SpecDecisions(deps, self.take_up)
        """Where the starter of a build decides about its spec."""

    @cached_property
    def holder(self) -> "RunHolder":
        """Where meetings are held."""
        from bot.runs.hold import RunHolder  # noqa: PLC0415 (slow, for the first run)

        return RunHolder(self.deps, self.approvals, self.linking)

    @cached_property
    def library(self) -> "Library":
        """The roundtables that were held, for those who may read them."""
        from bot.library.service import library_of  # noqa: PLC0415 (slow, for the first reader)

        return library_of(self.deps, self.linking)

    @staticmethod
    def import_all() -> None:
        """Import what the first run and the first reader need."""
        from bot.library import service  # noqa: F401, PLC0415 (imported for later)
        from bot.reports.agreement_picture import import_drawing  # noqa: PLC0415
        from bot.runs import hold  # noqa: F401, PLC0415 (imported for later)

        import_drawing()

    def take_up(self, run: Run) -> None:
        """Continue a run that waited for a decision."""
        self.sessions.launch(self.holder.context(run))

    async def interrupted(self, run: Run) -> RunContext:
        """The run's meeting, which nobody holds any more."""
        ctx = await self.sessions.interrupt(run.id)
        return self.holder.context(run) if ctx is None else ctx

    async def known(self, run_id: str) -> Run:
        """The run, unless there is none or it was forgotten."""
        run = await self.deps.store.read(lambda conn: RunRepository(conn).get(run_id))
        if run is None or not run.topic:
            raise UsageError(AdmissionText.NO_SUCH_RUN)
        return run

    async def close(self) -> None:
        """Close what would wait for somebody."""
        await self.people.close()
        await self.decisions.close()

    async def _hold(self, ctx: RunContext, resumed: bool) -> None:
        """Hold the meeting, and let people vote about it as long as they may."""
        await self.holder.hold(ctx, resumed=resumed)
        if ctx.run.mode is Mode.VOTE and not self.sessions.closing:
            await self.people.watch(ctx.run.id)


async def resume_all(supervisor: RunSupervisor, server: int | None = None) -> int:
    """Resume every run that a restart interrupted, or those of a server; returns how many."""
    with supervisor.sessions.opening():
        return await _resume_all(supervisor, server)


async def _resume_all(supervisor: RunSupervisor, server: int | None) -> int:
    store = supervisor.deps.store
    await supervisor.deps.prices.load()
    unfinished = await store.read(lambda conn: RunListRepository(conn).unfinished(server))
    resting = {
        run_id for run_id, _ in await store.read(lambda conn: SpecRepository(conn).waiting())
    }
    for run in unfinished:
        if run.id in supervisor.sessions or run.id in resting:
            continue
        if run.phase not in WAITING_FOR_PEOPLE or await _may_go_on(store, run):
            supervisor.sessions.launch(supervisor.holder.context(run), resumed=True)
    if await store.read(_approvals_under_way):
        await supervisor.approvals.resume_all(server)
    if await store.read(lambda conn: BallotRepository(conn).untold(server=server)):
        await supervisor.people.watch(server=server)
    await _write_missing_files(supervisor, server)
    supervisor.decisions.start()
    return len(unfinished)


async def next_due(supervisor: RunSupervisor, server: int) -> float | None:
    """When something is to be done in a server that nobody asks for."""

    def work(conn: Connection) -> float | None:
        ballots = BallotRepository(conn).untold(server=server).values()
        asked = DecisionRepository(conn).next_due({server})
        return min((*ballots, *(() if asked is None else (asked,))), default=None)

    return await supervisor.deps.store.read(work)


async def _may_go_on(store: Store, run: Run) -> bool:
    """Whether a kill came between an approved effect and what was to follow it."""
    return await store.read(lambda conn: ApprovalRepository(conn).gate_is_open(run.id))


async def _write_missing_files(supervisor: RunSupervisor, server: int | None) -> None:
    """A kill between the end of a run and its files leaves them to the next start."""
    store = supervisor.deps.store
    since, most = store.now() - _FILES_LOOKED_FOR, _MOST_FILES_WRITTEN
    lacking = await store.read(
        lambda conn: RunListRepository(conn).without_files(since, most, server)
    )
    for run in lacking:
        await supervisor.holder.write_files(supervisor.holder.context(run))


async def abandon_unfinished(supervisor: RunSupervisor, reason: str) -> None:
    """End in the store alone what an earlier process left, because its place is gone."""
    for run in await supervisor.deps.store.read(lambda conn: RunListRepository(conn).unfinished()):
        await supervisor.holder.abandon(supervisor.holder.context(run), reason)
    if await supervisor.deps.store.read(lambda conn: BallotRepository(conn).untold()):
        await supervisor.people.abandon()
    await supervisor.decisions.abandon()


def _approvals_under_way(conn: Connection) -> bool:
    return bool(ApprovalRepository(conn).pending() or ApprovalRepository(conn).unfinished())
