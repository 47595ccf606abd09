"""Asks what became of decisions when their time comes, and takes what people answer."""

import asyncio
import logging
from contextlib import suppress
from typing import Final

from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.approvals.card import who_may_approve
from bot.approvals.gate import may_approve
from bot.decisions.outcomes import (
    EARLY,
    Look,
    answer_buttons,
    answer_words,
    answers_to,
    chosen_answer,
    facts_of,
    question_text,
)
from bot.errors import NotAllowedError, UsageError
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.meeting.finish import tell_starter
from bot.messages.decisions import AgainText
from bot.messages.starting import AdmissionText
from bot.record.loader import DamagedRunError, naming_damaged_run, read_record
from bot.record.masking import read_masked_record
from bot.record.record import RunRecord
from bot.record.run_rows import place_of
from bot.reports.ballots import happened_text
from bot.reports.files import export_or_report
from bot.stage.port import THE_BOT, Post, PostButton
from bot.store import Status
from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.decisions import Decision, DecisionRepository
from bot.store.repositories.discussions import DiscussionRepository
from bot.store.repositories.runs import Run, RunRepository

_log = logging.getLogger(__name__)

_LEASE: Final = 600.0
"""How long one process may take to ask before another one takes over."""
_LONGEST_WAIT: Final = 900.0
"""Another process may have scheduled something, and clocks are set."""
_TIME_TO_TELL: Final = 60.0


class Decisions:
    """Everything that happens to a decision after its conclusion; all state is in the store."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._changed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self.asking: int | None = None
        """The server in which something is being asked or told now."""

    def start(self) -> None:
        """Ask from now on, at once what became due while nobody was there."""
        self._changed.set()
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch(), name="decisions")

    async def close(self) -> None:
        """Leave every question to the next start."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def abandon(self) -> None:
        """Ask nothing that an earlier process left, because its place is gone."""
        await self._deps.store.write(lambda conn: DecisionRepository(conn).abandon())

    async def require_chooser(self, run_id: str, asker: Asker) -> Run:
        """The concluded run, unless the person may not say what becomes of it."""
        run = await self.concluded(run_id)
        trigger = self._deps.config(run.guild_id).trigger
        if asker.id != run.starter_id and not may_approve(asker, trigger.approver_role_ids):
            raise NotAllowedError(AgainText.only_for(who_may_approve(trigger)))
        return run

    async def look_again(self, run_id: str, asker: Asker, choice: str, date: str = "") -> str:
        """Keep when the thread is asked what happened; returns what to tell the person."""
        run, now = await self.require_chooser(run_id, asker), self._deps.store.now()
        look = Look.on(date, now) if date else Look.after(choice, now)

        def work(conn: Connection) -> None:
            known = DecisionRepository(conn).get(run.id)
            if known is not None and known.answer:
                raise UsageError(AgainText.RESOLVED_BEFORE)
            DecisionRepository(conn).schedule(run.id, run.guild_id, look.at, look.pause, now)

        await self._deps.store.write(work)
        self._changed.set()
        return AgainText.NEVER if look.at is None else AgainText.will_look(look.at)

    async def resolve(self, run_id: str, asker: Asker, typed: str) -> str:
        """Take what somebody typed; returns what to tell the person."""
        run = await self.require_chooser(run_id, asker)
        record = await read_record(self._deps.store, run.id)
        return await self._take(run, record, asker, chosen_answer(record, typed))

    async def answer(self, run_id: str, asker: Asker, value: str) -> str:
        """Take what a button says."""
        run = await self.require_chooser(run_id, asker)
        record = await read_record(self._deps.store, run.id)
        if value not in [one.value for one in answers_to(record)]:
            raise UsageError(AdmissionText.NOT_STORED)
        return await self._take(run, record, asker, value)

    async def _take(self, run: Run, record: RunRecord, asker: Asker, answer: str) -> str:
        if answer == EARLY:
            return await self._too_early(run)
        await self._require_counted(run)
        now, facts = self._deps.store.now(), facts_of(record)
        decision = await self._deps.store.write(
            lambda conn: DecisionRepository(conn).resolve(
                run.id, run.guild_id, answer, asker.id, facts, now
            )
        )
        await self._tell(run, decision)
        return AgainText.resolved(answer_words(record, answer))

    async def answers(self, run_id: str) -> tuple[str, ...]:
        """The answers that somebody may type; none for what cannot be resolved."""
        run = await self._deps.store.read(lambda conn: RunRepository(conn).get(run_id))
        if run is None or not run.topic or run.status is not Status.CONCLUDED:
            return ()
        record = await read_masked_record(self._deps.store, run.id)
        return tuple(one.label for one in answers_to(record))

    async def _too_early(self, run: Run) -> str:
        store, now = self._deps.store, self._deps.store.now()

        def work(conn: Connection) -> tuple[Decision | None, Look]:
            known = DecisionRepository(conn).get(run.id)
            if known is not None and known.answer:
                raise UsageError(AgainText.RESOLVED_BEFORE)
            look = Look.later(known.pause if known else None, now)
            DecisionRepository(conn).schedule(run.id, run.guild_id, look.at, look.pause, now)
            return known, look

        known, look = await store.write(work)
        self._changed.set()
        text = AgainText.too_early(look.at or now)
        await self._close_question(run, known, text)
        return text

    async def concluded(self, run_id: str) -> Run:
        """A run that has a conclusion, else a refusal."""
        store = self._deps.store
        run, talk = await store.read(
            lambda conn: (RunRepository(conn).get(run_id), DiscussionRepository(conn).get(run_id))
        )
        if run is None or not run.topic:
            raise UsageError(AdmissionText.NO_SUCH_RUN)
        if talk is not None:
            raise UsageError(AgainText.AGENTS)
        if run.status is not Status.CONCLUDED:
            raise UsageError(AgainText.NOT_CONCLUDED)
        return run

    async def _require_counted(self, run: Run) -> None:
        """What is known must not sway a vote, nor show through the masks of a panel."""
        if await self._deps.store.read(lambda conn: BallotRepository(conn).untold(run.id)):
            raise UsageError(AgainText.STILL_VOTING)

    async def _watch(self) -> None:
        while True:
            self._changed.clear()
            try:
                wait = await self._ask_all()
            except Exception:
                _log.exception("decisions could not be looked at; trying again later")
                wait = _LONGEST_WAIT
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), wait)

    async def _ask_all(self) -> float:
        """Ask what is due, tell what was not told; returns for how long nothing is to be done."""
        store = self._deps.store
        now = store.now()
        try:
            for decision in await store.read(
                lambda conn: DecisionRepository(conn).untold(now - _TIME_TO_TELL, self._servers)
            ):
                self.asking = decision.guild_id
                await self._tell_late(decision)
            while await self._ask_one():
                pass
        finally:
            self.asking = None
        due = await store.read(lambda conn: DecisionRepository(conn).next_due(self._servers))
        return _LONGEST_WAIT if due is None else min(max(due - store.now(), 0.0), _LONGEST_WAIT)

    async def _ask_one(self) -> bool:
        """Ask about one decision that is due; False when there is none that nobody asks about."""
        store = self._deps.store
        now = store.now()
        servers = self._servers
        due = await store.read(lambda conn: DecisionRepository(conn).next_due(servers))
        if (due or now + 1) > now:
            return False
        decision = await store.write(
            lambda conn: DecisionRepository(conn).claim(now, now + _LEASE, servers)
        )
        if decision is None:
            return False
        self.asking = decision.guild_id
        run = await self._run(decision)
        text, buttons = await self._question(run)
        ctx, key = RunContext(run, self._deps), _question_key(decision.asked + 1)
        await tell_starter(ctx, key, text, buttons=buttons, ping=True)
        await store.write(lambda conn: DecisionRepository(conn).note_asked(decision, store.now()))
        return True

    async def _question(self, run: Run) -> tuple[str, tuple[PostButton, ...]]:
        """What the thread is asked; about a damaged run it is told that nobody can ask."""
        try:
            with naming_damaged_run(run.id):
                record = await read_masked_record(self._deps.store, run.id)
                return question_text(record), answer_buttons(record)
        except DamagedRunError as error:
            return error.text, ()

    async def _tell_late(self, decision: Decision) -> None:
        """Tell what a kill left untold; what cannot be told must not keep others waiting."""
        try:
            with naming_damaged_run(decision.run_id):
                await self._tell(await self._run(decision), decision)
        except DamagedRunError as error:
            _log.warning("what happened could not be told: %s", error)
            await self._deps.store.write(
                lambda conn: DecisionRepository(conn).note_told(decision.run_id, decision.answers)
            )

    async def _tell(self, run: Run, decision: Decision) -> None:
        """Say in the thread what happened, once, and write the files anew."""
        ctx, number = RunContext(run, self._deps), decision.answers
        record = await read_record(self._deps.store, run.id)
        text = happened_text(record, decision.answer, decision.answered_by)
        await tell_starter(ctx, f"happened#{number}", text)
        await self._close_question(run, decision, AgainText.ASKED_NO_MORE)
        await export_or_report(ctx)
        await self._deps.store.write(
            lambda conn: DecisionRepository(conn).note_told(run.id, number)
        )

    async def _close_question(self, run: Run, decision: Decision | None, text: str) -> None:
        """Take the buttons off the last question, if there was one, even if it is not noted yet."""
        asked = decision.asked if decision else 0
        for number in (asked, asked + 1):
            post = Post(_question_key(number), THE_BOT, text, untrusted=False)
            await self._deps.stage.revise(run.id, place_of(run), post)

    @property
    def _servers(self) -> frozenset[int] | None:
        """The servers that this process works for; None for all."""
        only = self._deps.held.only
        return None if only is None else frozenset(only)

    async def _run(self, decision: Decision) -> Run:
        return await self._deps.store.read(
            lambda conn: RunRepository(conn).require(decision.run_id)
        )


def _question_key(number: int) -> str:
    return f"outcome#{number}"
