"""One floor per thread: events in, decisions out, and the clock comes with every event."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from bot.floor import claims, opening, sends
from bot.floor.config import FloorConfig
from bot.floor.decisions import (
    UNARBITRATED,
    Allow,
    Cancel,
    Consequence,
    Decision,
    Decisions,
    Dropped,
    Faulted,
    Nothing,
    Opened,
    Reply,
    Wake,
    sentence,
)
from bot.floor.events import (
    AgentFailed,
    Archived,
    Claim,
    Edited,
    Event,
    Human,
    Observed,
    Output,
    Quiet,
    Reopened,
    RoundDone,
    RunStarted,
    ScheduleRound,
    Sending,
    Sent,
    Stop,
    Tick,
)
from bot.floor.reasons import CancelReason, CloseReason, IgnoreReason, Silence
from bot.floor.state import FloorSeat, FloorState, Kind
from bot.floor.turns import deadlines, pass_time
from bot.floor.waking import advance, let_pass, still_holds
from bot.prompting.short_answers import is_no_reply

_Trace = Callable[[str], None]


def _on_tick(_state: FloorState, _event: Tick, _now: int, _out: list[Consequence]) -> Reply:
    return Nothing(IgnoreReason.NOTED)


_HANDLERS: Final[Mapping[type[Any], Callable[..., Reply]]] = {
    Human: opening.on_human,
    Edited: opening.on_edited,
    Claim: claims.on_claim,
    RunStarted: sends.on_run_started,
    Output: sends.on_output,
    Sending: sends.on_sending,
    Sent: sends.on_sent,
    Observed: sends.on_observed,
    AgentFailed: sends.on_failed,
    Quiet: opening.on_quiet,
    Stop: opening.on_stop,
    Tick: _on_tick,
    ScheduleRound: opening.on_schedule,
    RoundDone: opening.on_round_done,
    Archived: opening.on_archived,
    Reopened: opening.on_reopened,
}


class Floor:
    """Who may speak now in one thread."""

    __slots__ = ("_fault", "_skew", "_state", "_time", "lost_round", "trace")

    def __init__(
        self,
        config: FloorConfig,
        seats: tuple[FloorSeat, ...],
        serial: Iterator[int] | None = None,
        silence: Silence | None = None,
        trace: _Trace | None = None,
    ) -> None:
        self._state = FloorState(
            config, seats, serial or itertools.count(1), tuple(seat.key for seat in seats)
        )
        self._state.silence = silence
        self.trace = trace
        self._time: int | None = None
        self._skew = 0
        self._fault = ""
        self.lost_round = False
        """Whether it failed since a round began: that round no longer has the floor (D18)."""

    def handle(self, event: Event, now: int) -> Decisions:
        """Decide: the reply to the event comes first, then what follows, in its order."""
        try:
            decisions = self._decide(event, self._steady(now))
            self._note(event, decisions)
        except Exception as error:  # whatever it is, people's messages must not be lost in it
            return self._after_fault(event, error)
        if isinstance(event, ScheduleRound):
            self.lost_round = False
        return self._forgiving(event, decisions)

    def next_deadline(self, now: int) -> int | None:
        """When to send a Tick if nothing else happens first; None when time changes nothing."""
        steady = self._steady(now)
        due = min(deadlines(self._state), default=None)
        return None if due is None else max(due, steady) - self._skew

    def is_idle(self, now: int) -> bool:
        """Whether the floor may be forgotten, apart from its silence."""
        state, steady = self._state, self._steady(now)
        if state.epoch is not None or state.draining is not None or state.queue:
            return False
        idle_ms = state.config.epoch_idle_ms
        ended = state.ending is None or steady - state.ending.at > idle_ms
        return ended and (state.guard_until is None or steady >= state.guard_until)

    @property
    def silence(self) -> Silence | None:
        """What keeps the panel silent until a person speaks."""
        return self._state.silence

    @property
    def seats(self) -> tuple[FloorSeat, ...]:
        """Who sits here."""
        return self._state.seats

    @property
    def config(self) -> FloorConfig:
        """The settings in force."""
        return self._state.config

    @property
    def holder(self) -> str | None:
        """The seat that has the turn."""
        epoch = self._state.epoch
        return epoch.claim.agent if epoch is not None and epoch.claim is not None else None

    @property
    def is_round(self) -> bool:
        """Whether a scheduled round has the floor."""
        return self._state.epoch is not None and self._state.epoch.kind is Kind.ROUND

    @property
    def asked(self) -> tuple[int, ...]:
        """The people's messages the open exchange is about."""
        epoch = self._state.epoch
        return epoch.question.message_ids if epoch is not None and epoch.question else ()

    @property
    def waiting(self) -> tuple[int, ...]:
        """The people's messages that wait for their turn."""
        return tuple(i for question in self._state.queue for i in question.message_ids)

    def arrange(self, config: FloorConfig, seats: tuple[FloorSeat, ...]) -> None:
        """Take over changed settings and seats; nobody leaves who is asked or speaks."""
        state = self._state
        state.config = config
        if seats != self.seats:
            keys = tuple(seat.key for seat in seats)
            kept = tuple(key for key in state.order if key in keys)
            state.order = (*(key for key in keys if key not in kept), *kept)
            state.seats = seats

    def _steady(self, now: int) -> int:
        """A clock that never goes back: a backward jump counts as no time at all."""
        if self._time is not None and now + self._skew < self._time:
            self._skew = self._time - now
        self._time = now + self._skew
        return self._time

    def _decide(self, event: Event, now: int) -> Decisions:
        if not self.config.enabled:
            return let_pass(self._state, event)
        out: list[Consequence] = []
        pass_time(self._state, now, out)
        advance(self._state, now, out)
        reply = _HANDLERS[type(event)](self._state, event, now, out)
        advance(self._state, now, out)
        return (reply, *[one for one in out if still_holds(self._state, one)])

    def _note(self, event: Event, decisions: tuple[Decision, ...]) -> None:
        if self.config.debug and self.trace is not None:
            for decision in decisions:
                self.trace(sentence(event, decision))

    def _start_afresh(self) -> None:
        state = self._state
        state.epoch = state.draining = state.ending = None
        state.queue = ()

    def _after_fault(self, event: Event, error: Exception) -> Decisions:
        """Fail open means: post anyway and say so; never drop anything silently."""
        fail_open, lost = self.config.fail_open, self.waiting
        if not fail_open:
            lost = tuple(dict.fromkeys((*self.asked, *lost, *_question_in(event))))
        self._start_afresh()
        self.lost_round = True
        self._fault = fault = f"{type(error).__name__}: {error}"
        dropped = (Dropped(lost, CloseReason.ARBITER_FAILED),) if lost else ()
        if isinstance(event, Sending):
            return (self._send_anyway(event, fault), *dropped)
        if isinstance(event, Human) and fail_open:
            seats = tuple(seat.key for seat in self.seats)
            asked = seats[:1] if event.for_all else event.targets
            woken = (Wake(seat, UNARBITRATED, event.message_id) for seat in asked)
            return (Faulted(fault), *woken, *dropped)
        return (Faulted(fault), *dropped)

    def _forgiving(self, event: Event, decisions: Decisions) -> Decisions:
        """An answer whose claim was lost in a fault is posted, too, until a new exchange opens."""
        if not self._fault:
            return decisions
        if isinstance(decisions[0], Opened):
            self._fault = ""
        elif isinstance(event, Sending) and decisions[0] == _unclaimed(event):
            return (self._send_anyway(event, self._fault),)
        return decisions

    def _send_anyway(self, event: Sending, fault: str) -> Reply:
        if is_no_reply(event.text):
            return Cancel(event.agent, CancelReason.NO_REPLY)
        if self.config.fail_open:
            return Allow(event.agent, event.claim, fault)
        return Cancel(event.agent, CancelReason.ARBITER_ERROR)


def _unclaimed(event: Sending) -> Cancel:
    return Cancel(event.agent, CancelReason.NO_CLAIM)


def _question_in(event: Event) -> tuple[int, ...]:
    if isinstance(event, Human) and (event.for_all or event.targets):
        return (event.message_id,)
    return ()


class FloorRegistry:
    """Floors by thread id: made when first needed, forgotten when idle."""

    def __init__(self, trace: Callable[[int, str], None] | None = None) -> None:
        self._floors: dict[int, Floor] = {}
        self._silent: dict[int, Silence] = {}
        self._serial = itertools.count(1)
        self._trace = trace

    def __len__(self) -> int:
        return len(self._floors)

    def floor(self, thread_id: int, config: FloorConfig, seats: tuple[FloorSeat, ...]) -> Floor:
        """The thread's floor under these settings and with these seats."""
        found = self._floors.get(thread_id)
        if found is None:
            found = self._make(thread_id, config, seats)
        found.arrange(config, seats)
        found.trace = self._trace_of(thread_id) if config.debug else None
        return found

    def get(self, thread_id: int) -> Floor | None:
        """The thread's floor if it is awake."""
        return self._floors.get(thread_id)

    def drop(self, thread_id: int) -> None:
        """Forget everything about a thread, as when it was deleted."""
        self._floors.pop(thread_id, None)
        self._silent.pop(thread_id, None)

    def forget_idle(self, now: int) -> int:
        """Forget the floors on which nothing is open; only a silence is kept."""
        idle = [thread_id for thread_id, floor in self._floors.items() if floor.is_idle(now)]
        for thread_id in idle:
            silence = self._floors.pop(thread_id).silence
            if silence is not None:
                self._silent[thread_id] = silence
        return len(idle)

    def _make(self, thread_id: int, config: FloorConfig, seats: tuple[FloorSeat, ...]) -> Floor:
        silence = self._silent.pop(thread_id, None)
        floor = Floor(config, seats, self._serial, silence)
        self._floors[thread_id] = floor
        return floor

    def _trace_of(self, thread_id: int) -> Callable[[str], None] | None:
        trace = self._trace
        if trace is None:
            return None
        return lambda text: trace(thread_id, text)
