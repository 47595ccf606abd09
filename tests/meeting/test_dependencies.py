"""How long meetings usually take is looked up once a minute."""

from pathlib import Path

from bot.meeting.dependencies import UsualDurations
from bot.store import Store
from bot.store.repositories.runs import NewRun, RunRepository, TopicPlace
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from tests.store.conftest import conclude

REMEMBERED_SECONDS = 60.0

QUICK = {"quick": True}


async def _held(store: Store, key: str, seconds: float) -> None:
    """A run that was concluded after so many seconds."""
    place = TopicPlace(1, 2, Mode.DEBATE, key)
    new = NewRun(place, 2, None, 3, "topic", 1, QUICK)
    begun = store.now()
    run = await store.write(lambda conn: RunRepository(conn).insert(new, Actor.ORCHESTRATOR, begun))
    await conclude(store, run, begun + seconds)


async def test_meetings_that_begin_within_a_minute_share_one_look(tmp_path: Path) -> None:
    clock = [1000.0]
    store = await Store.open(tmp_path / "roundtable.db", clock=lambda: clock[0])
    try:
        expected = UsualDurations()
        assert await expected.usual(store, Mode.DEBATE, quick=True) is None
        await _held(store, "first", 40.0)
        assert await expected.usual(store, Mode.DEBATE, quick=True) is None
        assert await expected.usual(store, Mode.DEBATE, quick=False) is None
        clock[0] += REMEMBERED_SECONDS
        assert await expected.usual(store, Mode.DEBATE, quick=True) == 40.0
        clock[0] -= 10 * REMEMBERED_SECONDS
        assert await expected.usual(store, Mode.DEBATE, quick=True) == 40.0
    finally:
        await store.close()
