"""The card's pace: few edits, the last state always, never far behind."""

import asyncio
import heapq
import itertools
from dataclasses import dataclass, field, replace

import pytest

from bot.stage.card_board import SECONDS_BETWEEN_EDITS, LiveCard
from bot.stage.persistence import UnknownOutcomeError
from bot.stage.port import Card

GLOBAL_PER_SECOND = 50
THREAD_PER_FIVE_SECONDS = 5
FIRST = Card("rt_0123abcd", "tea", "debate", "0")


@dataclass
class Clock:
    """Time that passes only when everybody waits."""

    now: float = 0.0
    _waiting: list[tuple[float, int, asyncio.Future[None]]] = field(default_factory=list)
    _number: "itertools.count[int]" = field(default_factory=itertools.count)

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self.now + seconds, next(self._number), woken))
        await woken

    async def run_until(self, end: float) -> None:
        while self._waiting and self._waiting[0][0] <= end:
            self.now, _, woken = heapq.heappop(self._waiting)
            woken.set_result(None)
            for _ in range(5):
                await asyncio.sleep(0)
        self.now = end


async def test_twenty_cards_at_once_stay_within_discords_limits() -> None:
    """Issue 8: each thread and all of them together, in any window of a busy minute."""
    clock, edits = Clock(), list[tuple[float, int]]()

    def card_of(thread: int) -> LiveCard:
        async def draw(_: Card) -> None:
            edits.append((clock.now, thread))
            await clock.sleep(0.1)

        return LiveCard(draw, sleep=clock.sleep)

    async def talk(live: LiveCard, thread: int) -> None:
        await clock.sleep(thread * 0.01)
        for word in range(600):
            live.show(replace(FIRST, step=str(word)))
            await clock.sleep(0.1)

    talking = [asyncio.create_task(talk(card_of(thread), thread)) for thread in range(20)]
    await asyncio.sleep(0)
    await clock.run_until(70)
    await asyncio.gather(*talking)
    for thread in range(20):
        mine = [when for when, whose in edits if whose == thread]
        assert len(mine) >= 60 / (SECONDS_BETWEEN_EDITS + 0.1) - 1
        assert most_within(mine, 5) <= THREAD_PER_FIVE_SECONDS
    assert most_within(sorted(when for when, _ in edits), 1) <= GLOBAL_PER_SECOND


def most_within(times: list[float], seconds: float) -> int:
    """The most edits in any window of so many seconds."""
    return max(sum(start <= when < start + seconds for when in times) for start in times)


@pytest.mark.parametrize("refusals", [1, 2, 3])
async def test_after_a_refusal_the_newest_state_is_drawn_not_the_old_one(refusals: int) -> None:
    """Issue 8: within three seconds after Discord listens again."""
    clock, drawn = Clock(), list[tuple[float, str]]()
    left = refusals

    async def draw(card: Card) -> None:
        nonlocal left
        if left:
            left -= 1
            raise UnknownOutcomeError
        drawn.append((clock.now, card.step))

    live = LiveCard(draw, sleep=clock.sleep)
    live.show(FIRST)
    await asyncio.sleep(0)
    listens_again = clock.now + refusals * SECONDS_BETWEEN_EDITS
    ending = asyncio.create_task(live.finish(replace(FIRST, step="last", running=False)))
    await clock.run_until(60)
    await ending
    assert [step for _, step in drawn] == ["last"]
    assert drawn[0][0] <= listens_again + 3


async def test_a_card_that_can_never_be_drawn_ends_nobody_and_is_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()

    async def draw(_: Card) -> None:
        raise RuntimeError

    live = LiveCard(draw, sleep=clock.sleep)
    live.show(FIRST)
    await asyncio.sleep(0)
    ending = asyncio.create_task(live.finish(replace(FIRST, running=False)))
    await clock.run_until(60)
    await ending
    assert caplog.text.count("could not be drawn") == 1
