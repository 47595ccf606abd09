"""How long meetings usually take, looked up once a minute for all that begin meanwhile."""

from typing import Final

from bot.request import Mode
from bot.store import Store
from bot.store.durations import usual_seconds

REMEMBERED_SECONDS: Final = 60.0


class Expectations:
    """The usual seconds by mode, as they were known a moment ago."""

    def __init__(self) -> None:
        self._known: dict[tuple[Mode, bool], tuple[float, float | None]] = {}

    async def usual(self, store: Store, mode: Mode, *, quick: bool) -> float | None:
        """How long meetings of a mode take; None while there were none."""
        known = self._known.get((mode, quick))
        if known is not None and 0 <= store.now() - known[0] < REMEMBERED_SECONDS:
            return known[1]
        usual = await store.read(lambda conn: usual_seconds(conn, mode, quick=quick))
        self._known[mode, quick] = store.now(), usual
        return usual
