"""From the model's text to the visible message: what may be posted, and what was posted."""

from bot.floor.decisions import Allow, Cancel, Consequence, Declined, Nothing, Reply
from bot.floor.events import AgentFailed, Observed, Output, RunStarted, Sending, Sent
from bot.floor.opening import open_at_panelist
from bot.floor.reasons import CancelReason, IgnoreReason
from bot.floor.state import Epoch, FloorState, Holding, Kind
from bot.floor.turns import decline, fail, settle
from bot.prompting.short_answers import is_no_reply

_NOTED = Nothing(IgnoreReason.NOTED)
_STALE = Nothing(IgnoreReason.STALE)


def on_run_started(
    state: FloorState, event: RunStarted, now: int, _out: list[Consequence]
) -> Reply:
    """A model call begins, or is still under way: the claim lives as long as the call does."""
    held = _held(state, event.agent, event.claim)
    if held is None or held[1].allowed:
        return _STALE
    epoch, claim = held
    claim.active_at = epoch.updated_at = now
    if claim.running:
        return Nothing(IgnoreReason.DUPLICATE)
    claim.running = True
    epoch.calls += epoch.kind is not Kind.ROUND
    return _NOTED


def on_output(state: FloorState, event: Output, now: int, _out: list[Consequence]) -> Reply:
    """The model has written: the text may be posted, or the seat passes."""
    held = _held(state, event.agent, event.claim)
    if held is None or not held[1].running or held[1].allowed:
        return _STALE
    epoch, claim = held
    if _says_nothing(event.text):
        return _pass(epoch, claim)
    claim.approved = _normalise(event.text)
    claim.active_at = epoch.updated_at = now
    return _NOTED


def on_sending(state: FloorState, event: Sending, now: int, _out: list[Consequence]) -> Reply:
    """Decide whether a text may become visible."""
    held = _held(state, event.agent, event.claim)
    reason = _objection(held, event)
    if held is None:
        return _without_claim(state, event, reason)
    epoch, claim = held
    if reason is CancelReason.NO_REPLY and not claim.allowed:
        _pass(epoch, claim)
    if reason is not None:
        return Cancel(event.agent, reason)
    claim.text, claim.allowed = event.text, True
    claim.active_at = epoch.updated_at = now
    return Allow(event.agent, claim.token)


def on_sent(state: FloorState, event: Sent, now: int, out: list[Consequence]) -> Reply:
    """The ids of our own send confirm what is visible."""
    held = _held(state, event.agent, event.claim)
    if held is None or not held[1].allowed:
        return _sent_late(state, event, now, out)
    epoch, claim = held
    fresh = _add_parts(state, claim, event.message_ids)
    if event.error is not None and not claim.message_ids:
        claim.allowed = False
        fail(epoch, event.agent)
        return _NOTED
    if claim.sent_at is None or fresh:
        claim.active_at = epoch.updated_at = now
    if event.last or event.error is not None:
        claim.sent_at = now if claim.sent_at is None else claim.sent_at
        _finish_slot(state, epoch, claim, now)
    return _NOTED


def on_observed(state: FloorState, event: Observed, now: int, _out: list[Consequence]) -> Reply:
    """A message of a bot came in: an echo of ours, or a stranger's; it only refreshes (2.2#36)."""
    if event.agent is None or not state.knows(event.agent):
        return Nothing(IgnoreReason.FOREIGN)
    claim = state.epoch.claim if state.epoch else None
    if claim is not None and claim.agent == event.agent and claim.allowed:
        return _echo(state, claim, event, now)
    return _STALE if event.message_id > state.newest_id else Nothing(IgnoreReason.DUPLICATE)


def on_failed(state: FloorState, event: AgentFailed, now: int, _out: list[Consequence]) -> Reply:
    """A seat cannot answer."""
    draining, epoch = state.draining, state.epoch
    if draining is not None and draining.token == event.claim:
        state.draining = None
        return _NOTED
    if epoch is None or not _concerns(epoch, event):
        return _STALE
    claim = epoch.claim
    if claim is not None and claim.agent == event.agent and claim.message_ids:
        claim.sent_at = now if claim.sent_at is None else claim.sent_at
        _finish_slot(state, epoch, claim, now)
    else:
        fail(epoch, event.agent)
    return _NOTED


def _normalise(text: str) -> str:
    """A text without case and layout, for telling whether another says the same."""
    return " ".join(text.casefold().split())


def _says_nothing(text: str) -> bool:
    return is_no_reply(text) or not text.strip()


def _held(state: FloorState, agent: str, token: int) -> tuple[Epoch, Holding] | None:
    epoch = state.epoch
    claim = epoch.claim if epoch else None
    if epoch is None or claim is None or claim.agent != agent or claim.token != token:
        return None
    return epoch, claim


def _pass(epoch: Epoch, claim: Holding) -> Reply:
    """NO_REPLY: a seat passes; in a round that is an empty answer and the seat failed."""
    if epoch.kind is Kind.ROUND:
        fail(epoch, claim.agent)
    else:
        decline(epoch, claim)
    return Declined(claim.agent, claim.source)


def _objection(held: tuple[Epoch, Holding] | None, event: Sending) -> CancelReason | None:
    if _says_nothing(event.text):
        return CancelReason.NO_REPLY
    return _held_objection(*held, event) if held else None


def _held_objection(epoch: Epoch, claim: Holding, event: Sending) -> CancelReason | None:
    if claim.allowed:
        return CancelReason.ALREADY_SENT
    if epoch.kind is Kind.ROUND or claim.approved == _normalise(event.text):
        return None
    return CancelReason.NOT_APPROVED


def _without_claim(state: FloorState, event: Sending, reason: CancelReason | None) -> Reply:
    """A text of a seat that does not hold the turn; who is no seat is not arbitrated."""
    if reason is not None:
        return Cancel(event.agent, reason)
    if not state.knows(event.agent):
        return Allow(event.agent, event.claim)
    return Cancel(event.agent, _why_not(state, event))


def _why_not(state: FloorState, event: Sending) -> CancelReason:
    epoch = state.epoch
    if epoch is None:
        return CancelReason.EPOCH_CLOSED if state.ending else CancelReason.NO_CLAIM
    if event.claim < epoch.id:
        return CancelReason.SUPERSEDED
    if event.agent not in epoch.targets:
        return CancelReason.NOT_A_TARGET
    return CancelReason.NOT_HOLDER


def _add_parts(state: FloorState, claim: Holding, message_ids: tuple[int, ...]) -> bool:
    fresh = [i for i in dict.fromkeys(message_ids) if i not in claim.message_ids]
    claim.message_ids.extend(fresh)
    for message_id in fresh:
        state.saw(message_id)
    return bool(fresh)


def _sent_late(state: FloorState, event: Sent, now: int, out: list[Consequence]) -> Reply:
    """A send whose exchange is over: it is known as ours, and nobody waits for it any longer."""
    newest = max(event.message_ids, default=0)
    fresh = newest > state.newest_id
    state.saw(newest)
    draining = state.draining
    if draining is None or draining.token != event.claim:
        # Between two parts nobody else may speak.
        may_open = fresh and event.last and event.text and state.knows(event.agent)
        return _from_outside(state, event, now, out) if may_open else _STALE
    draining.active_at = now
    if event.last or event.error is not None:
        state.draining = None
        state.has_spoken(event.agent)
    return _NOTED


def _finish_slot(state: FloorState, epoch: Epoch, claim: Holding, now: int) -> None:
    """A slot of a round ends with its send; nothing is left to wait for."""
    if epoch.kind is not Kind.ROUND:
        return
    if claim.message_ids:
        settle(state, epoch, claim, now)
    else:
        fail(epoch, claim.agent)


def _echo(state: FloorState, claim: Holding, event: Observed, now: int) -> Reply:
    """The holder's own message: a new part counts, a known one only shows that it lives."""
    if event.message_id in claim.message_ids:
        if claim.sent_at is None:
            claim.active_at = now
        return Nothing(IgnoreReason.DUPLICATE)
    if event.message_id <= state.newest_id:
        return _STALE
    _add_parts(state, claim, (event.message_id,))
    claim.active_at = now
    return _NOTED


def _from_outside(state: FloorState, event: Sent, now: int, out: list[Consequence]) -> Reply:
    """A panelist's message that no claim led to, such as one posted although the arbiter failed.

    It is late, and only after a while without another root is it a new one (D14).
    """
    epoch = state.epoch
    if epoch is not None and (epoch.claim or not epoch.spoken or not epoch.for_all):
        return _STALE
    if not _may_open(state):
        return _STALE
    if state.guard_until is not None and now < state.guard_until:
        return Nothing(IgnoreReason.GUARDED)
    return open_at_panelist(state, event, now, out)


def _may_open(state: FloorState) -> bool:
    """Only where every message is for all, and never past a limit that a person must lift."""
    config, epoch = state.config, state.epoch
    hops = epoch.hops if epoch else state.hops_since_person
    calls = epoch.calls if epoch else state.calls_since_person
    barred = state.silence or state.archived or state.draining or state.queue
    within = hops < config.max_bot_hops and calls < config.max_calls
    return config.open_always and within and not barred


def _concerns(epoch: Epoch, event: AgentFailed) -> bool:
    claim = epoch.claim
    if event.claim is not None:
        return claim is not None and (claim.agent, claim.token) == (event.agent, event.claim)
    return event.agent in epoch.targets and (claim is None or claim.agent != event.agent)
