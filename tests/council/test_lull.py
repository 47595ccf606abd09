"""Work nobody waits for yet: it begins when the event loop has time to spare."""

import asyncio

from bot.council.lull import GLANCE, Lull, hurry
from bot.council.pace import Pace, Steps
from tests.council.business import Business


async def test_a_turn_comes_when_the_loop_is_idle() -> None:
    await asyncio.wait_for(Lull().turn(), 10)


async def test_a_turn_waits_for_the_end_of_pressing_work() -> None:
    business, lull = Business(), Lull()
    turn = lull.turn()
    await asyncio.sleep(10 * GLANCE)
    assert not turn.done()
    business.end()
    await asyncio.wait_for(turn, 10)


async def test_a_turn_waits_until_nobody_is_at_work() -> None:
    pace = Pace(longest=60.0)
    working = Steps(pace)
    await working.turn()
    turn = pace.lull.turn()
    await asyncio.sleep(3 * GLANCE)
    assert not turn.done()
    working.end()
    await asyncio.wait_for(turn, 10)


async def test_turns_come_one_at_a_time_in_their_order() -> None:
    lull = Lull()
    turns = [lull.turn() for _ in range(3)]
    for number, turn in enumerate(turns, 1):
        await asyncio.wait_for(turn, 10)
        assert not any(later.done() for later in turns[number:])


async def test_what_somebody_waits_for_by_now_begins_at_once() -> None:
    """A picture is drawn however busy the bot is, once its conclusion is ready."""
    business, lull = Business(), Lull()
    first, second = lull.turn(), lull.turn()
    hurry(second)
    await asyncio.wait_for(second, 10)
    assert not first.done()
    business.end()
    await asyncio.wait_for(first, 10)


async def test_a_turn_nobody_awaits_any_more_holds_nobody_up() -> None:
    lull = Lull()
    gone, next_one = lull.turn(), lull.turn()
    gone.cancel()
    await asyncio.wait_for(next_one, 10)
