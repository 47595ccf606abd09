"""How many calls a provider gets at once, after it said that they were too many."""

import asyncio
from contextlib import suppress

from bot.models.queue import Slots

GOOD_CALLS_PER_STEP = 4


async def test_one_burst_of_refusals_halves_the_places_once() -> None:
    slots = Slots(8)
    seen = [await slots.enter() for _ in range(8)]
    for cuts in seen:
        slots.refused(cuts)
        slots.leave()
    assert slots.allowed == 4


async def test_a_refusal_of_a_later_call_halves_them_again_down_to_one() -> None:
    slots = Slots(8)
    for _ in range(6):
        slots.refused(await slots.enter())
        slots.leave()
    assert slots.allowed == 1
    async with asyncio.timeout(1):
        await slots.enter()


async def test_places_come_back_one_by_one_with_good_calls_and_never_more_than_allowed() -> None:
    slots = Slots(4)
    slots.refused(await slots.enter())
    slots.leave()
    assert slots.allowed == 2
    for _ in range(GOOD_CALLS_PER_STEP * 10):
        await slots.enter()
        slots.served()
        slots.leave()
    assert slots.allowed == 4
    for _ in range(4):
        await slots.enter()
    with suppress(TimeoutError):
        async with asyncio.timeout(0.01):
            await slots.enter()
            raise AssertionError("a fifth place was given")


async def test_a_place_is_free_until_the_last_is_taken() -> None:
    slots = Slots(2)
    seen = [slots.free]
    for _ in range(2):
        await slots.enter()
        seen.append(slots.free)
    slots.leave()
    assert [*seen, slots.free] == [True, True, False, True]
