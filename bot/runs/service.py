"""Entry point to runs: start and stop runs, resume after a restart, shut down."""

import asyncio
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from bot.access.admission import Asker
from bot.approvals.gate import Approvals
from bot.approvals.issue_comment import IssueComments
from bot.decisions.reopening import reopening
from bot.decisions.service import Decisions
from bot.delivery.spec import SpecDecisions
from bot.errors import UsageError
from bot.meeting.dependencies import Dependencies
from bot.meeting.spec import stored_request
from bot.messages.starting import AdmissionText
from bot.money.estimate import estimate_words
from bot.request import Request
from bot.request.options import named_options
from bot.runs import supervisor
from bot.runs.actions import RunActions
from bot.runs.consent import proposed_options
from bot.runs.costs import costs_text
from bot.runs.requests import StartRequest, StartResult
from bot.runs.start import RunStarter
from bot.runs.supervisor import RunSupervisor
from bot.store import ApprovalStatus
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.types.characters import clean
from bot.types.mode import Mode
from bot.votes.service import PeopleVoting

if TYPE_CHECKING:
    from bot.decisions.track_record import ServerRecords
    from bot.library.service import Library

# With what the app itself waits for, both stay below the ten seconds a stop may take.
_POSTS_PATIENCE = 4.0
_MEETINGS_PATIENCE = 1.0


class RunService:
    """Holds every meeting of this process."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._supervisor = RunSupervisor(deps)
        self._sessions = self._supervisor.sessions
        self._convening = RunStarter(self._supervisor)
        self._interventions = RunActions(self._supervisor)

    @cached_property
    def records(self) -> "ServerRecords":
        """How often panels were right, by server."""
        from bot.decisions.track_record import ServerRecords  # noqa: PLC0415 (slow, first use)

        return ServerRecords(self._deps)

    @property
    def approvals(self) -> Approvals:
        """The gate for outside effects; others register theirs here."""
        return self._supervisor.approvals

    @property
    def people(self) -> PeopleVoting:
        """Where people vote."""
        return self._supervisor.people

    @property
    def decisions(self) -> Decisions:
        """What becomes of conclusions."""
        return self._supervisor.decisions

    @property
    def specs(self) -> SpecDecisions:
        """Where the starter of a build decides about its spec."""
        return self._supervisor.specs

    @property
    def linking(self) -> IssueComments:
        """Conclusions as comments on outside issues."""
        return self._supervisor.linking

    @property
    def library(self) -> "Library":
        """The roundtables that were held, for those who may read them."""
        return self._supervisor.library

    async def warm_up(self) -> None:
        """Load what the first run needs beside the event loop, before anybody asks for one."""
        deps = self._deps
        usable = deps.resolution().usable
        await asyncio.to_thread(deps.registry.import_adapters, usable)
        await deps.prices.load()
        await asyncio.to_thread(deps.search.import_adapters)
        await asyncio.to_thread(self._supervisor.import_all)

    async def start_run(self, start_request: StartRequest) -> StartResult:
        """Admit the request, open its thread and let the meeting run; raises UserError."""
        self._sessions.require_open()
        with self._sessions.opening():
            return await self._convening.start_run(start_request)

    async def start_again(
        self, run_id: str, channel_id: int, asker: Asker, *, challenge: bool
    ) -> StartResult:
        """Run a topic again that already has a run, optionally against its old conclusion."""
        run = await self._deps.store.read(lambda conn: RunRepository(conn).get(run_id))
        if run is None or not run.topic:
            raise UsageError(AdmissionText.NOT_STORED)
        asked = replace(stored_request(run), reopens=False, news="")
        start_request = StartRequest(
            guild_id=run.guild_id,
            channel_id=channel_id,
            message_id=None,
            asker=asker,
            request=replace(asked, context_from=None) if challenge else asked,
            again=True,
            context_run=run.id if challenge else None,
        )
        return await self.start_run(start_request)

    async def build(self, run_id: str, asker: Asker) -> StartResult:
        """Build what a roundtable discussed, on its conclusion, where it was asked for; once."""
        run = await self._deps.store.read(lambda conn: RunRepository(conn).get(run_id))
        if run is None or not run.topic:
            raise UsageError(AdmissionText.NOT_STORED)
        wish = replace(
            stored_request(run),
            mode=Mode.BUILD,
            mode_forced=True,
            offers_build=False,
            reopens=False,
            news="",
            context_from=None,
            notices=(),
        )
        place = run.guild_id, run.trigger_channel_id
        return await self.start_run(StartRequest(*place, None, asker, wish, context_run=run.id))

    async def reopen(self, run_id: str, asker: Asker, news: str) -> StartResult:
        """Hold a decided topic again against its conclusion, with what is new, where it was."""
        run = await self.decisions.concluded(run_id)
        place = run.guild_id, run.trigger_channel_id
        request = reopening(run, news)
        return await self.start_run(
            StartRequest(*place, None, asker, request, again=True, context_run=run.id)
        )

    async def stop(self, run_id: str, asker: Asker) -> str:
        """Stop a run and keep what was said; returns what to tell the person."""
        return await self._interventions.stop(run_id, asker)

    async def conclude(self, run_id: str, asker: Asker) -> str:
        """End the rounds of a run now, or close its vote; returns what to tell the person."""
        self._sessions.require_open()
        return await self._interventions.conclude(run_id, asker)

    def holds(self, run_id: str) -> bool:
        """Whether a run is being held."""
        return run_id in self._sessions

    async def ended(self, run_id: str) -> None:
        """Wait until a run is not held any more."""
        await self._sessions.ended(run_id)

    async def retry(self, run_id: str, asker: Asker, channel_id: int | None = None) -> str:
        """Try a failed run again; what was answered is kept and not paid twice.

        A run whose thread or channel is gone continues in the channel where it is asked for.
        """
        self._sessions.require_open()
        return await self._interventions.retry(run_id, asker, channel_id)

    async def consent(self, run_id: str, asker: Asker, *, agree: bool) -> str:
        """Take the answer of a starter who was asked to agree to the price, or to options."""
        return await self._interventions.consent(run_id, asker, agree=agree)

    async def proposed_options(self, run_id: str, asker: Asker) -> tuple[str, ...]:
        """The options of a vote that its starter may edit."""
        return proposed_options(await self._supervisor.known(run_id), asker)

    async def name_options(self, run_id: str, asker: Asker, text: str) -> str:
        """Hold a vote on the options that its starter wrote, one on each line."""
        options = named_options(clean(text))
        return await self._interventions.consent(run_id, asker, agree=True, options=options)

    async def abandon(self, thread_id: int) -> None:
        """End what is being held in a thread that was deleted, and tell its starter elsewhere."""
        await self._interventions.abandon(thread_id)

    async def post(self, run_id: str, channel_id: int, asker: Asker) -> str:
        """Post a conclusion in another channel, with an approval where that is needed."""
        self._sessions.require_open()
        return await self._supervisor.sharing.ask(
            await self._supervisor.known(run_id), channel_id, asker
        )

    async def may_decide(self, approval_id: str, asker: Asker) -> None:
        """Refuse a person who may not decide, before they enter a reason."""
        await self._supervisor.approvals.require_decider(approval_id, asker)

    async def decide(self, approval_id: str, decision: str, asker: Asker, note: str = "") -> str:
        """Take a decision about an outside effect; returns what to tell the person."""
        self._sessions.require_open()
        status = ApprovalStatus(decision)
        try:
            return await self._supervisor.approvals.decide(approval_id, status, asker, note)
        finally:
            self._sessions.wake_all()

    async def price_of(self, guild_id: int, request: Request) -> str:
        """What a request would cost now, in one line; refuses one that could not be seated."""
        await self._deps.prices.load()
        return estimate_words(self._supervisor.holder.check(guild_id, request))

    async def costs(self, guild_id: int, asker: Asker, *, private: bool) -> str:
        """What a person, and for moderators the server, spent; and what meetings cost now."""
        return await costs_text(self._deps, guild_id, asker, private=private)

    async def last_in(self, channel_id: int) -> Run | None:
        """The newest run that lives in a thread, over or not."""
        return await self._deps.store.read(lambda conn: RunRepository(conn).by_thread(channel_id))

    async def running_in(self, channel_id: int, guild_id: int) -> Run | None:
        """The unfinished run that lives in a channel or thread, newest first."""
        unfinished = await self._deps.store.read(lambda conn: RunListRepository(conn).unfinished())
        return next(
            (
                run
                for run in reversed(unfinished)
                if run.guild_id == guild_id
                and channel_id in {run.thread_id, run.output_channel_id, run.trigger_channel_id}
            ),
            None,
        )

    async def resume_all(self, server: int | None = None) -> int:
        """Resume every run that a restart interrupted, or those of a server; returns how many."""
        return await supervisor.resume_all(self._supervisor, server)

    def is_busy(self, server: int) -> bool:
        """Whether a meeting runs in a server, or something is being said in its threads."""
        return (
            self._sessions.is_busy(server)
            or self._deps.threads.is_busy(server)
            or self.decisions.asking == server
        )

    async def next_due(self, server: int) -> float | None:
        """When something is to be done in a quiet server, in epoch seconds."""
        return await supervisor.next_due(self._supervisor, server)

    async def let_go(self, server: int) -> None:
        """Forget a quiet server that another process works for from now on."""
        await self._deps.threads.let_go(server)
        await self.people.let_go(server)

    async def abandon_unfinished(self, reason: str) -> None:
        """End in the store alone what an earlier process left, because its place is gone."""
        await supervisor.abandon_unfinished(self._supervisor, reason)

    @property
    def running(self) -> int:
        """How many meetings this process is holding."""
        return len(self._sessions)

    async def idle(self) -> None:
        """Wait until no meeting runs and none is being opened."""
        await self._sessions.idle()

    async def close(self) -> None:
        """Accept nothing new, finish pending posts, and leave the rest for the next start.

        The next start resumes it. The wait for tasks that hang is limited.
        """
        self._sessions.closing = True
        await self._deps.late.close()
        await self._supervisor.close()
        tasks = self._sessions.cancel_all()
        await self._deps.stage.drain(_POSTS_PATIENCE)
        if tasks:
            await asyncio.wait(tasks, timeout=_MEETINGS_PATIENCE)
