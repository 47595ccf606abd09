"""A store on a fresh file or database, a clock that tests move, and a run to write about."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.request import topic_key
from bot.store import Phase, Store, move
from bot.store.engine.backend import Where
from bot.store.repositories.runs import NewRun, Run, RunRepository, TopicPlace
from bot.store.tables import metadata, schema_version
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from tests.support.postgres_server import PostgresServer


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
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file to copy, because creating every table for every test takes its time."""
    path = tmp_path_factory.mktemp("template") / "roundtable.db"
    asyncio.run(_create(path))
    return path


@pytest.fixture(scope="session")
def empty_database(postgres_server: PostgresServer) -> str:
    """The same on Postgres: the name of a migrated database, emptied before each test."""
    name = asyncio.run(postgres_server.create())
    asyncio.run(_create(postgres_server.url(name)))
    return name


async def _create(where: Where) -> None:
    await (await Store.open(where)).close()


@dataclass(frozen=True, slots=True)
class SqliteFiles:
    """Fresh places for a store: files in a folder."""

    folder: Path
    template: Path

    async def vacant(self) -> Where:
        """A place without any table."""
        return self.folder / "roundtable.db"

    async def prepared(self) -> Where:
        """A place with every table, all of them empty."""
        return Path(shutil.copy(self.template, self.folder))

    async def clear(self) -> None:
        """The folder goes with the test."""


@dataclass(frozen=True, slots=True)
class PostgresDatabases:
    """Fresh places for a store: databases of one server, one of them emptied for each test."""

    server: PostgresServer
    migrated: str
    made: list[str] = field(default_factory=list)

    async def vacant(self) -> Where:
        self.made.append(await self.server.create())
        return self.server.url(self.made[-1])

    async def prepared(self) -> Where:
        await self.server.execute(EMPTY_EVERYTHING, self.migrated)
        return self.server.url(self.migrated)

    async def clear(self) -> None:
        for name in self.made:
            await self.server.drop(name)


# Without the triggers that keep orphans out and the log append-only.
EMPTY_EVERYTHING = "SET session_replication_role = replica;" + ";".join(
    f"DELETE FROM {table.name}" for table in metadata.sorted_tables if table is not schema_version
)


Places = SqliteFiles | PostgresDatabases


def on_sqlite(request: pytest.FixtureRequest) -> SqliteFiles:
    return SqliteFiles(request.getfixturevalue("tmp_path"), request.getfixturevalue("empty_file"))


def on_postgres(request: pytest.FixtureRequest) -> PostgresDatabases:
    return PostgresDatabases(
        request.getfixturevalue("postgres_server"), request.getfixturevalue("empty_database")
    )


@pytest.fixture(params=[on_sqlite, on_postgres], ids=["sqlite", "postgres"])
def backend(request: pytest.FixtureRequest) -> Places:
    """Each database in turn; a module about one of them overrides this."""
    places: Places = request.param(request)
    return places


@pytest.fixture
async def places(backend: Places) -> AsyncIterator[Places]:
    yield backend
    await backend.clear()


@pytest.fixture
async def store(places: Places, clock: Clock) -> AsyncIterator[Store]:
    opened = await Store.open(await places.prepared(), clock=clock)
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
        lambda conn: RunRepository(conn).start(wanted, Actor.ORCHESTRATOR, store.now())
    )
    return started.run


async def conclude(store: Store, run: Run, at: float | None = None) -> None:
    """Walk a run along the main line to its end."""
    path = (
        *(Phase.SPEC_DRAFT, Phase.SPEC_REVIEW, Phase.EXECUTION_READY, Phase.EXECUTING),
        *(Phase.SPEC_GATE, Phase.QUALITY_GATE, Phase.COMPLETED),
    )
    now = store.now() if at is None else at

    def walk(conn: Connection) -> None:
        for before, after in pairwise(path):
            move(conn, run.id, before, after, Actor.ORCHESTRATOR, "", now)

    await store.write(walk)


@pytest.fixture
async def run(store: Store) -> Run:
    return await start_run(store)


def where_of(text: str) -> Where:
    """A place as a test handed it to a process on its command line."""
    return text if "://" in text else Path(text)


def sql(statement: str, *parameters: object) -> Callable[[Connection], None]:
    """A closure that executes one raw statement."""

    def work(conn: Connection) -> None:
        marked = statement
        if conn.dialect.name == "postgresql":
            for number in range(1, len(parameters) + 1):
                marked = marked.replace("?", f"${number}", 1)
        conn.exec_driver_sql(marked, parameters or None)

    return work


async def writer_of(store: Store) -> Callable[[str], None]:
    """Executes statements of SQLite on the connection that writes, outside of a transaction."""
    engine = await store.write(lambda conn: conn.engine)

    def execute(statement: str) -> None:
        connection = engine.raw_connection()
        connection.cursor().execute(statement)
        connection.close()

    return execute
