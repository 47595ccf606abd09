"""The live threads: one driver per active thread; rounds speak through it one at a time."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from bot.floor import (
    AgentFailed,
    Allow,
    Claim,
    Denied,
    DenyReason,
    Event,
    FloorConfig,
    FloorRegistry,
    FloorSeat,
    Granted,
    Human,
    RoundDone,
    ScheduleRound,
    Sending,
)
from bot.panels import PanelsConfig
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import Seat
from bot.threads.driver import Clock, LoopClock, ThreadDriver, Timer
from bot.threads.turn import PanelistPort

_log = logging.getLogger(__name__)

_SWEEP_MS: Final = 600_000
"""How often idle floors are looked for."""
_WAIT = frozenset({DenyReason.HELD, DenyReason.NOT_YOUR_SLOT})
_NO_CLAIM = 0


class Threads:
    """Drivers by thread, made on demand and dropped when at rest."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or LoopClock()
        self._floors = FloorRegistry(_log_decision)
        self._drivers: dict[int, ThreadDriver] = {}
        self._servers: dict[int, int] = {}
        """In which server each thread is that has or had a floor."""
        self._panelists: PanelistPort | None = None
        self._sweep: Timer | None = None
        self._quiet = asyncio.Event()

    def __len__(self) -> int:
        return len(self._drivers)

    def serve(self, panelists: PanelistPort) -> None:
        """Set who answers for the seats."""
        self._panelists = panelists

    def open(self, thread_id: int, config: FloorConfig, seats: Iterable[FloorSeat]) -> ThreadDriver:
        """The driver of a thread for these seats, in addition to those still busy there.

        Switching the arbiter on or off waits until nothing happens there, so that nothing is lost.
        """
        awake = self._drivers.get(thread_id)
        if awake is not None:
            config = replace(config, enabled=awake.floor.config.enabled)
        wanted = {seat.key: seat for seat in (*(awake.floor.seats if awake else ()), *seats)}
        floor = self._floors.floor(thread_id, config, tuple(wanted.values()))
        if awake is None:
            awake = ThreadDriver(thread_id, floor, self._clock, self._served, self._forget)
            self._drivers[thread_id] = awake
            self._sweep_later()
        return awake

    def settle(self, thread_id: int, server: int) -> None:
        """Note in which server a thread is."""
        self._servers[thread_id] = server

    def is_busy(self, server: int) -> bool:
        """Whether something happens in a thread of a server."""
        return any(self._servers.get(thread_id) == server for thread_id in self._drivers)

    async def let_go(self, server: int) -> None:
        """Forget the threads of a server that another process works for."""
        for thread_id in [one for one, where in self._servers.items() if where == server]:
            await self.drop(thread_id)

    def live(self, thread_id: int) -> ThreadDriver | None:
        """The driver of a thread in which something happens."""
        return self._drivers.get(thread_id)

    def config(self, thread_id: int) -> FloorConfig:
        """The settings of a thread's floor, or the defaults."""
        floor = self._floors.get(thread_id)
        return floor.config if floor else FloorConfig()

    def note(self, thread_id: int, event: Event) -> None:
        """Report an event that wakes no seat, such as a message between people."""
        driver, floor = self._drivers.get(thread_id), self._floors.get(thread_id)
        if driver is not None:
            driver.tell(event)
        elif floor is not None:
            floor.handle(event, self._clock.now())
        elif isinstance(event, Human):
            self._floors.drop(thread_id)
            self._servers.pop(thread_id, None)

    async def drop(self, thread_id: int) -> None:
        """Forget a thread, as when it was deleted."""
        driver = self._drivers.pop(thread_id, None)
        if driver is not None:
            await driver.close()
        self._floors.drop(thread_id)
        self._servers.pop(thread_id, None)

    async def at_rest(self) -> None:
        """Wait until nothing happens in any thread."""
        while self._drivers:
            self._quiet.clear()
            await self._quiet.wait()

    async def close(self) -> None:
        """Stop every driver without changing anything in the store."""
        if self._sweep is not None:
            self._sweep.cancel()
        drivers = list(self._drivers.values())
        self._drivers.clear()
        self._quiet.set()
        await asyncio.gather(*(driver.close() for driver in drivers))

    def _served(self) -> PanelistPort:
        if self._panelists is None:
            raise RuntimeError("serve() comes before anybody can be asked")
        return self._panelists

    def _forget(self, thread_id: int) -> None:
        self._drivers.pop(thread_id, None)
        self._quiet.set()

    def _sweep_later(self) -> None:
        if self._sweep is None:
            self._sweep = self._clock.call_later(_SWEEP_MS, self._sweep_now)

    def _sweep_now(self) -> None:
        self._sweep = None
        self._floors.forget_idle(self._clock.now())
        if len(self._floors):
            self._sweep_later()


def _log_decision(thread_id: int, text: str) -> None:
    _log.info("floor of %s: %s", thread_id, text)


def home_of(run: Run) -> int:
    """The thread or channel in which a run is shown."""
    return run.thread_id or run.output_channel_id


def floor_seats(panel: Iterable[Seat]) -> tuple[FloorSeat, ...]:
    """A run's seats under the keys of their sessions, which no other run shares."""
    return tuple(FloorSeat(seat.session_key, seat.role) for seat in panel)


def open_floor(
    threads: Threads, config: PanelsConfig, run: Run, panel: Iterable[Seat]
) -> ThreadDriver:
    """The floor where a run lives, under the panel's own settings on top of the server's."""
    settings = FloorConfig.of(config.arbiter_for(run.mode.value), config.followups)
    here = settings.in_channel({home_of(run), run.output_channel_id})
    threads.settle(home_of(run), run.guild_id)
    return threads.open(home_of(run), here, floor_seats(panel))


class RoundFloor:
    """Lets the seats of a round speak in their turn."""

    def __init__(self, driver: ThreadDriver) -> None:
        self._driver = driver

    async def speak(
        self, seat: str, text: str, post: Callable[[], Awaitable[tuple[int, ...]]]
    ) -> tuple[int, ...]:
        """Post a seat's answer when it is its turn; returns no ids if it was held back.

        A paid answer is held back only where the arbiter failed and may not fail open (D18).
        """
        claim = await self._claim(seat)
        leave = self._driver.tell(Sending(seat, claim, text))
        if not isinstance(leave, Allow):
            if self._driver.floor.lost_round and not self.fails_open:
                _log.error("%s's answer in a round is held back: %s", seat, leave)
                return ()
            _log.warning("%s posts its answer in a round without permission: %s", seat, leave)
        return await self._driver.post(seat, claim, post)

    @property
    def fails_open(self) -> bool:
        """Whether answers are posted even if the arbiter fails."""
        return self._driver.floor.config.fail_open

    def skip(self, seat: str, reason: str) -> None:
        """The seat has no answer: release its slot."""
        self._driver.tell(AgentFailed(seat, error=reason))

    async def _claim(self, seat: str) -> int:
        # After a failure another exchange may be open, and its turn is not for this answer.
        while not self._driver.floor.lost_round:
            reply = self._driver.tell(Claim(seat))
            if isinstance(reply, Granted):
                return reply.claim
            if not isinstance(reply, Denied) or reply.reason not in _WAIT:
                _log.warning("%s speaks in a round without a claim: %s", seat, reply)
                break
            await self._driver.change()
        return _NO_CLAIM


def round_floor(driver: ThreadDriver, seats: Sequence[str], *, in_order: bool) -> RoundFloor:
    """Give the floor to a round, which has it until the rounds are over."""
    driver.tell(ScheduleRound(tuple(seats), in_order))
    return RoundFloor(driver)


@asynccontextmanager
async def floor_for_rounds(driver: Callable[[], ThreadDriver]) -> AsyncIterator[None]:
    """Give the floor back after the last round; cancelled rounds leave it to the canceller.

    Between two rounds nobody is woken for a question: the next round would cut the answer off.
    """
    try:
        yield
    except asyncio.CancelledError:
        raise
    except BaseException:
        driver().tell(RoundDone())
        raise
    else:
        driver().tell(RoundDone())
