"""What servers and networks do to a store on Postgres."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy.exc import DBAPIError

from bot.errors import AwayError, UnavailableError
from bot.store import Store
from bot.store.engine import postgres_lock
from bot.store.repositories.runs import Run
from tests.store.conftest import PostgresDatabases, on_postgres, request_for, sql, start_run
from tests.store.engine.test_store import adding, stored
from tests.support.time_travel import fast_time

OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid != pg_backend_pid()"


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> PostgresDatabases:
    return on_postgres(request)


@dataclass
class Wire:
    """A socket between the store and the server that can be cut at a commit."""

    server: str
    cut: str = ""
    cuts: int = 0
    mute: bool = False
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="rt-wire-")))

    @property
    def socket(self) -> Path:
        return self.folder / ".s.PGSQL.5432"

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes on in both directions until one side or the test ends it."""
        behind = await asyncio.open_unix_connection(f"{self.server}/.s.PGSQL.5432")
        back = asyncio.create_task(self.answer(behind[0], writer))
        try:
            while data := await reader.read(65536):
                if self.cut and b"COMMIT" in data:
                    await self.sever(data, back, behind)
                    break
                behind[1].write(data)
        finally:
            back.cancel()
            behind[1].close()
            writer.close()

    async def sever(
        self,
        data: bytes,
        back: "asyncio.Task[None]",
        behind: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        back.cancel()
        await asyncio.wait([back])
        if self.cut == "after":
            behind[1].write(data)
            await behind[0].read(65536)
        self.cut = ""
        self.cuts += 1

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        if not self.mute:
            writer.close()


@asynccontextmanager
async def wired(places: PostgresDatabases) -> AsyncIterator[tuple[Store, Wire]]:
    """A store whose connections go through a wire."""
    await places.prepared()
    wire = Wire(str(places.server.folder))
    listener = await asyncio.start_unix_server(wire.carry, wire.socket)
    store = await Store.open(f"postgresql://postgres@/{places.migrated}?host={wire.folder}")
    try:
        yield store, wire
    finally:
        await store.close()
        listener.close()
        await listener.wait_closed()
        shutil.rmtree(wire.folder)


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_commit_that_nobody_answered_is_neither_lost_nor_done_twice(
    places: PostgresDatabases, moment: str
) -> None:
    async with wired(places) as (store, wire):
        await start_run(store)
        wire.cut = moment
        run = await start_run(store, request_for("another topic"))
        assert wire.cuts == 1
        count = "SELECT count(*) FROM runs"
        assert await store.read(lambda conn: conn.exec_driver_sql(count).scalar_one()) == 2
        await store.write(adding(run, 1))
        wire.cut = moment
        results = await asyncio.gather(*(store.write(adding(run, n)) for n in range(2, 6)))
        assert results == [2, 3, 4, 5]
        assert await stored(store) == [1, 2, 3, 4, 5]
        assert wire.cuts == 2


async def test_a_restart_of_the_server_goes_unnoticed(
    store: Store, run: Run, places: PostgresDatabases
) -> None:
    await store.write(adding(run, 1))
    assert await stored(store) == [1]
    await places.server.execute(OTHERS)
    assert await stored(store) == [1]
    await places.server.execute(OTHERS)
    assert await store.write(adding(run, 2)) == 2
    assert await stored(store) == [1, 2]


async def test_a_connection_lost_in_the_middle_runs_everybody_again(
    store: Store, run: Run, places: PostgresDatabases
) -> None:
    lives: list[int] = []

    def die_once(conn: object) -> None:
        lives.append(1)
        if len(lives) == 1:
            sql("SELECT pg_terminate_backend(pg_backend_pid())")(conn)  # type: ignore[arg-type]

    results = await asyncio.gather(
        store.write(adding(run, 1)), store.write(die_once), store.write(adding(run, 2))
    )
    assert list(results) == [1, None, 2]
    assert len(lives) == 2
    assert await stored(store) == [1, 2]


async def test_who_lost_the_lock_to_another_process_cannot_write(
    store: Store, run: Run, places: PostgresDatabases
) -> None:
    thief = await asyncpg.connect(places.server.url(places.migrated))
    await thief.execute(OTHERS)
    await thief.execute(postgres_lock.TRY_LOCK.replace("pg_try_advisory", "pg_advisory"))
    with pytest.raises(UnavailableError, match="already in use by another process: stop that"):
        async with fast_time(10):
            await store.write(adding(run, 1))
    await thief.close()
    assert await store.write(adding(run, 2)) == 2
    assert await stored(store) == [2]


async def test_a_server_that_stays_away_is_told_to_everybody(
    places: PostgresDatabases,
) -> None:
    async with wired(places) as (store, wire), fast_time(20):
        run = await start_run(store)
        wire.socket.unlink()
        await places.server.execute(OTHERS)
        works = [store.write(adding(run, n)) for n in range(3)]
        results = await asyncio.gather(*works, return_exceptions=True)
        assert [type(result) for result in results] == [AwayError] * 3
        assert "is unreachable: check that the server is running" in str(results[0])
        with pytest.raises(UnavailableError, match="is unreachable"):
            await stored(store)


async def test_a_server_that_does_not_say_goodbye_does_not_hold_up_a_stop(
    places: PostgresDatabases,
) -> None:
    async with wired(places) as (store, wire):
        await start_run(store)
        wire.mute = True
        async with asyncio.timeout(200), fast_time(10):
            await store.close()


async def test_the_log_cannot_be_truncated(store: Store, run: Run) -> None:
    with pytest.raises(DBAPIError, match="events is append-only"):
        await store.write(sql("TRUNCATE events"))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("53100", "is full: free some space"),
        ("53300", "accepts no more connections"),
        ("53200", "is short of memory"),
        ("25006", "is read-only: set ROUNDTABLE_DATABASE_URL to the primary"),
        ("58030", "reported an error: check the server's disk"),
        ("XX001", "is damaged: restore a backup"),
        ("57014", "took too long"),
    ],
)
async def test_what_the_server_lacks_is_told_in_one_sentence_and_the_writer_lives(
    store: Store, run: Run, code: str, sentence: str
) -> None:
    failing = f"DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '{code}'; END $$"
    with pytest.raises(UnavailableError, match=sentence):
        await store.write(sql(failing))
    assert await store.write(adding(run, 1)) == 1


async def test_a_database_that_is_not_there_is_named_without_its_password(
    places: PostgresDatabases,
) -> None:
    url = f"postgresql://postgres:secret-word@/nowhere?host={places.server.folder}"
    with pytest.raises(UnavailableError, match="postgresql:///nowhere does not exist: create"):
        await Store.open(url)


async def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"postgresql:///tables is unreachable: check"):
        await Store.open(f"postgresql://postgres@/tables?host={tmp_path}")


async def test_a_user_without_rights_is_told(places: PostgresDatabases) -> None:
    url = f"postgresql://stranger@/{places.migrated}?host={places.server.folder}"
    with pytest.raises(UnavailableError, match="rejected the user or password: correct"):
        await Store.open(url)
    vacant = str(await places.vacant())
    await places.server.execute("CREATE ROLE stranger LOGIN")
    try:
        with pytest.raises(UnavailableError, match="The user lacks a permission on"):
            await Store.open(vacant.replace("postgres@", "stranger@"))
    finally:
        await places.server.execute("DROP ROLE stranger")


async def test_a_url_the_driver_does_not_understand_is_told(places: PostgresDatabases) -> None:
    url = f"{await places.prepared()}&sslmode=perhaps"
    with pytest.raises(UnavailableError, match="ROUNDTABLE_DATABASE_URL is not valid"):
        await Store.open(url)


async def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(UnavailableError, match="needs the extra postgres: run"):
        await Store.open("postgresql://db/tables")


async def test_a_database_in_another_encoding_is_refused(places: PostgresDatabases) -> None:
    name = f"latin_{places.migrated}"
    options = "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    await places.server.execute(f"CREATE DATABASE {name} {options}")
    places.made.append(name)
    with pytest.raises(UnavailableError, match="does not use UTF-8"):
        await Store.open(places.server.url(name))
