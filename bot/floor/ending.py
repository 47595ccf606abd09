"""How an exchange ends: what is on its way is let out, unanswered questions are kept."""

from dataclasses import replace

from bot.floor.decisions import Closed, Consequence, Dropped
from bot.floor.reasons import CloseReason, Silence
from bot.floor.state import Ending, Epoch, FloorState, Kind


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
