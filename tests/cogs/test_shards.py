"""How often shards identify."""

import asyncio

from cogs.shards import IdentifyPace


class _Time:
    """A clock that stands still unless somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


async def _moments(shards: list[int], max_concurrency: int) -> list[float]:
    time = _Time()
    pace, moments = IdentifyPace(time.sleep, lambda: time.now), list[float]()
    for shard in shards:
        await pace.wait(shard, max_concurrency)
        moments.append(round(time.now - 100.0, 3))
    return moments


async def test_shards_of_one_key_identify_more_than_five_seconds_apart() -> None:
    """Issue 25, point 3."""
    assert await _moments([0, 1, 2], 1) == [0.0, 5.2, 10.4]


async def test_shards_of_different_keys_need_not_wait_for_each_other() -> None:
    assert await _moments([0, 1, 2, 3, 0], 2) == [0.0, 0.0, 5.2, 5.2, 10.4]


async def test_who_identified_long_ago_does_not_wait() -> None:
    time = _Time()
    pace = IdentifyPace(time.sleep, lambda: time.now)
    await pace.wait(0, 1)
    time.now += 60
    await pace.wait(0, 1)
    assert time.now == 160.0
