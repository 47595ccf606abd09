"""Drives one thread's floor: reports events, carries out its decisions, runs its timers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from bot.floor import (
    UNARBITRATED,
    AgentFailed,
    Allow,
    Cancel,
    CancelReason,
    Claim,
    Closed,
    CloseReason,
    Decision,
    Declined,
    Dropped,
    Event,
    Faulted,
    Floor,
    Granted,
    Human,
    Output,
    RunStarted,
    Sending,
    Sent,
    Tick,
    TranscriptLine,
    Voice,
    Wake,
)
from bot.floor.config import RUNNING_LEASE_MS
from bot.messages.talk import TalkText
from bot.threads.turn import PanelistPort, SpokenTurn, Turn, TurnFailedError

_log = logging.getLogger(__name__)
_BY_PEOPLE: Final = frozenset({CloseReason.STOPPED, CloseReason.QUIET})


class Timer(Protocol):
    """A scheduled call that can be cancelled."""

    def cancel(self) -> None:
        """Cancel the call."""
        ...


class Clock(Protocol):
    """Milliseconds that never go back."""

    def now(self) -> int:
        """The time in milliseconds."""
        ...

    def call_later(self, milliseconds: int, action: Callable[[], None]) -> Timer:
        """Call an action after so many milliseconds."""
        ...


class LoopClock:
    """The event loop's time; a pace above 1 makes it pass faster."""

    def __init__(self, pace: float = 1.0) -> None:
        self._pace = pace

    def now(self) -> int:
        """The time in milliseconds."""
        return int(asyncio.get_running_loop().time() * 1000 * self._pace)

    def call_later(self, milliseconds: int, action: Callable[[], None]) -> Timer:
        """Call an action after so many milliseconds."""
        seconds = milliseconds / 1000 / self._pace
        return asyncio.get_running_loop().call_later(seconds, action)


class _NotShownError(Exception):
    """An answer could not be posted; the reason is recorded."""


@dataclass(slots=True, eq=False)
class _Speaking:
    """A seat working on its turn; a post in progress is never interrupted."""

    epoch: int
    asked: Human | None
    posting: bool = False


class ThreadDriver:
    """The driver of one thread, for as long as something happens in it."""

    def __init__(
        self,
        thread_id: int,
        floor: Floor,
        clock: Clock,
        panelists: Callable[[], PanelistPort],
        on_rest: Callable[[int], None],
    ) -> None:
        self.floor = floor
        self.thread_id = thread_id
        self._clock = clock
        self._panelists = panelists
        self._on_rest = on_rest
        self._timer: Timer | None = None
        self._due = 0
        """When the timer goes off."""
        self._speaking: dict[asyncio.Task[None], _Speaking] = {}
        self._chores: set[asyncio.Task[None]] = set()
        self._failures: dict[int, list[str]] = {}
        self._answered: set[int] = set()
        """Questions without an exchange that one of several seats has answered."""
        self._changed = asyncio.Event()
        self._closed = False

    def tell(self, event: Event) -> Decision:
        """Report what happened, act on what follows, and return the reply to the event."""
        reply, *consequences = self.floor.handle(event, self._clock.now())
        if isinstance(reply, Faulted):
            _log.error("the floor of thread %s failed: %s", self.thread_id, reply.error)
        if isinstance(reply, Allow) and reply.fault:
            _log.error("posted even though the floor of %s failed: %s", self.thread_id, reply.fault)
        if _lost_its_place(reply):
            self._changed.set()
        asked = event if isinstance(event, Human) else None
        for consequence in consequences:
            self._act(consequence, asked)
        self._keep_time()
        return reply

    @property
    def at_rest(self) -> bool:
        """Whether this thread is idle until an outside event."""
        busy = self._speaking or self._chores or self._timer
        return not busy and not self.floor.is_round

    async def change(self) -> None:
        """Wait for a wake-up or a fault; for seats of a round that cannot have the turn yet."""
        self._changed.clear()
        await self._changed.wait()

    async def post(
        self, seat: str, claim: int, post: Callable[[], Awaitable[tuple[int, ...]]], text: str = ""
    ) -> tuple[int, ...]:
        """Post what was allowed under a claim, keep the claim alive meanwhile, and report it.

        With the text, others may react to what was posted without a claim.
        """
        beat = self._keep_alive(seat, claim)
        try:
            ids = await post()
        except BaseException as error:
            self.tell(Sent(seat, claim, error=type(error).__name__))
            raise
        finally:
            beat.cancel()
        self.tell(Sent(seat, claim, ids, text=text))
        return ids

    async def close(self) -> None:
        """Stop without changing anything in the store."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        tasks = [*self._speaking, *self._chores]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _act(self, decision: Decision, asked: Human | None) -> None:
        if self._closed:
            return
        match decision:
            case Wake():
                self._changed.set()
                if not self.floor.is_round:
                    self._wake(decision, asked)
            case Closed():
                self._end(decision)
            case Dropped():
                self._do(self._panelists().abandon(self.thread_id, decision))

    def _wake(self, wake: Wake, asked: Human | None) -> None:
        speaking = _Speaking(wake.epoch, asked)
        task = asyncio.create_task(self._take_turn(wake.agent, speaking))
        self._speaking[task] = speaking
        task.add_done_callback(self._spoke)

    def _spoke(self, task: "asyncio.Task[None]") -> None:
        self._speaking.pop(task)
        self._rest()

    def _end(self, closed: Closed) -> None:
        """Cancel model calls whose answers can no longer be posted."""
        failures = tuple(self._failures.pop(closed.epoch, ()))
        if closed.requeued:
            return
        asked = closed.asked
        for task, speaking in self._speaking.items():
            idle = not speaking.posting and task is not asyncio.current_task()
            if idle and _is_over(speaking, closed):
                task.cancel()
                # Without an exchange nobody else knows whose question is cut off.
                if speaking.epoch == UNARBITRATED and speaking.asked:
                    asked += (speaking.asked.message_id,)
        carried = set(self.floor.asked)
        over = replace(closed, asked=tuple(i for i in dict.fromkeys(asked) if i not in carried))
        self._close(over, failures)

    def _close(self, over: Closed, failures: tuple[str, ...]) -> None:
        if over.asked:
            self._do(self._panelists().close(self.thread_id, over, failures))

    async def _take_turn(self, seat: str, speaking: _Speaking) -> None:
        grant = self.tell(Claim(seat))
        if not isinstance(grant, Granted):
            _log.info("%s was woken but got no turn: %s", seat, grant)
            return
        lines = grant.transcript or _lines_of(speaking.asked)
        if not lines:
            return
        under_way = RunStarted(seat, grant.claim)
        self.tell(under_way)
        turn = Turn(self.thread_id, seat, lines, grant.open_floor)
        try:
            said = await self._think(turn, under_way)
        except Exception as error:
            answered = False
            self._note_failure(speaking, error)
            self.tell(AgentFailed(seat, grant.claim, type(error).__name__))
        else:
            answered = await self._say(turn, said, grant.claim, speaking)
        if speaking.epoch == UNARBITRATED:
            self._end_unarbitrated(turn, speaking, answered=answered)

    async def _think(self, turn: Turn, under_way: RunStarted) -> SpokenTurn:
        """Let the seat answer; its call has its own deadline, so the claim is kept alive."""
        beat = _Beat(self._clock, RUNNING_LEASE_MS // 3, lambda: self.tell(under_way))
        try:
            return await self._panelists().think(turn)
        finally:
            beat.cancel()

    async def _say(self, turn: Turn, said: SpokenTurn, claim: int, speaking: _Speaking) -> bool:
        """Post an answer if the floor lets it out; False when nothing became visible."""
        heard = self.tell(Output(turn.seat, claim, said.text))
        if isinstance(heard, Declined):
            return False
        leave = self.tell(Sending(turn.seat, claim, said.text))
        if isinstance(leave, Cancel):
            _log.info("%s in thread %s: %s", turn.seat, turn.thread_id, leave.reason)
            return False
        speaking.posting = True
        return await self._show(turn, said, claim, speaking)

    async def _show(self, turn: Turn, said: SpokenTurn, claim: int, speaking: _Speaking) -> bool:
        async def show() -> tuple[int, ...]:
            try:
                return await self._panelists().show(turn, said)
            except Exception as error:
                # Recorded before the floor is informed, because that may end the exchange at once.
                self._note_failure(speaking, error)
                raise _NotShownError from error

        try:
            await self.post(turn.seat, claim, show, said.text)
        except _NotShownError:
            return False
        self._do(self._panelists().after(turn, said))
        return True

    def _note_failure(self, speaking: _Speaking, error: Exception) -> None:
        reason = str(error)
        if not isinstance(error, TurnFailedError):
            _log.error("a panelist's turn in thread %s failed", self.thread_id, exc_info=error)
            reason = TalkText.BROKEN
        self._failures.setdefault(speaking.epoch, []).append(reason)

    def _end_unarbitrated(self, turn: Turn, speaking: _Speaking, *, answered: bool) -> None:
        """A question is over when the last seat that it woke has ended."""
        asked = speaking.asked.message_id if speaking.asked else turn.source
        if answered:
            self._answered.add(asked)
        left = (one for one in self._speaking.values() if one is not speaking)
        if speaking.asked and any(one.asked == speaking.asked for one in left):
            return
        answered = asked in self._answered
        self._answered.discard(asked)
        reason = CloseReason.ANSWERED if answered else CloseReason.NO_AGENT_LEFT
        failures = tuple(self._failures.pop(UNARBITRATED, ()))
        self._close(Closed(UNARBITRATED, reason, (asked,), answered), failures)

    def _keep_alive(self, seat: str, claim: int) -> Timer:
        """Keep the claim alive, because a post may wait for Discord longer than its lease."""
        return _Beat(
            self._clock,
            self.floor.config.lease_ms // 3,
            lambda: self.tell(Sent(seat, claim, last=False)),
        )

    def _keep_time(self) -> None:
        now = self._clock.now()
        due = self.floor.next_deadline(now)
        if self._timer is not None:
            if due is not None and due >= self._due and not self._closed:
                return  # the timer fires early enough, and then checks again
            self._timer.cancel()
            self._timer = None
        if due is not None and not self._closed:
            self._timer, self._due = self._clock.call_later(max(1, due - now), self._tick), due
        else:
            self._rest()

    def _tick(self) -> None:
        self._timer = None
        self.tell(Tick())

    def _do(self, chore: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(chore))
        self._chores.add(task)
        task.add_done_callback(self._done)

    async def _guarded(self, chore: Coroutine[Any, Any, None]) -> None:
        try:
            await chore
        except Exception:
            _log.exception("the end of an exchange in thread %s was not stored", self.thread_id)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._chores.discard(task)
        self._rest()

    def _rest(self) -> None:
        if self.at_rest:
            self._on_rest(self.thread_id)


def _is_over(speaking: _Speaking, closed: Closed) -> bool:
    """Whether a turn ends with an exchange; people also end one that began without any."""
    alone = speaking.epoch == UNARBITRATED
    return speaking.epoch == closed.epoch or (alone and closed.reason in _BY_PEOPLE)


def _lost_its_place(reply: Decision) -> bool:
    """Whether the floor failed and began afresh: nothing else would end a wait for a turn."""
    match reply:
        case Faulted() | Cancel(reason=CancelReason.ARBITER_ERROR):
            return True
        case Allow(fault=fault):
            return bool(fault)
    return False


class _Beat:
    """Repeats an action until it is cancelled."""

    def __init__(self, clock: Clock, every_ms: int, action: Callable[[], object]) -> None:
        self._clock = clock
        self._every = every_ms
        self._action = action
        self._timer = clock.call_later(every_ms, self._strike)

    def cancel(self) -> None:
        """Stop."""
        self._timer.cancel()

    def _strike(self) -> None:
        self._action()
        self._timer = self._clock.call_later(self._every, self._strike)


def _lines_of(asked: Human | None) -> tuple[TranscriptLine, ...]:
    if asked is None:
        return ()
    return (TranscriptLine(Voice.PERSON, asked.author, (asked.message_id,), asked.text),)
