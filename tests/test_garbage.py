"""Garbage is collected when nobody is held up by it, and in the end in any case."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from bot import garbage
from bot.council.pace import Pace, Steps
from bot.garbage import Tidying, collection_held_back


@pytest.fixture
def collections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The generations that were looked at; without a rest it takes one turn of the loop."""
    seen: list[int] = []

    def note(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            seen.append(told["generation"])

    monkeypatch.setattr(garbage, "REST", 0.0)
    monkeypatch.setattr(garbage, "YOUNG", 50)
    thresholds = gc.get_threshold()
    gc.set_threshold(garbage.MANY, garbage.LOTS, garbage.LOTS)
    gc.collect()
    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)
    gc.set_threshold(*thresholds)


def some_things() -> list[list[int]]:
    return [[] for _ in range(200)]


async def turns_of_the_loop() -> None:
    for _ in range(3):
        await asyncio.sleep(0.001)


async def test_what_was_made_is_looked_at_once_nobody_works(collections: list[int]) -> None:
    kept = some_things()
    Tidying().rest()
    assert collections == []
    await turns_of_the_loop()
    assert collections == [0]
    assert kept


async def test_whoever_begins_to_work_is_not_held_up(collections: list[int]) -> None:
    kept, tidying = some_things(), Tidying()
    tidying.rest()
    tidying.work()
    await turns_of_the_loop()
    assert collections == []
    assert kept


async def test_little_is_left_alone(
    collections: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "YOUNG", garbage.MANY)
    Tidying().rest()
    await turns_of_the_loop()
    assert collections == []


async def test_a_run_that_works_puts_it_off_until_its_turn_is_over(collections: list[int]) -> None:
    pace = Pace(longest=60.0)
    first, second = Steps(pace), Steps(pace)
    await first.turn()
    await second.turn()
    kept = some_things()
    first.end()
    await turns_of_the_loop()
    assert collections == []
    second.end()
    await turns_of_the_loop()
    assert collections == [0]
    assert kept


def test_what_is_built_once_is_never_looked_at_again(collections: list[int]) -> None:
    frozen = gc.get_freeze_count()
    with collection_held_back():
        kept = some_things()
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() - frozen >= len(kept)
    assert collections == []
    gc.unfreeze()
