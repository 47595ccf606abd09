"""Opens, runs and ends one meeting, and reports failures to people."""

import asyncio
import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.approvals.gate import Approvals
from bot.approvals.issue_comment import IssueComments
from bot.errors import AwayError, UserError
from bot.links.references import Reference
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.meeting.design.pricing import RunPricing
from bot.meeting.finish import unmask
from bot.meeting.run_thread import open_run_thread
from bot.meeting.spec import stored_request
from bot.messages.attempts import AttemptText, StopText
from bot.messages.counting import as_start
from bot.messages.meeting import MeetingText
from bot.money.budget_rules import release, reserve, stored_estimate
from bot.money.estimate import Estimate, estimate_words
from bot.prompting.short_answers import needs_options
from bot.record.attempts import attempt_state, conclude_asked, stop_asked
from bot.reports.files import export_run
from bot.request import Request
from bot.runs.attempts import hold_attempts, waiting_until
from bot.runs.conclude import fail_run, finish_run, settle
from bot.runs.consent import (
    REQUEST,
    ConsentFrom,
    ConsentRefusedError,
    ask_starter,
    consent_text,
    whose_consent,
)
from bot.runs.pipeline import begin_grounding
from bot.runs.requests import StartResult
from bot.stage.port import THE_BOT, Place, Post
from bot.store import AttemptStatus, Phase
from bot.store.repositories.posts import PostRepository
from bot.store.repositories.runs import Run, RunRepository

_log = logging.getLogger(__name__)

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
_NOTICE = "resumed#"


class RunHolder:
    """Opens a run, holds it to its end, and ends it early when it must."""

    def __init__(self, deps: Dependencies, gate: Approvals, linking: IssueComments) -> None:
        self._deps = deps
        self._gate = gate
        self._linking = linking

    def check(self, guild_id: int, request: Request) -> Estimate:
        """What a request will cost; refuses one that could not be seated."""
        if request.link:
            Reference.of(request.link, self._deps.config(guild_id).links)
        return RunPricing.now(self._deps, guild_id).of_request(request)

    def prepare(self, conn: Connection, run: Run, estimate: Estimate, now: float) -> None:
        """Set a new run's money aside or refuse it; one that needs consent holds nothing yet."""
        limits = self._deps.config(run.guild_id).budgets
        reserve(conn, run, estimate, limits, now)
        whose = whose_consent(estimate, limits)
        if whose is not ConsentFrom.NOBODY:
            release(conn, run, now)
        if whose is ConsentFrom.STARTER:
            ask_starter(conn, run.id, REQUEST, estimate, now)

    def started(self, ctx: RunContext, place: Place, estimate: Estimate) -> StartResult:
        """The reply to the person who asked."""
        limits, run = self._deps.config(ctx.run.guild_id).budgets, ctx.run
        whose = whose_consent(estimate, limits)
        price = estimate_words(estimate) + "."
        if whose is not ConsentFrom.NOBODY:
            said = consent_text(estimate, limits, whose, run.starter_id)
            price = as_start(said)
        return StartResult(run.id, place, price=price, asks_starter=whose is ConsentFrom.STARTER)

    def context(self, run: Run) -> RunContext:
        """The context of a run."""
        ctx = RunContext(run, self._deps, self._gate)
        if run.request.get("link"):
            ctx.before_closing = lambda: self._linking.ask_for(run)
        return ctx

    async def open(self, ctx: RunContext, notices: Sequence[str]) -> Place:
        """Open the run's thread and search meanwhile; a run without a thread ends."""
        run, limits = ctx.run, self._deps.config(ctx.run.guild_id).budgets
        consent = whose_consent(stored_estimate(run), limits)
        if consent is ConsentFrom.NOBODY and not needs_options(stored_request(run)):
            begin_grounding(ctx)
        try:
            await self._deps.store.outlast(lambda: open_run_thread(ctx, tuple(notices)))
        except Exception as error:
            ctx.cancel_grounding()
            reason = AttemptText.no_place(type(error).__name__)
            await finish_run(ctx, AttemptStatus.FAILED, Phase.FAILED, reason)
            raise
        return ctx.place

    async def hold(self, ctx: RunContext, *, resumed: bool) -> None:
        """Hold the meeting to its end, whatever that is; raises nothing but cancellation."""
        try:
            if resumed:
                await self._deps.store.outlast(lambda: self._say_resumed(ctx))
            while not await self._held_to_its_end(ctx):
                pass
        except ConsentRefusedError as refusal:
            await fail_run(ctx, refusal.reason, str(refusal), aborted=True)
        except UserError as error:
            await self.fail(ctx, str(error))
        except Exception:
            code = secrets.token_hex(3)
            _log.exception("%s failed (code %s)", ctx.run.id, code)
            await self.fail(ctx, AttemptText.broke(code))
        finally:
            ctx.cancel_grounding()

    async def _held_to_its_end(self, ctx: RunContext) -> bool:
        """False when the database went away meanwhile: what is recorded is there again now."""
        store, run_id = self._deps.store, ctx.run.id
        try:
            await self._go_on(ctx)
        except AwayError:
            _log.info("%s waits until the database is back", run_id)
        else:
            return True
        run = await store.outlast(
            lambda: store.read(lambda conn: RunRepository(conn).require(run_id))
        )
        if run.finished_at is not None:
            await self.write_files(ctx)
            return True
        ctx.cancel_grounding()
        ctx.grounding = None
        ctx.start_over(run)
        return False

    async def _go_on(self, ctx: RunContext) -> None:
        run_id = ctx.run.id
        stop, wish, now = await self._deps.store.read(
            lambda conn: (
                stop_asked(conn, run_id),
                conclude_asked(conn, run_id),
                attempt_state(conn, run_id),
            )
        )
        if wish:
            ctx.concluding.set()
        if stop is not None:
            await self.stop(ctx)
        else:
            await hold_attempts(ctx, now)

    async def stop(self, ctx: RunContext) -> None:
        """End a run that somebody stopped."""
        await open_run_thread(ctx)
        asked = await self._stop_asked(ctx) or {}
        text = StopText.stopped_by(asked.get("by"))
        await self._unmask(ctx)
        await fail_run(ctx, StopText.BY_A_PERSON, text, aborted=True)

    async def _unmask(self, ctx: RunContext) -> None:
        """Reveal the panelists of a stopped masked meeting, if its thread is still writable."""
        try:
            await unmask(ctx)
        except UserError as error:
            _log.warning("%s: the panelists could not be revealed: %s", ctx.run.id, error)

    async def abandon(self, ctx: RunContext, reason: str) -> None:
        """End a run in the store alone, because its place is gone."""
        await finish_run(ctx, AttemptStatus.ABORTED, Phase.FAILED, reason)

    async def write_files(self, ctx: RunContext) -> None:
        """Write the files that an earlier process owes a run which is over."""
        try:
            await export_run(ctx)
        except Exception:
            _log.exception("the files of %s could not be written", ctx.run.id)

    async def _stop_asked(self, ctx: RunContext) -> Mapping[str, Any] | None:
        return await self._deps.store.read(lambda conn: stop_asked(conn, ctx.run.id))

    async def _say_resumed(self, ctx: RunContext) -> None:
        await open_run_thread(ctx)
        target = ctx.place.target_id
        owed = await self._deps.store.read(lambda conn: _unsent_notice(conn, target))
        key = owed or f"{_NOTICE}{secrets.token_hex(4)}"
        due = await waiting_until(ctx)
        text = MeetingText.RESUMED if due is None else MeetingText.resumed_waiting(round(due))
        await ctx.say(Post(key, THE_BOT, text, untrusted=False))

    async def fail(self, ctx: RunContext, reason: str) -> None:
        """End a run that cannot continue, and notify its starter where they can see it."""
        text = AttemptText.failed(reason, ctx.run.id)
        try:
            await fail_run(ctx, reason, text, aborted=False)
        except Exception:
            _log.exception("the end of %s could not be stored; retrying", ctx.run.id)
            await self._settle_later(ctx, reason)

    async def _settle_later(self, ctx: RunContext, reason: str) -> None:
        """The store cannot be written now; once it can, the run ends and can be retried."""
        pause = _FIRST_PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            try:
                await settle(ctx, reason, aborted=False)
            except Exception as error:
                _log.debug("the end of %s cannot be stored yet: %s", ctx.run.id, error)
            else:
                return


def _unsent_notice(conn: Connection, target_id: int) -> str | None:
    """The line about a restart that the next kill kept from going out; it still serves."""
    waiting = PostRepository(conn).unsent(target_id)
    return next((part.key for part in waiting if part.key.startswith(_NOTICE)), None)
