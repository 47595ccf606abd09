"""A store on a fresh file, a clock that tests move, and a run to write about."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.request import Mode, topic_key
from bot.store import Actor, Store, runs
from bot.store.runs import NewRun, Run, TopicPlace


@dataclass
class Clock:
    """Time that moves only when told."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file to copy, because creating every table for every test takes its time."""
    path = tmp_path_factory.mktemp("template") / "roundtable.db"

    async def create() -> None:
        await (await Store.open(path)).close()

    asyncio.run(create())
    return path


@pytest.fixture
async def store(tmp_path: Path, clock: Clock, empty_database: Path) -> AsyncIterator[Store]:
    path = Path(shutil.copy(empty_database, tmp_path))
    opened = await Store.open(path, clock=clock)
    yield opened
    await opened.close()


def request_for(topic: str = "Tabs or spaces?", *, generation: int = 0) -> NewRun:
    """A request as the parser would hand it on."""
    place = TopicPlace(1, 20, Mode.DEBATE, topic_key(topic), generation)
    return NewRun(place, 20, 300, 4_000, topic, seed=7, request={"flags": ["--quick"]})


def in_mode(new: NewRun, mode: Mode) -> NewRun:
    """The same request in another mode."""
    return replace(new, place=replace(new.place, mode=mode))


async def start_run(store: Store, new: NewRun | None = None) -> Run:
    """Create a run the way the orchestrator does."""
    wanted = new or request_for()
    started = await store.write(
        lambda conn: runs.start(conn, wanted, Actor.ORCHESTRATOR, store.now())
    )
    return started.run


@pytest.fixture
async def run(store: Store) -> Run:
    return await start_run(store)


def sql(statement: str, *parameters: object) -> Callable[[Connection], None]:
    """A closure that executes one raw statement."""

    def work(conn: Connection) -> None:
        conn.exec_driver_sql(statement, parameters or None)

    return work
