"""The pace of many runs: who works when."""

import asyncio

import pytest

from bot.council.pace import GLANCE, Pace, Steps
from tests.council.business import Business

NEVER = 60.0


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_runs_take_their_steps_one_after_the_other() -> None:
    pace, seen = Pace(width=1, longest=NEVER, glance=NEVER), list[int]()
    runs = [Steps(pace) for _ in range(3)]

    async def step(number: int) -> None:
        await runs[number].turn()
        seen.append(number)

    tasks = [asyncio.create_task(step(number)) for number in range(3)]
    await _settled()
    assert seen == [0]
    with runs[0].asking():
        await _settled()
        assert seen == [0, 1]
    runs[1].end()
    await asyncio.gather(*tasks)
    assert seen == [0, 1, 2]


async def test_who_has_every_answer_goes_before_who_waits_for_more() -> None:
    pace, seen = Pace(width=1, longest=NEVER, glance=NEVER), list[str]()
    working, waiting, ready = (Steps(pace) for _ in range(3))

    async def step(steps: Steps, name: str) -> None:
        await steps.turn()
        seen.append(name)

    await working.turn()
    with waiting.asking():
        first = asyncio.create_task(step(waiting, "first of two answers"))
        await _settled()
        last = asyncio.create_task(step(ready, "only answer"))
        await _settled()
        working.end()
        await last
        assert seen == ["only answer"]
        ready.end()
        await first
        waiting.pause()
        await asyncio.wait_for(working.turn(), 1)


async def test_the_last_answer_brings_the_earlier_ones_of_its_run_forward() -> None:
    pace, seen = Pace(width=1, longest=NEVER, glance=NEVER), list[str]()
    working, other, run = (Steps(pace) for _ in range(3))

    async def step(steps: Steps, name: str) -> None:
        await steps.turn()
        seen.append(name)

    await working.turn()
    with run.asking(), other.asking():
        early = [asyncio.create_task(step(other, "other")), asyncio.create_task(step(run, "early"))]
        await _settled()
    with other.asking():
        late = asyncio.create_task(step(run, "late"))
        await _settled()
        working.end()
        await asyncio.gather(early[1], late)
        assert sorted(seen) == ["early", "late"]
        run.end()
        await early[0]


async def test_a_run_that_waits_for_something_else_holds_nobody_up_for_long() -> None:
    pace = Pace(width=1, longest=0.01, glance=NEVER)
    await Steps(pace).turn()
    await asyncio.wait_for(Steps(pace).turn(), 1)


async def test_another_run_is_let_in_while_those_at_work_wait_for_something() -> None:
    pace = Pace(width=1, longest=NEVER)
    working, *waiting = (Steps(pace) for _ in range(4))
    await working.turn()
    async with asyncio.timeout(10):
        await asyncio.gather(*(steps.turn() for steps in waiting))
    for steps in (working, *waiting):
        steps.end()
    assert not pace.busy()


async def test_nobody_else_is_let_in_while_the_loop_has_work_to_do() -> None:
    pace, business = Pace(width=1, longest=NEVER), Business()
    working, waiting = Steps(pace), Steps(pace)
    await working.turn()
    turn = asyncio.create_task(waiting.turn())
    await asyncio.sleep(20 * GLANCE)
    assert not turn.done()
    business.end()
    await asyncio.wait_for(turn, 10)


async def test_who_waits_for_more_answers_is_not_let_in_before_its_time() -> None:
    """Only what somebody waits for makes use of a rest: all else would hold that up."""
    pace = Pace(width=1, longest=NEVER)
    working, waiting = Steps(pace), Steps(pace)
    await working.turn()
    with waiting.asking():
        turn = asyncio.create_task(waiting.turn())
        await asyncio.sleep(20 * GLANCE)
        assert not turn.done()
        working.end()
        await asyncio.wait_for(turn, 10)


async def test_a_run_that_is_cancelled_while_it_waits_takes_nobodys_turn() -> None:
    pace = Pace(width=1, longest=0.01, glance=NEVER)
    working, gone, next_one = (Steps(pace) for _ in range(3))
    await working.turn()
    waiting = asyncio.create_task(gone.turn())
    await _settled()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gone.end()
    working.end()
    await asyncio.wait_for(next_one.turn(), 1)


async def test_a_run_on_its_own_never_waits() -> None:
    steps = Steps()
    for _ in range(3):
        await asyncio.wait_for(steps.turn(), 1)
        with steps.asking():
            await _settled()


async def test_who_was_held_up_longest_so_far_goes_first() -> None:
    """Of two runs that wait, the one that waited before does not wait again for the other."""
    pace, seen = Pace(width=1, longest=NEVER, glance=NEVER), list[str]()
    working, early, held_up = (Steps(pace) for _ in range(3))

    async def step(steps: Steps, name: str) -> None:
        await steps.turn()
        seen.append(name)

    await working.turn()
    waiting = asyncio.create_task(held_up.turn())
    await asyncio.sleep(0.05)  # it is held up
    working.end()
    await waiting
    held_up.end()
    await working.turn()
    tasks = [
        asyncio.create_task(step(steps, name))
        for steps, name in ((early, "early"), (held_up, "held up"))
    ]
    await _settled()
    working.end()
    await tasks[1]
    assert seen == ["held up"]
    held_up.end()
    await tasks[0]


async def test_what_nobody_waits_for_waits_for_all_others() -> None:
    """Files are written when no run has anything to do, one run's after the other's."""
    pace, seen = Pace(width=2, longest=NEVER), list[str]()
    working, late = Steps(pace), Steps(pace)
    over = {name: Steps(pace) for name in ("first", "stopped", "second")}

    async def last(name: str) -> None:
        await over[name].last_turn()
        seen.append(name)

    await working.turn()
    tasks = {name: asyncio.create_task(last(name)) for name in over}
    await _settled()
    assert seen == []
    await late.turn()
    working.end()
    await _settled()
    assert seen == []
    late.end()
    await _settled()
    assert seen == ["first"]
    tasks["stopped"].cancel()
    over["first"].end()
    await tasks["second"]
    over["second"].end()
    assert seen == ["first", "second"]
    await asyncio.wait_for(Steps(pace).turn(), 1)
