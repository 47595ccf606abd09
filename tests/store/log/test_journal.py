"""The journal does paid or visible work once, whoever asks and however often."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.store import EventType, Journal, NotPermittedError, Store, TurnVoice
from bot.store.log import events
from bot.store.repositories.runs import Run
from bot.store.repositories.turns import TurnRepository
from bot.store.vocabulary import Actor

CALL = EventType.CALL_DONE


class Model:
    """Something that costs money each time it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.busy = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.failing = False

    async def answer(self) -> str:
        self.asked += 1
        number = self.asked
        self.busy.set()
        await self.gate.wait()
        if self.failing:
            raise ConnectionError("the line is dead")
        return f"answer {number}"


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def journal(store: Store, run: Run) -> Journal:
    return Journal(store, run.id, Actor.ORCHESTRATOR)


def keep(run: Run) -> Callable[[Connection, str], Mapping[str, Any]]:
    def record(conn: Connection, text: str) -> Mapping[str, Any]:
        turn = TurnRepository(conn).append(run.id, "analyst", TurnVoice.SAID, "Analyst", text, 1.0)
        return {"turn": turn.ordinal, "words": (text, "spoken")}

    return record


async def said(store: Store, run: Run) -> list[str]:
    session = await store.read(lambda conn: TurnRepository(conn).session(run.id, "analyst"))
    return [turn.text for turn in session]


async def test_work_is_done_once_and_then_answered_from_the_log(
    journal: Journal, store: Store, run: Run, model: Model
) -> None:
    first = await journal.once(CALL, "r1:analyst", model.answer, keep(run))
    second = await journal.once(CALL, "r1:analyst", model.answer, keep(run))
    assert first == second == {"turn": 1, "words": ["answer 1", "spoken"]}
    assert model.asked == 1
    assert await said(store, run) == ["answer 1"]


async def test_another_key_is_other_work(journal: Journal, run: Run, model: Model) -> None:
    await journal.once(CALL, "r1:analyst", model.answer, keep(run))
    other = await journal.once(CALL, "r2:analyst", model.answer, keep(run))
    assert other["words"][0] == "answer 2"


async def test_a_restarted_process_finds_what_was_recorded(
    journal: Journal, store: Store, run: Run, model: Model
) -> None:
    first = await journal.once(CALL, "r1:analyst", model.answer, keep(run))
    await store.close()
    again = await Store.open(store.where)
    after = await Journal(again, run.id, Actor.ORCHESTRATOR).recorded(CALL, "r1:analyst")
    await again.close()
    assert after == first


async def test_work_that_raises_records_nothing_and_may_be_tried_again(
    journal: Journal, store: Store, run: Run, model: Model
) -> None:
    model.failing = True
    with pytest.raises(ConnectionError):
        await journal.once(CALL, "r1:analyst", model.answer, keep(run))
    assert await journal.recorded(CALL, "r1:analyst") is None
    assert await said(store, run) == []
    model.failing = False
    assert (await journal.once(CALL, "r1:analyst", model.answer, keep(run)))["turn"] == 1


async def test_a_record_that_raises_leaves_neither_rows_nor_event(
    journal: Journal, store: Store, run: Run, model: Model
) -> None:
    def broken(conn: Connection, text: str) -> Mapping[str, Any]:
        keep(run)(conn, text)
        raise ValueError("cannot be read")

    with pytest.raises(ValueError, match="cannot be read"):
        await journal.once(CALL, "r1:analyst", model.answer, broken)
    assert await journal.recorded(CALL, "r1:analyst") is None
    assert await said(store, run) == []


async def test_concurrent_callers_share_one_piece_of_work(
    store: Store, run: Run, model: Model
) -> None:
    """Even through different journals: the process holds one key once."""
    journals = [Journal(store, run.id, Actor.ORCHESTRATOR) for _ in range(5)]
    results = await asyncio.gather(
        *(journal.once(CALL, "r1:analyst", model.answer, keep(run)) for journal in journals)
    )
    assert model.asked == 1
    assert all(result == results[0] for result in results)
    assert len(store.working_on) == 0


async def test_a_waiting_caller_does_the_work_when_the_first_one_fails(
    journal: Journal, run: Run, model: Model
) -> None:
    model.gate.clear()
    first = asyncio.create_task(journal.once(CALL, "k", model.answer, keep(run)))
    second = asyncio.create_task(journal.once(CALL, "k", model.answer, keep(run)))
    await model.busy.wait()
    first.cancel()
    model.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await second)["words"][0] == "answer 2"


async def test_a_caller_cancelled_after_the_work_still_stores_the_result(
    journal: Journal, run: Run, model: Model
) -> None:
    reached = asyncio.Event()

    def record(conn: Connection, text: str) -> Mapping[str, Any]:
        reached.set()
        return keep(run)(conn, text)

    first = asyncio.create_task(journal.once(CALL, "k", model.answer, record))
    second = asyncio.create_task(journal.once(CALL, "k", model.answer, record))
    await reached.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await second)["words"][0] == "answer 1"
    assert model.asked == 1


async def test_a_caller_cancelled_while_the_record_fails_leaves_the_work_to_the_next(
    journal: Journal, store: Store, run: Run, model: Model
) -> None:
    reached = asyncio.Event()

    def broken(conn: Connection, text: str) -> Mapping[str, Any]:
        reached.set()
        keep(run)(conn, text)
        raise ValueError("cannot be read")

    first = asyncio.create_task(journal.once(CALL, "k", model.answer, broken))
    second = asyncio.create_task(journal.once(CALL, "k", model.answer, keep(run)))
    await reached.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await second)["words"][0] == "answer 2"
    assert await said(store, run) == ["answer 2"]


async def test_the_loser_of_a_race_between_processes_keeps_no_rows(
    journal: Journal, store: Store, run: Run, model: Model
) -> None:
    async def overtaken() -> str:
        theirs = {"turn": 0, "words": ["theirs"]}
        await store.write(
            lambda c: events.append(c, run.id, CALL, "k", Actor.ORCHESTRATOR, theirs, 1.0)
        )
        return await model.answer()

    assert (await journal.once(CALL, "k", overtaken, keep(run)))["words"] == ["theirs"]
    assert await said(store, run) == []


async def test_a_journal_cannot_lend_an_actor_a_right(store: Store, run: Run, model: Model) -> None:
    """B43."""
    executor = Journal(store, run.id, Actor.EXECUTOR)
    with pytest.raises(NotPermittedError):
        await executor.once(EventType.TASK_TRANSITIONED, "completed#1", model.answer, keep(run))
    assert await executor.recorded(EventType.TASK_TRANSITIONED, "completed#1") is None
    assert await said(store, run) == []
