"""What people do to an existing run: stop it, retry it, approve its price."""

import asyncio
from collections.abc import Sequence

from sqlalchemy import Connection

from bot.access.admission import Asker, Start, admit_start, check_start, may_stop, note_start
from bot.errors import NotAllowedError, UsageError
from bot.floor import Stop
from bot.meeting.run_thread import move_run_thread, revise_anchor
from bot.messages.attempts import AttemptText, StopText
from bot.messages.starting import ConsentText
from bot.record.attempts import (
    NextStep,
    ask_to_conclude,
    ask_to_stop,
    attempt_state,
    why_no_conclusion,
)
from bot.record.run_rows import place_of
from bot.runs.consent import decide
from bot.runs.supervisor import RunSupervisor
from bot.stage.port import Destination
from bot.store import Status
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run


class RunActions:
    """Each checks that the person may, and returns what to tell them."""

    def __init__(self, supervisor: RunSupervisor) -> None:
        self._supervisor = supervisor
        self._deps = supervisor.deps

    async def stop(self, run_id: str, asker: Asker) -> str:
        """Stop a run and keep what was said."""
        run = await self._supervisor.known(run_id)
        await self._require_may_stop(run, asker, StopText.NOT_YOURS_TO_STOP)
        if run.finished_at is not None:
            raise UsageError(StopText.ALREADY_OVER)
        now = self._deps.store.now()
        await self._deps.store.write(lambda conn: ask_to_stop(conn, run.id, asker.id, now))
        ctx = await self._supervisor.interrupted(run)
        self._deps.threads.note(place_of(run).target_id, Stop())
        await self._supervisor.holder.stop(ctx)
        return StopText.STOPPED

    async def _require_may_stop(self, run: Run, asker: Asker, refusal: str) -> None:
        trigger = self._deps.config(run.guild_id).trigger
        owner_id = await self._deps.stage.owner_of(place_of(run).target_id)
        if not may_stop(asker, run.starter_id, trigger) and asker.id != owner_id:
            raise NotAllowedError(refusal)

    async def conclude(self, run_id: str, asker: Asker) -> str:
        """End the rounds now, or close the vote of people about a run that is over."""
        run, store = await self._supervisor.known(run_id), self._deps.store
        await self._require_may_stop(run, asker, StopText.NOT_YOURS_TO_CONCLUDE)
        if run.finished_at is not None:
            if not await self._supervisor.people.close_now(run):
                raise UsageError(StopText.ALREADY_OVER)
            return StopText.VOTE_CLOSES

        def work(conn: Connection) -> None:
            if obstacle := why_no_conclusion(conn, run.id):
                raise UsageError(obstacle)
            ask_to_conclude(conn, run.id, asker.id, store.now())

        await store.write(work)
        self._supervisor.sessions.conclude(run_id)
        return StopText.CONCLUDES

    async def consent(
        self, run_id: str, asker: Asker, *, agree: bool, options: Sequence[str] = ()
    ) -> str:
        """Take the answer of a starter who was asked to agree to the price, or to options."""
        run, store = await self._supervisor.known(run_id), self._deps.store
        config, now = self._deps.config(run.guild_id), store.now()
        await store.write(
            lambda conn: decide(conn, run, asker, config, agree=agree, now=now, options=options)
        )
        self._supervisor.sessions.wake(run_id)
        return ConsentText.BEGINS if agree else ConsentText.CANCELLED

    async def retry(self, run_id: str, asker: Asker, channel_id: int | None) -> str:
        """Try a failed run again; what was answered is kept and not paid twice."""
        # Once the run is known to be over, what holds it may be another retry, which may take long.
        ending = self._supervisor.sessions.holding(run_id)
        run = await self._supervisor.known(run_id)
        await self._require_retryable(run, asker)
        if ending is not None:
            await asyncio.wait([ending])
        now, config = self._deps.store.now(), self._deps.config(run.guild_id)
        start = Start(run.guild_id, asker, run.id)
        destination = await self._new_place(run, channel_id or run.trigger_channel_id)

        from bot.runs.attempts import reopen_run  # noqa: PLC0415 (slow, for a run that goes on)

        def work(conn: Connection) -> Run:
            admit_start(conn, start, config, now)
            there = move_run_thread(conn, run, destination, now) if destination else run
            reopened = reopen_run(conn, there, config.budgets, now)
            note_start(conn, start, run.id, now)
            return reopened

        ctx = self._supervisor.holder.context(await self._deps.store.write(work))
        if destination is not None:
            await self._supervisor.holder.open(ctx, destination.notices)
        else:
            await revise_anchor(ctx)
        self._supervisor.sessions.launch(ctx)
        return StopText.goes_on_in(ctx.place.target_id)

    async def _require_retryable(self, run: Run, asker: Asker) -> None:
        if asker.id != run.starter_id and not asker.may_manage:
            raise NotAllowedError(StopText.NOT_YOURS_TO_RETRY)
        if run.finished_at is None:
            raise UsageError(await self._why_not_yet(run))
        if run.status is Status.CONCLUDED:
            raise UsageError(StopText.NOT_RETRIED)
        start, config = Start(run.guild_id, asker, run.id), self._deps.config(run.guild_id)
        now = self._deps.store.now()
        await self._deps.store.read(lambda conn: check_start(conn, start, config, now))

    async def _why_not_yet(self, run: Run) -> str:
        """Why a run that is not over cannot be retried."""
        now = await self._deps.store.read(lambda conn: attempt_state(conn, run.id))
        if now.next is NextStep.WAIT:
            return StopText.retries_itself(now.due_at)
        return StopText.STILL_RUNNING

    async def _new_place(self, run: Run, channel_id: int) -> Destination | None:
        """Where a run continues whose place is gone; None while its place exists."""
        if not await self._deps.stage.is_gone(place_of(run)):
            return None
        return await self._deps.stage.choose(run.guild_id, channel_id)

    async def abandon(self, thread_id: int) -> None:
        """End what is being held in a thread that was deleted, and tell its starter elsewhere."""
        store = self._deps.store
        for run in await store.outlast(
            lambda: store.read(lambda conn: RunListRepository(conn).unfinished())
        ):
            if run.thread_id == thread_id:
                ctx = await self._supervisor.interrupted(run)
                await self._supervisor.holder.fail(ctx, AttemptText.THREAD_DELETED)
