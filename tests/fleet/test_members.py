"""Workers that share a database: one writer at a time, and who was given up writes nothing."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from sqlalchemy import Connection, insert, select

from bot.access.admission import Asker, Start, admit_start, note_start
from bot.errors import InUseError, NotAllowedError, UnavailableError
from bot.store import Store
from bot.store.repositories.runs import NewRun, RunRepository, TopicPlace
from bot.store.tables import identifies
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from tests.money.budget_setup import costing, limits, start
from tests.panels.panels_data import alone, loaded
from tests.support.waiting import soon

EVE, HERE = 4_000, 1 << 22


@pytest.fixture
async def pair(url: str) -> AsyncIterator[tuple[Store, Store]]:
    """Two workers."""
    first = await Store.open(url, shared=True)
    second = await Store.open(url, shared=True)
    yield first, second
    await second.close()
    await first.close()


def count_up(conn: Connection) -> float:
    """What two writers at once would do wrongly: read, then write what follows."""
    found = conn.execute(select(identifies.c.next_at)).scalar_one_or_none()
    if found is None:
        conn.execute(insert(identifies), {"key": 0, "next_at": 0.0})
        return 0.0
    conn.execute(identifies.update().values(next_at=found + 1))
    return float(found + 1)


async def test_the_writes_of_two_workers_come_one_after_the_other(
    pair: tuple[Store, Store],
) -> None:
    """Issue 25, point 5: what one decided, the other sees before it decides."""
    writes = [store.write(count_up) for _ in range(100) for store in pair]
    assert sorted(await asyncio.gather(*writes)) == list(map(float, range(200)))


async def test_one_process_alone_and_several_keep_each_other_out(url: str) -> None:
    """`roundtable run` refuses with a sentence while a worker is up, and the other way round."""
    alone = await Store.open(url)
    with pytest.raises(InUseError, match="already in use by process"):
        await Store.open(url, shared=True)
    await alone.close()
    worker = await Store.open(url, shared=True)
    with pytest.raises(InUseError, match="already in use by process"):
        await Store.open(url)
    await worker.close()
    again = await Store.open(url)
    await again.close()


async def test_a_worker_that_was_given_up_writes_nothing_and_is_told(
    pair: tuple[Store, Store], url: str
) -> None:
    """Issue 25, point 2: the fence is a row that every transaction asks for."""
    first, second = pair
    await second.write(
        lambda conn: conn.exec_driver_sql(
            f"DELETE FROM procrastinate_workers WHERE id = {first.member}"
        )
    )
    with pytest.raises(UnavailableError, match="others took its servers over"):
        await first.write(count_up)
    assert "restart it" in (await asyncio.wait_for(first.holding.gone(), 10)).text
    assert not first.holding.held
    assert await second.write(count_up) == 0.0


async def test_a_short_restart_of_the_database_is_two_lines_in_the_log_of_a_worker(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 23 point 7: over before anybody doubts that the worker is there; its end is none."""
    worker = await Store.open(url, shared=True)
    rival = await asyncpg.connect(url)
    others = "pid != pg_backend_pid() AND datname = current_database()"
    await rival.fetchval(
        f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {others}"
    )
    await soon(lambda: "the database is back" in caplog.text)
    assert worker.holding.held
    assert await worker.write(count_up) == 0.0
    await worker.close()
    await rival.close()
    assert [record.message for record in caplog.records] == [
        "the database is away: all work waits until it is back",
        "the database is back: work continues",
    ]


async def test_who_is_stopped_in_the_middle_of_a_transaction_keeps_nobody_from_writing(
    pair: tuple[Store, Store], url: str
) -> None:
    """Issue 25, point 8: the server itself ends a transaction that rests for three seconds."""
    connection = await asyncpg.connect(url)
    await connection.execute("SET idle_in_transaction_session_timeout = '3s'")
    begun = connection.transaction()
    await begun.start()
    member = pair[0].member
    await connection.fetchval(f"SELECT roundtable_begin({member})")
    began = asyncio.get_running_loop().time()
    assert await pair[1].write(count_up) == 0.0
    assert asyncio.get_running_loop().time() - began > 1
    connection.terminate()


async def test_a_process_alone_gives_up_whatever_worker_was_cut_off(url: str) -> None:
    """The worker's connections broke, and `roundtable run` was faster."""
    worker = await Store.open(url, shared=True)
    member = worker.member
    await worker.close()
    alone = await Store.open(url)
    with pytest.raises(UnavailableError, match="others took its servers over"):
        await alone.write(lambda conn: conn.exec_driver_sql(f"SELECT roundtable_begin({member})"))
    await alone.close()


async def test_two_workers_together_keep_to_a_daily_budget(pair: tuple[Store, Store]) -> None:
    """Issue 25, point 5: a person's money is one, in however many servers they ask."""
    under = limits(per_person_per_day_usd=10.0, per_server_per_day_usd=1000.0)
    racing = [
        start(pair[number % 2], f"topic {number}", costing(0.5, 0.5), under, person=EVE)
        for number in range(60)
    ]
    ended = await asyncio.gather(*racing, return_exceptions=True)
    refused = [error for error in ended if isinstance(error, NotAllowedError)]
    assert (len(ended) - len(refused), len(refused)) == (20, 40)


async def test_two_workers_together_keep_to_the_most_roundtables_at_once(
    pair: tuple[Store, Store],
) -> None:
    """Issue 25, point 5: maxConcurrent, cooldown and dedup are decided with the run."""
    panels = alone()
    panels["trigger"] = {"maxConcurrent": 3, "cooldownSeconds": 1000}
    config = loaded(panels)

    def begin(conn: Connection, topic: int, person: int) -> bool:
        wanted = Start(HERE, Asker(person))
        admit_start(conn, wanted, config, 100.0)
        place = TopicPlace(HERE, 20, Mode.VOTE, f"topic {topic}")
        new = NewRun(place, 20, None, person, f"topic {topic}", seed=1)
        started = RunRepository(conn).start(new, Actor.ORCHESTRATOR, 100.0)
        note_start(conn, wanted, started.run.id, 100.0)
        return started.created

    racing = [
        pair[number % 2].write(lambda conn, n=number: begin(conn, n // 2, n % 10))  # type: ignore[misc]
        for number in range(40)
    ]
    ended = await asyncio.gather(*racing, return_exceptions=True)
    assert sum(each is True for each in ended) == 3
    assert sum(isinstance(each, NotAllowedError) for each in ended) == 37
