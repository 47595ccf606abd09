"""Who may read which run: what may not be read is not found, in the same words and time."""

from dataclasses import dataclass
from typing import Any

import pytest

from bot.access.admission import Asker
from bot.access.readers import Reader, Readers
from bot.errors import UsageError
from bot.store import Store
from bot.store.repositories.runs import Run
from tests.store.conftest import request_for, start_run
from tests.support.fake_stage import FakeStage

GUILD, CHANNEL, STARTER, STRANGER = 1, 20, 4_000, 5
UNKNOWN = "rt_00000000"


@dataclass
class ReadersHarness:
    """The readers under test, with the pauses they made."""

    readers: Readers
    stage: FakeStage
    pauses: list[float]

    async def refusal(self, reader: Reader, run_id: str | None) -> str:
        with pytest.raises(UsageError) as refused:
            await self.readers.find(reader, run_id)
        return refused.value.text


@pytest.fixture
def harness(store: Store) -> ReadersHarness:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    stage: Any = FakeStage()
    return ReadersHarness(Readers(store, stage, pause), stage, pauses)


@pytest.fixture
async def run(store: Store) -> Run:
    return await start_run(store, request_for())


def reader(
    person: int = STRANGER, *, guild: int = GUILD, manages: bool = False, private: bool = True
) -> Reader:
    return Reader(Asker(person, frozenset(), manages), guild, CHANNEL, private=private)


async def test_a_run_in_a_place_that_is_read_is_found(harness: ReadersHarness, run: Run) -> None:
    harness.stage.seen = frozenset({CHANNEL})
    assert (await harness.readers.find(reader(), run.id)).id == run.id
    assert (await harness.readers.find(reader(), None)).id == run.id
    assert [found.id for found in await harness.readers.newest(reader())] == [run.id]
    assert harness.pauses == []


@pytest.mark.parametrize("asked", ["hidden", "unknown", "nonsense"])
async def test_what_may_not_be_read_is_refused_like_what_never_was(
    harness: ReadersHarness, run: Run, asked: str
) -> None:
    """The same sentence after the same time, and the same questions to Discord."""
    run_id = {"hidden": run.id, "unknown": UNKNOWN, "nonsense": "'; --"}[asked]
    assert await harness.refusal(reader(), run_id) == await harness.refusal(reader(), UNKNOWN)
    assert len(harness.pauses) == 2
    assert all(0.4 < pause <= 0.6 for pause in harness.pauses)
    assert all(CHANNEL in places for places in harness.stage.asked)


async def test_another_server_finds_nothing_even_where_everything_is_read(
    harness: ReadersHarness, run: Run
) -> None:
    harness.stage.seen = frozenset({CHANNEL})
    elsewhere = reader(guild=2)
    assert await harness.refusal(elsewhere, run.id) == await harness.refusal(elsewhere, UNKNOWN)
    with pytest.raises(UsageError):
        await harness.readers.require_server(2, run.id)
    await harness.readers.require_server(GUILD, run.id)


async def test_an_answer_that_others_see_shows_only_what_they_can_read(
    harness: ReadersHarness, run: Run
) -> None:
    harness.stage.seen = frozenset({CHANNEL})
    in_public = reader(private=False)
    await harness.refusal(in_public, run.id)
    harness.stage.open_places = frozenset({CHANNEL})
    assert (await harness.readers.find(in_public, run.id)).id == run.id


async def test_the_starter_reaches_a_run_that_they_cannot_read_any_more(
    harness: ReadersHarness, run: Run
) -> None:
    assert (await harness.readers.reach(reader(STARTER), run.id)).id == run.id
    with pytest.raises(UsageError):
        await harness.readers.reach(reader(), run.id)


async def test_a_moderator_reaches_a_run_whose_place_is_gone_and_no_hidden_one(
    harness: ReadersHarness, run: Run
) -> None:
    moderator = reader(manages=True)
    with pytest.raises(UsageError):
        await harness.readers.reach(moderator, run.id)
    harness.stage.gone = True
    assert (await harness.readers.reach(moderator, run.id)).id == run.id
