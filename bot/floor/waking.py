"""Who comes next: after every event either somebody is awake or the exchange has ended."""

from bot.floor.decisions import (
    UNARBITRATED,
    Allow,
    Closed,
    Consequence,
    Decisions,
    Granted,
    Nothing,
    Opened,
    Wake,
)
from bot.floor.events import Claim, Event, Human, Quiet, Sending, Stop
from bot.floor.opening import open_question
from bot.floor.reasons import CloseReason, IgnoreReason
from bot.floor.state import OUT_OF_THE_RUNNING, Epoch, FloorState, Kind, Passed
from bot.floor.turns import close, forget_allowance


def let_pass(state: FloorState, event: Event) -> Decisions:
    """What happens where the arbiter is off: nothing is remembered and nothing held back.

    What a person asks for is no arbitration, so a stop ends what is under way all the same.
    """
    match event:
        case Human():
            return _wake(state, event)
        case Claim(agent=agent):
            claim = next(state.serial)
            return (Granted(agent, claim, UNARBITRATED, None, (), (), "", open_floor=False),)
        case Sending(agent=agent, claim=claim):
            return (Allow(agent, claim),)
        case Stop():
            return (Nothing(IgnoreReason.NOTED), Closed(UNARBITRATED, CloseReason.STOPPED))
        case Quiet():
            return (Nothing(IgnoreReason.NOTED), Closed(UNARBITRATED, CloseReason.QUIET))
        case _:
            return (Nothing(IgnoreReason.SWITCHED_OFF),)


def _wake(state: FloorState, event: Human) -> Decisions:
    keys = tuple(seat.key for seat in state.seats)
    named = tuple(key for key in keys if key in event.targets)
    asked = keys if event.for_all and not event.targets else named
    if not asked:
        return (Nothing(IgnoreReason.NOT_ADDRESSED),)
    source = event.message_id
    return (Opened(UNARBITRATED, source), *(Wake(seat, UNARBITRATED, source) for seat in asked))


def advance(state: FloorState, now: int, out: list[Consequence]) -> None:
    """Move on as far as possible without anybody doing anything."""
    while not _at_rest(state, now, out):
        pass


def still_holds(state: FloorState, decision: Consequence) -> bool:
    """Whether a consequence survived the event itself: a wake may be outdated by it."""
    if not isinstance(decision, Wake):
        return True
    epoch = state.epoch
    if epoch is None or epoch.id != decision.epoch or epoch.claim is not None:
        return False
    return epoch.woken == decision.agent or epoch.kind is Kind.ROUND


def _at_rest(state: FloorState, now: int, out: list[Consequence]) -> bool:
    """One step; True when only an event or time can move the floor further."""
    epoch = state.epoch
    if epoch is None:
        return not _open_next(state, now)
    if epoch.claim is not None or state.draining is not None:
        return True
    if epoch.kind is Kind.ROUND:
        return _wake_round(epoch, out)
    if (reason := _due_to_close(state, epoch)) is not None:
        close(state, reason, now, out)
        return False
    if epoch.kind is Kind.ALLOWANCE:
        forget_allowance(state, now, out)
        return False
    return epoch.woken is not None or _wake_next(state, epoch, now, out)


def _open_next(state: FloorState, now: int) -> bool:
    """Take up the question that waits for longest."""
    if not state.queue:
        return False
    question, *rest = state.queue
    state.queue = tuple(rest)
    open_question(state, question, now)
    return True


def _wake_round(epoch: Epoch, out: list[Consequence]) -> bool:
    if epoch.wake_due:
        epoch.wake_due = False
        out.extend(Wake(seat, epoch.id, None) for seat in epoch.eligible())
    return True


def _due_to_close(state: FloorState, epoch: Epoch) -> CloseReason | None:
    """The reason to end an exchange in which nobody holds the turn, if there is one."""
    if epoch.kind is Kind.ALLOWANCE:
        return _allowance_over(epoch)
    eligible = epoch.eligible()
    if not epoch.for_all and not eligible:
        return CloseReason.ANSWERED
    if epoch.hops >= state.config.max_bot_hops:
        return CloseReason.MAX_BOT_HOPS
    if epoch.spoken and epoch.for_all and state.queue:
        return CloseReason.SUPERSEDED
    if all(epoch.passed.get(seat) in OUT_OF_THE_RUNNING for seat in eligible):
        return _nobody_left(epoch, eligible)
    return CloseReason.CALL_BUDGET_EXHAUSTED if epoch.calls >= state.config.max_calls else None


def _allowance_over(epoch: Epoch) -> CloseReason | None:
    if epoch.spoken:
        return CloseReason.ANSWERED
    sent = Passed.SENT in epoch.passed.values()
    return CloseReason.NO_VISIBLE_CONFIRMATION if sent else None


def _nobody_left(epoch: Epoch, eligible: tuple[str, ...]) -> CloseReason:
    if eligible and all(epoch.passed[seat] is Passed.DECLINED for seat in eligible):
        return CloseReason.ALL_AGENTS_DECLINED
    return CloseReason.ANSWERED if not eligible and epoch.spoken else CloseReason.NO_AGENT_LEFT


def _wake_next(state: FloorState, epoch: Epoch, now: int, out: list[Consequence]) -> bool:
    """Wake the seat that is silent for longest; one whose lease ran out comes last."""
    eligible = [
        seat for seat in epoch.eligible() if epoch.passed.get(seat) not in OUT_OF_THE_RUNNING
    ]
    epoch.woken = min(eligible, key=lambda seat: (seat in epoch.passed, state.order.index(seat)))
    epoch.woken_at = now
    out.append(Wake(epoch.woken, epoch.id, epoch.source))
    return True
