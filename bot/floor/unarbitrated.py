"""Turns that are not arbitrated: everybody addressed is woken, everything may be posted."""

from bot.floor.decisions import Allow, Decisions, Granted, Nothing, Opened, Wake
from bot.floor.events import Claim, Event, Human, ScheduleRound, Sending
from bot.floor.reasons import IgnoreReason
from bot.floor.state import FloorState


def let_pass(state: FloorState, event: Event) -> Decisions:
    """What happens where the arbiter is off: nothing is remembered and nothing held back."""
    match event:
        case Human():
            return _wake(state, event)
        case ScheduleRound(targets=targets):
            return (Opened(0, None), *(Wake(seat, 0, None) for seat in targets))
        case Claim(agent=agent):
            return (Granted(agent, next(state.serial), 0, None, (), (), "", open_floor=False),)
        case Sending(agent=agent, claim=claim):
            return (Allow(agent, claim),)
        case _:
            return (Nothing(IgnoreReason.SWITCHED_OFF),)


def _wake(state: FloorState, event: Human) -> Decisions:
    keys = tuple(seat.key for seat in state.seats)
    named = tuple(key for key in keys if key in event.targets)
    asked = keys if event.for_all and not event.targets else named
    if not asked:
        return (Nothing(IgnoreReason.NOT_ADDRESSED),)
    return (Opened(0, event.message_id), *(Wake(seat, 0, event.message_id) for seat in asked))
