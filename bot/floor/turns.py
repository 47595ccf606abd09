"""How a turn ends: it settles, is declined, fails, or its lease runs out."""

from dataclasses import replace

from bot.floor.config import ROUND_IDLE_MS
from bot.floor.decisions import Closed, Consequence, Dropped
from bot.floor.reasons import CloseReason, Silence
from bot.floor.state import Ending, Epoch, FloorState, Holding, Kind, Passed
from bot.floor.transcript import TranscriptLine, Voice


def close(
    state: FloorState,
    reason: CloseReason,
    now: int,
    out: list[Consequence],
    *,
    keep_question: bool = False,
) -> None:
    """End the open exchange, if there is one."""
    epoch = state.epoch
    if epoch is None:
        return
    requeued = keep_question and _put_back(state, epoch)
    _let_out(state, epoch)
    state.epoch = None
    if epoch.kind is not Kind.ROUND:
        state.hops_since_person, state.calls_since_person = epoch.hops, epoch.calls
    state.ending = Ending(reason, now)
    if reason is CloseReason.MAX_BOT_HOPS:
        state.silence = Silence.HOP_LIMIT
    out.append(_closed(epoch, reason, requeued=requeued))


def forget_allowance(state: FloorState, now: int, out: list[Consequence]) -> None:
    """An allowance that was never used ends without a trace."""
    close(state, CloseReason.NO_AGENT_LEFT, now, out)
    state.ending = None


def drop_queue(state: FloorState, reason: CloseReason, out: list[Consequence]) -> None:
    """Give up every waiting question."""
    if state.queue:
        ids = tuple(i for question in state.queue for i in question.message_ids)
        state.queue = ()
        out.append(Dropped(ids, reason))


def _put_back(state: FloorState, epoch: Epoch) -> bool:
    """Let the seats that did not come to answer be asked again, first of all that wait."""
    left = epoch.still_asked()
    if epoch.question is None or not left:
        return False
    question = replace(epoch.question, targets=left, calls=epoch.calls)
    state.queue = (question, *state.queue)
    return True


def _let_out(state: FloorState, epoch: Epoch) -> None:
    if epoch.claim is not None and epoch.claim.in_flight:
        state.draining = epoch.claim


def _closed(epoch: Epoch, reason: CloseReason, *, requeued: bool) -> Closed:
    asked = epoch.question.message_ids if epoch.question else ()
    answered = bool(epoch.spoken) or epoch.kind is Kind.ROUND
    return Closed(epoch.id, reason, asked, answered, requeued)


def decline(epoch: Epoch, claim: Holding) -> None:
    """The seat passes on the message it was given; a newer one it may still answer."""
    if claim.source is not None and claim.source == epoch.source:
        epoch.passed[claim.agent] = Passed.DECLINED
    epoch.claim = None


def fail(epoch: Epoch, agent: str) -> None:
    """The seat cannot answer: the next one comes, or the next slot of the round."""
    claim = epoch.claim
    if claim is not None and claim.agent == agent:
        _give_up(epoch, claim, Passed.FAILED)
    elif epoch.passed.get(agent) not in {Passed.DECLINED, Passed.SENT}:
        epoch.passed[agent] = Passed.FAILED
    if epoch.woken == agent:
        epoch.woken = None
    if agent in epoch.slots:
        epoch.wake_due = epoch.wake_due or agent in epoch.eligible()
        epoch.slots.remove(agent)


def settle(state: FloorState, epoch: Epoch, claim: Holding, now: int) -> None:
    """The whole answer is visible: it is one turn and one hop, and the baton moves."""
    epoch.claim = None
    epoch.updated_at = now
    epoch.spoken.add(claim.agent)
    state.has_spoken(claim.agent)
    state.guard(now)
    if epoch.kind is Kind.ROUND:
        epoch.slots.remove(claim.agent)
        epoch.wake_due = True
        return
    epoch.hops += 1
    epoch.passed.clear()
    name, ids = state.name_of(claim.agent), tuple(claim.message_ids)
    epoch.lines.append(TranscriptLine(Voice.PANELIST, name, ids, claim.text, claim.agent))


def pass_time(state: FloorState, now: int, out: list[Consequence]) -> None:
    """Everything that is due at this moment."""
    if state.draining is not None and now >= state.draining.ends_at(state.config):
        state.draining = None
    if state.epoch is not None:
        _end_claim(state, state.epoch, now)
        _end_wake(state, state.epoch, now)
        if _is_stale(state, state.epoch, now):
            close(state, CloseReason.IDLE_TIMEOUT, now, out)
    if state.ending is not None and now - state.ending.at > state.config.epoch_idle_ms:
        state.ending = None


def deadlines(state: FloorState) -> list[int]:
    """The moments at which time alone changes something."""
    found = []
    epoch = state.epoch
    if state.draining is not None:
        found.append(state.draining.ends_at(state.config))
    if epoch is None:
        return found
    if epoch.claim is not None:
        found.append(epoch.claim.ends_at(state.config))
    elif state.draining is None:
        found.append(epoch.updated_at + _idle_ms(state, epoch) + 1)
    if epoch.woken is not None:
        found.append(epoch.woken_at + state.config.lease_ms + 1)
    return found


def _end_claim(state: FloorState, epoch: Epoch, now: int) -> None:
    claim = epoch.claim
    if claim is None or now < claim.ends_at(state.config):
        return
    epoch.updated_at = claim.ends_at(state.config)
    if claim.message_ids:
        settle(state, epoch, claim, now)
    elif epoch.kind is Kind.ROUND:
        fail(epoch, claim.agent)
    else:
        _give_up(epoch, claim, _run_out(epoch, claim.agent))


def _end_wake(state: FloorState, epoch: Epoch, now: int) -> None:
    """A seat that was woken and does not come has let its chance pass."""
    if epoch.woken is not None and now - epoch.woken_at > state.config.lease_ms:
        epoch.passed[epoch.woken] = _run_out(epoch, epoch.woken)
        epoch.woken = None


def _run_out(epoch: Epoch, agent: str) -> Passed:
    """No decline: the seat may claim again, and is woken once more after the others."""
    return Passed.EXPIRED if agent in epoch.passed else Passed.EXPIRED_ONCE


def _give_up(epoch: Epoch, claim: Holding, outcome: Passed) -> None:
    """End a claim; an answer that was on its way may yet be seen, so it counts as a hop."""
    epoch.claim = None
    epoch.hops += claim.in_flight
    epoch.passed[claim.agent] = Passed.SENT if claim.allowed else outcome


def _is_stale(state: FloorState, epoch: Epoch, now: int) -> bool:
    busy = epoch.claim is not None or state.draining is not None
    return not busy and now - epoch.updated_at > _idle_ms(state, epoch)


def _idle_ms(state: FloorState, epoch: Epoch) -> int:
    idle = state.config.epoch_idle_ms
    return max(idle, ROUND_IDLE_MS) if epoch.kind is Kind.ROUND else idle
