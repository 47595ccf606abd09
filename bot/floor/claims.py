"""Who gets the turn: a claim is granted with all a prompt needs, or denied with a reason."""

from typing import Final

from bot.floor.decisions import Consequence, Denied, Granted, Reply
from bot.floor.events import Claim
from bot.floor.reasons import CloseReason, DenyReason, Silence
from bot.floor.state import Epoch, FloorState, Holding, Kind, Passed
from bot.floor.transcript import ANSWER_RULE, OPEN_RULE, Voice, fit
from bot.floor.turns import close

_SILENT: Final = {
    Silence.HOP_LIMIT: DenyReason.HOP_LIMIT,
    Silence.QUIET: DenyReason.QUIET,
    Silence.STOPPED: DenyReason.STOPPED,
}
_ENDED: Final = {
    CloseReason.ALL_AGENTS_DECLINED: DenyReason.ALL_DECLINED,
    CloseReason.PROMPT_BUDGET_EXCEEDED: DenyReason.PROMPT_BUDGET,
    CloseReason.CALL_BUDGET_EXHAUSTED: DenyReason.CALL_BUDGET,
}
_SPENT: Final = {
    Passed.DECLINED: DenyReason.ALREADY_DECLINED,
    Passed.SENT: DenyReason.ALREADY_SENT,
}


def on_claim(state: FloorState, event: Claim, now: int, out: list[Consequence]) -> Reply:
    """Decide on a seat's claim to the turn."""
    agent, epoch = event.agent, state.epoch
    if not state.knows(agent):
        return Denied(agent, DenyReason.UNKNOWN_AGENT)
    if epoch is None:
        return _without_epoch(state, agent, now)
    if epoch.claim is not None and epoch.claim.agent == agent:
        return _once_more(state, epoch, epoch.claim, now)
    reason = _objection(state, epoch, agent)
    return Denied(agent, reason) if reason else _grant(state, epoch, agent, now, out)


def _without_epoch(state: FloorState, agent: str, now: int) -> Reply:
    """Nothing was asked: the first seat may speak once, unless something keeps it silent."""
    reason = _why_closed(state)
    if reason is not None:
        return Denied(agent, reason)
    epoch = Epoch(next(state.serial), Kind.ALLOWANCE, (agent,), now)
    state.epoch = epoch
    return _hold(state, epoch, agent, now)


def _why_closed(state: FloorState) -> DenyReason | None:
    if state.archived:
        return DenyReason.ARCHIVED
    if state.silence is not None:
        return _SILENT[state.silence]
    if state.ending is not None:
        return _ENDED.get(state.ending.reason, DenyReason.EPOCH_CLOSED)
    return DenyReason.HELD if state.draining else None


def _objection(state: FloorState, epoch: Epoch, agent: str) -> DenyReason | None:
    """Why this seat may not take the turn now."""
    if epoch.kind is Kind.ALLOWANCE:
        return DenyReason.ALLOWANCE_TAKEN
    if agent not in epoch.targets:
        return DenyReason.NOT_A_TARGET
    reason = _round_objection(epoch, agent) or _talk_objection(epoch, agent)
    if reason is not None:
        return reason
    return DenyReason.HELD if epoch.claim or state.draining else None


def _round_objection(epoch: Epoch, agent: str) -> DenyReason | None:
    if epoch.kind is not Kind.ROUND or agent in epoch.eligible():
        return None
    return DenyReason.NOT_YOUR_SLOT if agent in epoch.slots else DenyReason.NOT_ELIGIBLE


def _talk_objection(epoch: Epoch, agent: str) -> DenyReason | None:
    latest = epoch.latest
    if latest is not None and latest.voice is Voice.PANELIST and latest.agent == agent:
        return DenyReason.OWN_MESSAGE
    if agent not in epoch.eligible():
        return DenyReason.NOT_ELIGIBLE
    return _SPENT.get(epoch.passed[agent]) if agent in epoch.passed else None


def _once_more(state: FloorState, epoch: Epoch, claim: Holding, now: int) -> Reply:
    """The holder asks again: it keeps its claim."""
    if claim.allowed:
        return Denied(claim.agent, DenyReason.SENDING)
    claim.active_at = epoch.updated_at = now
    return _granted(state, epoch, claim)


def _grant(state: FloorState, epoch: Epoch, agent: str, now: int, out: list[Consequence]) -> Reply:
    if epoch.kind is Kind.CONVERSATION and not _fits(state, epoch):
        close(state, CloseReason.PROMPT_BUDGET_EXCEEDED, now, out)
        return Denied(agent, DenyReason.PROMPT_BUDGET)
    return _hold(state, epoch, agent, now)


def _fits(state: FloorState, epoch: Epoch) -> bool:
    """Whether the transcript fits, after its oldest lines were dropped where that is wanted."""
    limit = state.config.max_prompt_chars
    shorter = fit(epoch.lines, _eligible_names(state, epoch), _rule(epoch), limit)
    if shorter is not None and state.config.trim_prompt:
        epoch.lines = list(shorter)
        return True
    return shorter is None


def _hold(state: FloorState, epoch: Epoch, agent: str, now: int) -> Granted:
    epoch.claim = Holding(next(state.serial), agent, epoch.source, now)
    epoch.woken = None
    epoch.updated_at = now
    return _granted(state, epoch, epoch.claim)


def _granted(state: FloorState, epoch: Epoch, claim: Holding) -> Granted:
    return Granted(
        agent=claim.agent,
        claim=claim.token,
        epoch=epoch.id,
        source=claim.source,
        transcript=tuple(epoch.lines),
        eligible=_eligible_names(state, epoch),
        rule=_rule(epoch),
        open_floor=epoch.for_all,
    )


def _eligible_names(state: FloorState, epoch: Epoch) -> tuple[str, ...]:
    return tuple(state.name_of(seat) for seat in epoch.eligible())


def _rule(epoch: Epoch) -> str:
    return OPEN_RULE if epoch.for_all else ANSWER_RULE
