"""Runs that wait for a person before money is spent: for a price (2.2#32), or for options."""

import asyncio
import enum
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.access.admission import SPEND, Asker, may_stop, require_place
from bot.approvals.gate import Approvals
from bot.errors import NotAllowedError, UsageError
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.meeting.design.meta_panel import propose_options
from bot.meeting.questions import attempt_key
from bot.meeting.spec import stored_request
from bot.messages.meeting import CardText
from bot.messages.money import MoneyText
from bot.messages.starting import ConsentText
from bot.money import budget_rules
from bot.money.budget_rules import release, reserve_rest, stored_estimate
from bot.money.estimate import Estimate, calls_words, usd_words
from bot.panels import Budgets, PanelsConfig
from bot.prompting.short_answers import needs_options
from bot.record.run_rows import place_of
from bot.request.options import LONGEST_OPTION, yes_and_no
from bot.stage.cleaning import short_line
from bot.store import ApprovalStatus, EventType, SideEffect
from bot.store.log import events
from bot.store.log.events import Event
from bot.store.repositories.approvals import Approval, ApprovalRepository, NewApproval
from bot.store.repositories.budgets import RUN, Budget
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor

REQUEST = "request"
DESIGN = "design"
_OPTIONS = "options"
_PROPOSED = "proposed"
_MINUTE = 60.0
_LOOK_AGAIN = 30.0
_STARTER_PATIENCE = 15 * _MINUTE
_APPROVER_PATIENCE = 24 * 60 * _MINUTE


def register_spending(deps: Dependencies, gate: Approvals, wake: Callable[[str], None]) -> None:
    """Register the approval of a run's price with the gate; `wake` resumes the waiting run."""

    async def raise_cap(approval: Approval) -> str:
        usd = float(approval.details["usd"])

        def work(conn: Connection) -> Run:
            run = RunRepository(conn).require(approval.run_id)
            budget_rules.raise_cap(conn, Budget(run.id, RUN, run.starter_id, run.guild_id), usd)
            return run

        run = await deps.store.write(work)
        wake(run.id)
        return ConsentText.may_spend(place_of(run).target_id, MoneyText.dollars(usd))

    gate.register(SPEND, raise_cap)


def _approval_of_spending(run: Run, stage: str, estimate: Estimate) -> NewApproval:
    """What an approver is asked for before an expensive run is held."""
    return NewApproval(
        run_id=run.id,
        requested_action=ConsentText.hold_for(usd_words(estimate)),
        side_effect_kind=SideEffect.OTHER,
        idempotency_key=f"{SPEND}:{run.id}#{stage}",
        requested_by=str(run.starter_id),
        effect=SPEND,
        details={"usd": estimate.most_usd},
        rollback_hint=ConsentText.UNDO_SPENDING,
        attempt=run.attempt,
    )


def _granted_usd(conn: Connection, run_id: str) -> float:
    """The highest sum an approver allowed for the run, 0 when none did."""
    asked = ApprovalRepository(conn).of_key(run_id, f"{SPEND}:{run_id}")
    approved = [found for found in asked if found.status is ApprovalStatus.APPROVED]
    return max((float(found.details["usd"]) for found in approved), default=0.0)


class ConsentFrom(enum.StrEnum):
    """Who has to agree before money is spent."""

    NOBODY = ""
    STARTER = "starter"
    APPROVER = "approver"


class ConsentRefusedError(Exception):
    """The run does not take place; the text says why in words for people."""

    def __init__(self, text: str, reason: str = ConsentText.NOT_AGREED) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Answer:
    agreed: bool
    text: str = ""


def whose_consent(estimate: Estimate, limits: Budgets) -> ConsentFrom:
    """Whom to ask, judged by the estimate's upper end."""
    if estimate.most_usd > limits.per_run_usd:
        return ConsentFrom.APPROVER
    return (
        ConsentFrom.STARTER if estimate.most_usd > limits.confirm_above_usd else ConsentFrom.NOBODY
    )


def consent_text(estimate: Estimate, limits: Budgets, whose: ConsentFrom, starter_id: int) -> str:
    """What the card and the answer to the starter say while the run waits."""
    price, calls = usd_words(estimate), calls_words(estimate)
    if whose is ConsentFrom.STARTER:
        return ConsentText.starter_asked(price, calls, starter_id)
    return ConsentText.approver_asked(price, calls, MoneyText.dollars(limits.per_run_usd))


async def ask_consent(ctx: RunContext, stage: str, estimate: Estimate) -> None:
    """Wait until the right person agrees; what was agreed to before is not asked again.

    `stage` is REQUEST before anything is paid, and DESIGN when the panel is known.
    """
    limits = ctx.config.budgets
    whose = whose_consent(estimate, limits)
    if whose is ConsentFrom.NOBODY:
        return
    if await _agreed_before(ctx, whose, estimate):
        await _go_on(ctx, estimate)
        return
    store = ctx.deps.store
    await store.write(lambda conn: release(conn, ctx.run, store.now()))
    text = consent_text(estimate, limits, whose, ctx.run.starter_id)
    key = attempt_key(stage, ctx.run.attempt)
    ctx.show(text, asks_starter=whose is ConsentFrom.STARTER)
    if whose is ConsentFrom.STARTER:
        answer = await _starters_answer(ctx, key, estimate)
    else:
        answer = await _approvers_answer(ctx, key, estimate)
    if not answer.agreed:
        raise ConsentRefusedError(answer.text)
    await _go_on(ctx, estimate, in_a_free_place=whose is ConsentFrom.APPROVER)
    ctx.show(CardText.READY_TO_START, asks_starter=False)
    ctx.restart_clock()


async def settle_options(ctx: RunContext) -> None:
    """Where a vote names no options, have them proposed, and wait until its starter agrees."""
    run, store = ctx.run, ctx.deps.store
    if not needs_options(stored_request(run)) or await ctx.journal.history(EventType.RUN_DESIGNED):
        return
    await ctx.deps.look_again()
    proposed = await propose_options(ctx) or yes_and_no(run.topic)
    key, asked_at = await store.write(lambda conn: _ask_for_options(conn, ctx, proposed))
    text = ConsentText.options_asked([short_line(one, LONGEST_OPTION) for one in proposed])
    ctx.show(ConsentText.to_starter(text, run.starter_id), asks_options=True)
    answer = await _wait(ctx, _answer_to(run.id, key), asked_at + _STARTER_PATIENCE)
    if answer is None or not answer.agreed:
        told = ConsentText.OPTIONS_EXPIRED if answer is None else answer.text
        raise ConsentRefusedError(told, ConsentText.NO_OPTIONS)
    ctx.run = await store.read(lambda conn: RunRepository(conn).require(run.id))
    ctx.show(CardText.READY_TO_START, asks_options=False)
    ctx.restart_clock()


def _ask_for_options(
    conn: Connection, ctx: RunContext, proposed: Sequence[str]
) -> tuple[str, float]:
    """Note what the starter is asked, once until it is answered or expires, and let go of money."""
    run, now = ctx.run, ctx.deps.store.now()
    release(conn, run, now)
    asked = [e for e in events.history(conn, run.id, EventType.CONSENT_ASKED) if _about_options(e)]
    given = {event.key for event in events.history(conn, run.id, EventType.CONSENT_GIVEN)}
    if asked and asked[-1].key not in given and asked[-1].payload["at"] + _STARTER_PATIENCE > now:
        return asked[-1].key, float(asked[-1].payload["at"])
    key = f"{_OPTIONS}#{len(asked) + 1}"
    RunRepository(conn).amend_request(run.id, {_PROPOSED: list(proposed)}, now)
    return key, ask_starter(conn, run.id, key, stored_estimate(run), now)


def _about_options(event: Event) -> bool:
    return event.key.startswith(_OPTIONS)


def proposed_options(run: Run, asker: Asker) -> tuple[str, ...]:
    """What the starter of a vote may edit; nobody else may."""
    if asker.id != run.starter_id:
        raise NotAllowedError(ConsentText.NOT_YOURS_TO_NAME)
    if run.finished_at is not None or run.request.get("options"):
        raise UsageError(ConsentText.NOTHING_WAITS)
    return tuple(run.request.get(_PROPOSED) or yes_and_no(run.topic))


async def _go_on(ctx: RunContext, estimate: Estimate, *, in_a_free_place: bool = False) -> None:
    """Set the money aside that a waiting run did not hold, unless the starter's press did."""
    store, config = ctx.deps.store, ctx.config

    def work(conn: Connection) -> None:
        if in_a_free_place:
            require_place(conn, ctx.run, config, store.now())
        reserve_rest(conn, ctx.run, estimate, config.budgets, store.now())

    try:
        await store.write(work)
    except NotAllowedError as error:
        raise ConsentRefusedError(ConsentText.cannot_begin(error.text)) from error


def decide(
    conn: Connection,
    run: Run,
    asker: Asker,
    config: PanelsConfig,
    *,
    agree: bool,
    now: float,
    options: Sequence[str] = (),
) -> None:
    """Take the starter's answer; refuses others, and an answer that comes too late.

    A run that waited held neither a place nor money, so agreeing may be refused for now.
    `options` are those of a vote that the starter edited.
    """
    asked = events.history(conn, run.id, EventType.CONSENT_ASKED)
    answered = {event.key for event in events.history(conn, run.id, EventType.CONSENT_GIVEN)}
    open_ = [event for event in asked if event.key not in answered]
    about_options = bool(open_) and _about_options(open_[-1])
    if run.finished_at is not None or not open_ or (options and not about_options):
        raise UsageError(ConsentText.NOTHING_WAITS)
    if agree and asker.id != run.starter_id:
        raise NotAllowedError(ConsentText.NOT_YOURS_TO_START)
    if not may_stop(asker, run.starter_id, config.trigger):
        raise NotAllowedError(ConsentText.NOT_YOURS_TO_CANCEL)
    key, estimate = open_[-1].key, open_[-1].payload.get("estimate")
    if agree:
        require_place(conn, run, config, now)
        price = Estimate.from_dict(estimate) if estimate else stored_estimate(run)
        reserve_rest(conn, run, price, config.budgets, now)
    if agree and about_options:
        chosen = {_OPTIONS: list(options or proposed_options(run, asker))}
        RunRepository(conn).amend_request(run.id, chosen, now)
    payload = {"agreed": agree, "by": asker.id}
    events.append(conn, run.id, EventType.CONSENT_GIVEN, key, Actor.HUMAN, payload, now)


async def _agreed_before(ctx: RunContext, whose: ConsentFrom, estimate: Estimate) -> bool:
    """The starter agrees once for a run; an approver agrees to a sum, which may be exceeded."""
    run_id = ctx.run.id

    def read(conn: Connection) -> bool:
        if _granted_usd(conn, run_id) >= estimate.most_usd:
            return True
        given = events.history(conn, run_id, EventType.CONSENT_GIVEN)
        answers = [answer for answer in given if not _about_options(answer)]
        return whose is ConsentFrom.STARTER and any(answer.payload["agreed"] for answer in answers)

    return await ctx.deps.store.read(read)


async def _starters_answer(ctx: RunContext, key: str, estimate: Estimate) -> _Answer:
    store, run_id = ctx.deps.store, ctx.run.id
    asked_at = await store.write(lambda conn: ask_starter(conn, run_id, key, estimate, store.now()))

    answer = await _wait(ctx, _answer_to(run_id, key), asked_at + _STARTER_PATIENCE)
    return answer or _Answer(False, ConsentText.EXPIRED)


def _answer_to(run_id: str, key: str) -> Callable[[Connection], _Answer | None]:
    """Reads what the starter answered to one question, if anything yet."""

    def read(conn: Connection) -> _Answer | None:
        found = events.find(conn, run_id, EventType.CONSENT_GIVEN, key)
        if found is None:
            return None
        price = not key.startswith(_OPTIONS)
        return _Answer(found["agreed"], ConsentText.cancelled_by(found["by"], price=price))

    return read


def ask_starter(conn: Connection, run_id: str, key: str, estimate: Estimate, now: float) -> float:
    """Note once that the starter is asked, and about what; returns since when."""
    actor, asked = Actor.ORCHESTRATOR, EventType.CONSENT_ASKED
    payload = {"at": now, "estimate": estimate.to_dict()}
    events.append(conn, run_id, asked, key, actor, payload, now)
    found = events.find(conn, run_id, asked, key) or {"at": now}
    return float(found["at"])


async def _approvers_answer(ctx: RunContext, key: str, estimate: Estimate) -> _Answer:
    wanted = _approval_of_spending(ctx.run, key, estimate)
    asked = (await ctx.gate.request(wanted)).approval

    def read(conn: Connection) -> _Answer | None:
        found = ApprovalRepository(conn).get(asked.id)
        if found is None or found.status is ApprovalStatus.PENDING:
            return None
        agreed = found.status is ApprovalStatus.APPROVED
        return _Answer(agreed, ConsentText.not_approved_by(found.resolved_by))

    answer = await _wait(ctx, read, asked.created_at + _APPROVER_PATIENCE)
    if answer is None:
        await ctx.gate.withdraw(asked.id, ConsentText.NOT_DECIDED)
    return answer or _Answer(False, ConsentText.EXPIRED)


async def _wait(
    ctx: RunContext, read: Callable[[Connection], _Answer | None], until: float
) -> _Answer | None:
    """The answer, or None after the timeout; a restart keeps waiting."""
    store = ctx.deps.store
    while True:
        ctx.decided.clear()
        found = await store.read(read)
        left = until - store.now()
        if found is not None or left <= 0:
            return found
        # Another process may have stored the answer, so check often.
        with suppress(TimeoutError):
            await asyncio.wait_for(ctx.decided.wait(), min(left, _LOOK_AGAIN))
