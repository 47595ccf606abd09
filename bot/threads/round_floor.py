"""A round has the floor: its answers are shown one at a time, each under a claim of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager

from bot.floor import (
    AgentFailed,
    Allow,
    Claim,
    Denied,
    DenyReason,
    FloorConfig,
    FloorSeat,
    Granted,
    RoundDone,
    ScheduleRound,
    Sending,
)
from bot.panels import PanelsConfig
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import Seat
from bot.threads.driver import ThreadDriver
from bot.threads.threads import Threads


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
    return threads.open(home_of(run), here, floor_seats(panel))


_log = logging.getLogger(__name__)

_WAIT = frozenset({DenyReason.HELD, DenyReason.NOT_YOUR_SLOT})
_NO_CLAIM = 0


class RoundFloor:
    """Lets the seats of a round speak in their turn."""

    def __init__(self, driver: ThreadDriver) -> None:
        self._driver = driver

    async def speak(
        self, seat: str, text: str, post: Callable[[], Awaitable[tuple[int, ...]]]
    ) -> tuple[int, ...]:
        """Post a seat's answer when it is its turn; what was paid for is never held back."""
        claim = await self._claim(seat)
        leave = self._driver.tell(Sending(seat, claim, text))
        if not isinstance(leave, Allow):
            _log.warning("%s posts its answer in a round without permission: %s", seat, leave)
        return await self._driver.post(seat, claim, post)

    def skip(self, seat: str, reason: str) -> None:
        """The seat has no answer: release its slot."""
        self._driver.tell(AgentFailed(seat, error=reason))

    async def _claim(self, seat: str) -> int:
        while True:
            reply = self._driver.tell(Claim(seat))
            if isinstance(reply, Granted):
                return reply.claim
            if not isinstance(reply, Denied) or reply.reason not in _WAIT:
                _log.warning("%s speaks in a round without a claim: %s", seat, reply)
                return _NO_CLAIM
            await self._driver.change()


@asynccontextmanager
async def round_floor(
    driver: ThreadDriver, seats: Sequence[str], *, in_order: bool
) -> AsyncIterator[RoundFloor]:
    """Give the floor to a round; a cancelled round leaves it to the canceller."""
    if driver.floor.config.enabled:
        driver.tell(ScheduleRound(tuple(seats), in_order))
    try:
        yield RoundFloor(driver)
    except asyncio.CancelledError:
        raise
    except BaseException:
        driver.tell(RoundDone())
        raise
    else:
        driver.tell(RoundDone())
