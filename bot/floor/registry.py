"""The floors of all threads; those that sleep long enough are forgotten."""

import itertools
from collections.abc import Callable

from bot.floor.config import FloorConfig
from bot.floor.floor import Floor
from bot.floor.reasons import Silence
from bot.floor.state import FloorSeat


class FloorRegistry:
    """Floors by thread id: made when first needed, forgotten when idle."""

    def __init__(self, trace: Callable[[int, str], None] | None = None) -> None:
        self._floors: dict[int, Floor] = {}
        self._silent: dict[int, Silence] = {}
        self._configs: dict[FloorConfig, FloorConfig] = {}
        self._serial = itertools.count(1)
        self._trace = trace

    def __len__(self) -> int:
        return len(self._floors)

    def floor(self, thread_id: int, config: FloorConfig, seats: tuple[FloorSeat, ...]) -> Floor:
        """The thread's floor under these settings and with these seats."""
        shared = self._configs.setdefault(config, config)
        found = self._floors.get(thread_id)
        if found is None:
            found = self._make(thread_id, shared, seats)
        found.arrange(shared, seats)
        found.trace = self._trace_of(thread_id) if shared.debug else None
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
        used = {id(floor.config) for floor in self._floors.values()}
        self._configs = {key: one for key, one in self._configs.items() if id(one) in used}
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
