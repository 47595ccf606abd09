"""A killed process loses nothing that was acknowledged and ruins nothing."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, select

from bot.store import Store
from bot.store.engine.backend import Where
from bot.store.engine.migrations import STEPS, current_version
from bot.store.tables import metadata, turns
from tests.store.conftest import Places

pytestmark = pytest.mark.heavy

WRITE_FOREVER = """
import asyncio, sys
from bot.store import Store
from bot.store.tables import turns
from tests.store.conftest import start_run, where_of

def pair(conn, run_id, seat, ordinal):
    row = {"run_id": run_id, "seat": seat, "voice": "said", "author": "", "created_at": 1.0}
    for number in (2 * ordinal, 2 * ordinal + 1):
        conn.execute(turns.insert(), row | {"ordinal": number, "text": "z" * 1500})

async def write(store, run_id, seat):
    for ordinal in range(1_000_000):
        await store.write(lambda conn: pair(conn, run_id, seat, ordinal))
        sys.stdout.write(f"{seat} {ordinal}\\n")
        sys.stdout.flush()

async def main():
    store = await Store.open(where_of(sys.argv[1]))
    run = await start_run(store)
    await asyncio.gather(*(write(store, run.id, f"seat{n}") for n in range(4)))

asyncio.run(main())
"""

DIE_IN_MIGRATION = """
import asyncio, os, sys
from sqlalchemy import event
from sqlalchemy.engine import Engine
from bot.store import Store
from tests.store.conftest import where_of

left = int(sys.argv[2])

@event.listens_for(Engine, "after_cursor_execute")
def die(*_args):
    global left
    left -= 1
    if left == 0:
        os._exit(9)

asyncio.run(Store.open(where_of(sys.argv[1])))
"""


FILL_THE_DISK = """
import asyncio, resource, sys
from pathlib import Path
from bot.errors import UnavailableError
from bot.store import Store
from bot.store.repositories.run_lists import RunListRepository
from tests.store.conftest import request_for, start_run

async def main():
    store = await Store.open(Path(sys.argv[1]))
    run = await start_run(store)
    room = Path(sys.argv[1] + "-wal").stat().st_size
    limit, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room + 20_000, most))
    try:
        for number in range(1000):
            await start_run(store, request_for(f"topic {number} " + "z" * 3000))
    except UnavailableError as error:
        print(error.text)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
    await start_run(store, request_for("after the flood"))
    unfinished = await store.read(lambda conn: RunListRepository(conn).unfinished())
    print(len(unfinished) - number)
    await store.close()

asyncio.run(main())
"""


def kill_after(where: Where, lines: int) -> list[str]:
    command = [sys.executable, "-c", WRITE_FOREVER, str(where)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        rest = process.stdout.read().splitlines(keepends=True)
    # A line cut off by the kill acknowledges nothing.
    return [line.strip() for line in seen + rest if line.endswith("\n")]


async def test_kill_minus_nine_loses_no_acknowledged_row_and_tears_none(
    places: Places,
) -> None:
    where = await places.vacant()
    acknowledged = await asyncio.to_thread(kill_after, where, 60)
    assert len(acknowledged) >= 60
    store = await Store.open(where)
    query = select(turns.c.seat, turns.c.ordinal)
    rows = await store.read(lambda conn: {(r.seat, r.ordinal) for r in conn.execute(query)})
    await store.close()
    for line in acknowledged:
        seat, ordinal = line.split()
        assert (seat, 2 * int(ordinal)) in rows
    assert all((seat, ordinal ^ 1) in rows for seat, ordinal in rows)


@pytest.mark.parametrize("statements", [2, 9, 28])
async def test_a_migration_killed_between_statements_completes_at_the_next_start(
    places: Places, statements: int
) -> None:
    where = await places.vacant()
    command = [sys.executable, "-c", DIE_IN_MIGRATION, str(where), str(statements)]
    died = await asyncio.to_thread(subprocess.run, command, capture_output=True)
    assert died.returncode == 9
    store = await Store.open(where)

    def tables(conn: Connection) -> set[str]:
        names = inspect(conn).get_table_names()
        return {name for name in names if not name.startswith(("sqlite_", "procrastinate_"))}

    assert await store.read(tables) == set(metadata.tables)
    assert await store.read(current_version) == STEPS[-1].number
    await store.close()


async def test_a_file_that_may_not_grow_is_told_and_room_again_means_writing_again(
    tmp_path: Path,
) -> None:
    """The operating system itself refuses the bytes; what was acknowledged is there."""
    command = [sys.executable, "-c", FILL_THE_DISK, str(tmp_path / "roundtable.db")]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told, kept = done.stdout.splitlines()
    assert "then try again" in told
    assert int(kept) == 2
