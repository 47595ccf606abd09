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
class Desk:
    """The readers under test, with the pauses they made."""

    readers: Readers
    stage: FakeStage
    pauses: list[float]

    async def refusal(self, reader: Reader, run_id: str | None) -> str:
        with pytest.raises(UsageError) as refused:
            await self.readers.find(reader, run_id)
        return refused.value.text


@pytest.fixture
def registry(store: Store) -> Desk:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    stage: Any = FakeStage()
    return Desk(Readers(store, stage, pause), stage, pauses)


@pytest.fixture
async def run(store: Store) -> Run:
    return await start_run(store, request_for())


def reader(
    person: int = STRANGER, *, guild: int = GUILD, manages: bool = False, private: bool = True
) -> Reader:
    return Reader(Asker(person, frozenset(), manages), guild, CHANNEL, private=private)


async def test_a_run_in_a_place_that_is_read_is_found(registry: Desk, run: Run) -> None:
    registry.stage.seen = frozenset({CHANNEL})
    assert (await registry.readers.find(reader(), run.id)).id == run.id
    assert (await registry.readers.find(reader(), None)).id == run.id
    assert [found.id for found in await registry.readers.newest(reader())] == [run.id]
    assert registry.pauses == []


@pytest.mark.parametrize("asked", ["hidden", "unknown", "nonsense"])
async def test_what_may_not_be_read_is_refused_like_what_never_was(
    registry: Desk, run: Run, asked: str
) -> None:
    """The same sentence after the same time, and the same questions to Discord."""
    run_id = {"hidden": run.id, "unknown": UNKNOWN, "nonsense": "'; --"}[asked]
    assert await registry.refusal(reader(), run_id) == await registry.refusal(reader(), UNKNOWN)
    assert len(registry.pauses) == 2
    assert all(0.4 < pause <= 0.6 for pause in registry.pauses)
    assert all(CHANNEL in places for places in registry.stage.asked)


async def test_another_server_finds_nothing_even_where_everything_is_read(
    registry: Desk, run: Run
) -> None:
    registry.stage.seen = frozenset({CHANNEL})
    elsewhere = reader(guild=2)
    assert await registry.refusal(elsewhere, run.id) == await registry.refusal(elsewhere, UNKNOWN)
    with pytest.raises(UsageError):
        await registry.readers.require_server(2, run.id)
    await registry.readers.require_server(GUILD, run.id)


async def test_an_answer_that_others_see_shows_only_what_they_can_read(
    registry: Desk, run: Run
) -> None:
    registry.stage.seen = frozenset({CHANNEL})
    in_public = reader(private=False)
    await registry.refusal(in_public, run.id)
    registry.stage.open_places = frozenset({CHANNEL})
    assert (await registry.readers.find(in_public, run.id)).id == run.id


async def test_the_starter_reaches_a_run_that_they_cannot_read_any_more(
    registry: Desk, run: Run
) -> None:
    assert (await registry.readers.reach(reader(STARTER), run.id)).id == run.id
    with pytest.raises(UsageError):
        await registry.readers.reach(reader(), run.id)


async def test_a_moderator_reaches_a_run_whose_place_is_gone_and_no_hidden_one(
    registry: Desk, run: Run
) -> None:
    moderator = reader(manages=True)
    with pytest.raises(UsageError):
        await registry.readers.reach(moderator, run.id)
    registry.stage.gone = True
    assert (await registry.readers.reach(moderator, run.id)).id == run.id
