"""The approval gate: asks people before an outside effect, and carries it out once (B30-B33).

An effect is a function registered under a name. It gets the stored approval, does its work under
the approval's idempotency key and returns where people see the result:

    approvals.register("post_conclusion", post_conclusion)
    asked = await approvals.request(NewApproval(run.id, …, effect="post_conclusion"))
    await approvals.decide(asked.approval.id, ApprovalStatus.APPROVED, asker)

With `gates=True` the run waits in `awaiting_approval`, and whatever is decided it is taken up
again: to go on once the effect took place, to work on, or to end. Without it, its phase stays.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.approvals.card import CardFacts, approval_post, who_may_approve
from bot.errors import NotAllowedError, UnavailableError, UsageError, UserError
from bot.meeting.context import RequestedApproval
from bot.meeting.dependencies import Dependencies
from bot.meeting.finish import end_run
from bot.messages.approvals import ApprovalText
from bot.prompting.build_spec import parse_build_spec
from bot.record.run_rows import place_of
from bot.stage.cleaning import short_line
from bot.store import ApprovalStatus, AttemptStatus, EventType, Journal, Phase, move
from bot.store.log import events
from bot.store.repositories.approvals import Approval, ApprovalRepository, NewApproval
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.discussions import DiscussionRepository
from bot.store.repositories.reviews import ReviewRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecRepository
from bot.store.vocabulary import Actor

_log = logging.getLogger(__name__)

_Effect = Callable[[Approval], Awaitable[str]]

_GRANTED = "resume_granted"
_BLOCKED = "resume_blocked"
_CRITERION_LIMIT = 120
_PREVENTED = "duplicate_effect_prevented"
_REFUSED = (ApprovalStatus.REJECTED, ApprovalStatus.REQUEST_CHANGES)


class Approvals:
    """Requests, decisions and their effects; all state is in the store."""

    def __init__(self, deps: Dependencies, take_up: Callable[[Run], None]) -> None:
        self._deps = deps
        self._take_up = take_up
        self._effects: dict[str, _Effect] = {}

    def register(self, name: str, effect: _Effect) -> None:
        """Make an effect known; requests name it, so that a restart finds it again."""
        self._effects[name] = effect

    async def request(self, wanted: NewApproval) -> RequestedApproval:
        """Ask under the key, or continue the earlier request with this key, and show the card.

        What was approved but not carried out is tried again. What took place is not repeated: the
        try is recorded as `duplicate_effect_prevented`.
        """
        if wanted.effect not in self._effects:
            raise RuntimeError(f"no effect is called {wanted.effect!r}")
        now = self._deps.store.now()
        approval = await self._deps.store.write(lambda conn: _request(conn, wanted, now))
        if approval.status is ApprovalStatus.APPROVED:
            return RequestedApproval(approval, await self._carry_out(approval))
        await self._show_card(approval)
        return RequestedApproval(approval)

    async def decide(
        self, approval_id: str, decision: ApprovalStatus, asker: Asker, note: str = ""
    ) -> str:
        """Store a person's decision and act on it; returns what to tell the person."""
        approval = await self.require_decider(approval_id, asker)
        now = self._deps.store.now()

        def work(conn: Connection) -> bool:
            return _decide(conn, approval, decision, str(asker.id), note, now)

        fresh = await self._deps.store.write(work)
        approval = await self._require(approval_id)
        if not fresh and (decision, approval.status) != (ApprovalStatus.APPROVED,) * 2:
            await self._show_card(approval)
            raise UsageError(ApprovalText.decided_before(approval.status, approval.resolved_by))
        if approval.status is ApprovalStatus.APPROVED:
            return ApprovalText.approved_and_done(await self._carry_out(approval))
        await self._show_card(approval)
        await self._go_on(approval)
        return ApprovalText.NOTED

    async def require_decider(self, approval_id: str, asker: Asker) -> Approval:
        """The approval, or a refusal for somebody who may not decide it."""
        approval = await self._require(approval_id)
        run = await self._deps.store.read(lambda conn: RunRepository(conn).require(approval.run_id))
        trigger = self._deps.config(run.guild_id).trigger
        if not may_approve(asker, trigger.approver_role_ids):
            raise NotAllowedError(ApprovalText.only_for(who_may_approve(trigger)))
        return approval

    async def withdraw(self, approval_id: str, why: str) -> None:
        """Close a request that nobody decided in time."""
        now, rejected = self._deps.store.now(), ApprovalStatus.REJECTED
        approval = await self._require(approval_id)
        await self._deps.store.write(
            lambda conn: _decide(conn, approval, rejected, ApprovalText.OURSELVES, why, now)
        )
        await self._show_card(await self._require(approval_id))

    async def resume_all(self, server: int | None = None) -> int:
        """After a restart: show cards that never went out, carry out what was granted."""
        waiting, granted = await self._deps.store.read(
            lambda conn: (
                _of_server(conn, server, ApprovalRepository(conn).pending()),
                _of_server(conn, server, ApprovalRepository(conn).unfinished()),
            )
        )
        for approval in waiting:
            await self._quietly(self._show_card(approval), approval)
        for approval in granted:
            await self._quietly(self._carry_out(approval), approval)
        return len(granted)

    async def _quietly(self, step: Awaitable[object], approval: Approval) -> None:
        """One approval that fails must not block the others."""
        try:
            await step
        except Exception:
            _log.exception("approval %s of %s could not be resumed", approval.id, approval.run_id)

    async def _carry_out(self, approval: Approval) -> str:
        """Carry out the effect unless already done; a failure is recorded, shown and raised."""
        journal = Journal(self._deps.store, approval.run_id, Actor.ORCHESTRATOR)
        key = approval.idempotency_key
        known = await journal.recorded(EventType.EFFECT_DONE, key)
        if known is not None:
            await self._checkpoint(approval, _PREVENTED)
            raise UsageError(ApprovalText.done_already(known["where"]))
        try:
            payload = await journal.once(
                EventType.EFFECT_DONE,
                key,
                lambda: self._effects[approval.effect](approval),
                lambda _, where: {"id": approval.id, "where": where},
            )
        except Exception as error:
            await self._effect_failed(approval, error)
            raise
        await self._show_card(approval)
        await self._go_on(approval)
        return str(payload["where"])

    async def _go_on(self, approval: Approval) -> None:
        """Resume a run that waited for this decision."""
        if approval.gates:
            run_id = approval.run_id
            self._take_up(
                await self._deps.store.read(lambda conn: RunRepository(conn).require(run_id))
            )

    async def _effect_failed(self, approval: Approval, error: Exception) -> None:
        def work(conn: Connection) -> None:
            failed, payload = EventType.EFFECT_FAILED, {"error": type(error).__name__}
            now, key = self._deps.store.now(), approval.idempotency_key
            events.append(conn, approval.run_id, failed, key, Actor.ORCHESTRATOR, payload, now)

        await self._deps.store.write(work)
        reason = error.text if isinstance(error, UserError) else ApprovalText.SOMETHING_BROKE
        await self._show_card(approval, ApprovalText.not_carried_out(reason))

    async def _checkpoint(self, approval: Approval, kind: str) -> None:
        now = self._deps.store.now()
        await self._deps.store.write(lambda conn: _checkpoint(conn, approval, kind, now))

    async def _show_card(self, approval: Approval, outcome: str = "") -> None:
        """Post the card once, and edit it after that."""
        facts = await self._deps.store.read(lambda conn: _facts(conn, approval.id, outcome))
        post = approval_post(facts, self._deps.config(facts.run.guild_id).trigger)
        place = place_of(facts.run)
        if facts.approval.status is ApprovalStatus.PENDING:
            await self._deps.stage.say(facts.run.id, place, post)
        else:
            await self._deps.stage.revise(facts.run.id, place, post)

    async def _require(self, approval_id: str) -> Approval:
        found = await self._deps.store.read(lambda conn: ApprovalRepository(conn).get(approval_id))
        if found is None:
            raise UsageError(ApprovalText.NOT_STORED)
        if found.effect not in self._effects:
            raise UnavailableError(ApprovalText.EFFECT_UNKNOWN)
        return found


def _of_server(
    conn: Connection, server: int | None, found: Sequence[Approval]
) -> tuple[Approval, ...]:
    """The approvals of one server's runs, or all."""
    if server is None:
        return tuple(found)
    return tuple(one for one in found if RunRepository(conn).require(one.run_id).guild_id == server)


def free_key(conn: Connection, run_id: str, name: str) -> str:
    """The key of the last request of that name; after a refusal the next one."""
    asked = ApprovalRepository(conn).of_key(run_id, name)
    refused = [approval for approval in asked if approval.status in _REFUSED]
    return f"{name}#{len(refused) + 1}"


def may_approve(asker: Asker, role_ids: tuple[int, ...]) -> bool:
    """The configured roles may approve; where none is configured, moderators may."""
    return not asker.role_ids.isdisjoint(role_ids) if role_ids else asker.may_manage


def _request(conn: Connection, wanted: NewApproval, now: float) -> Approval:
    known = ApprovalRepository(conn).find(wanted.idempotency_key)
    approval = ApprovalRepository(conn).request(wanted, Actor.ORCHESTRATOR, now)
    if known is None and wanted.gates:
        reason, waiting = ApprovalText.WAITS, Phase.AWAITING_APPROVAL
        move(conn, wanted.run_id, Phase.QUALITY_GATE, waiting, Actor.ORCHESTRATOR, reason, now)
    return approval


def _decide(
    conn: Connection,
    approval: Approval,
    decision: ApprovalStatus,
    person: str,
    note: str,
    now: float,
) -> bool:
    """Store the decision and its evidence; the orchestrator moves a run that waited for it."""
    run = RunRepository(conn).require(approval.run_id)
    if approval.gates and run.finished_at is not None:
        raise UsageError(ApprovalText.RUN_ENDED)
    if not ApprovalRepository(conn).resolve(approval.id, decision, person, note, Actor.HUMAN, now):
        return False
    granted = decision is ApprovalStatus.APPROVED
    _checkpoint(conn, approval, _GRANTED if granted else _BLOCKED, now)
    if approval.gates:
        _move_on(conn, run, decision, now)
    return True


def _move_on(conn: Connection, run: Run, decision: ApprovalStatus, now: float) -> None:
    """2.2#31: approved continues, rejected fails, requested changes send the run back to work."""
    actor, waiting, failed = Actor.ORCHESTRATOR, Phase.AWAITING_APPROVAL, AttemptStatus.FAILED
    if decision is ApprovalStatus.APPROVED:
        move(conn, run.id, waiting, Phase.READY_TO_RESUME, actor, ApprovalText.WAS_APPROVED, now)
    elif decision is ApprovalStatus.REJECTED:
        end_run(conn, run.id, failed, Phase.FAILED, ApprovalText.WAS_REJECTED, now)
    else:
        reason = ApprovalText.CHANGES_WANTED
        AttemptRepository(conn).finish(run.id, run.attempt, failed, reason, actor, now)
        move(conn, run.id, waiting, Phase.EXECUTION_READY, actor, reason, now)
        AttemptRepository(conn).start_next(run.id, actor, now)


def _checkpoint(conn: Connection, approval: Approval, kind: str, now: float) -> None:
    name = f"{kind}:{approval.idempotency_key}"
    number = events.next_number(conn, approval.run_id, EventType.ATTEMPT_CHECKPOINT, name)
    payload = {"checkpoint": kind, "id": approval.id}
    AttemptRepository(conn).checkpoint(
        approval.run_id, f"{name}#{number}", payload, Actor.APPROVER, now
    )


def _facts(conn: Connection, approval_id: str, outcome: str) -> CardFacts:
    approval = ApprovalRepository(conn).get(approval_id)
    if approval is None:
        raise UsageError(ApprovalText.NOT_STORED)
    done = events.find(conn, approval.run_id, EventType.EFFECT_DONE, approval.idempotency_key)
    return CardFacts(
        approval=approval,
        run=RunRepository(conn).require(approval.run_id),
        reviews=ReviewRepository(conn).of_attempt(approval.run_id, approval.attempt),
        artifacts=ArtifactRepository(conn).of_run(approval.run_id),
        outcome=ApprovalText.done(done["where"]) if done else outcome,
        undone=done is None and bool(outcome),
        criteria=_criteria(conn, approval.run_id),
        asked_by=_agent(conn, approval.run_id),
    )


def _agent(conn: Connection, run_id: str) -> str:
    """The line with the coordinator who held a discussion; other runs were asked for by people."""
    found = DiscussionRepository(conn).get(run_id)
    if found is None:
        return ""
    return ApprovalText.asked_by_agent(short_line(found.created_by, _CRITERION_LIMIT))


def _criteria(conn: Connection, run_id: str) -> tuple[str, ...]:
    spec = SpecRepository(conn).accepted(run_id)
    found = parse_build_spec(spec.text).acceptance_criteria if spec else ()
    return tuple(short_line(text, _CRITERION_LIMIT) for text in found)
