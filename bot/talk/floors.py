"""The floor of the thread a run lives in: its settings, and who sits there."""

from collections.abc import Iterable

from bot.floor import FloorConfig
from bot.floor import Seat as FloorSeat
from bot.panels import PanelsConfig
from bot.store.runs import Run
from bot.store.seats import Seat
from bot.talk.driver import ThreadDriver
from bot.talk.threads import Threads


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
