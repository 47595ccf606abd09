"""Gateways and workers as processes of their own, on a real Postgres."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from bot.playground.faults import SessionStarts
from tests.e2e.fleet_harness import fleet
from tests.e2e.test_on_postgres import soon
from tests.panels.panels_data import ALONE
from tests.support.postgres_server import PostgresServer

pytestmark = pytest.mark.heavy


async def test_gateways_share_the_shards_and_workers_hold_the_meetings(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, points 1, 3 and 4; the worker has no gateway connection."""
    # Discord's five seconds, less what a machine that runs other tests may delay an identify.
    starts = SessionStarts(4, most_guilds=1, max_concurrency=4, seconds=3.5)
    async with fleet(tmp_path, postgres_server, starts) as bench:
        await bench.start("worker")
        await bench.start("gateway")
        await bench.start("gateway")
        while sorted(map(len, shares(printed := await bench.printed()))) != [2, 2]:
            pass
        await soon(lambda: bench.sessions() == [0, 1, 2, 3])
        for guild in bench.discord.world.guilds.values():
            await bench.ask(guild)
        await soon(lambda: bench.concluded() == sorted(bench.discord.world.guilds))
        assert bench.doubled() == []
        assert bench.discord.limits.violations == 0
        assert starts.refused == 0
        assert bench.discord.unknown_routes == []
    assert set.union(*shares(printed)) == {"0", "1", "2", "3"}
    assert [line.split()[0] for line in printed.splitlines()] == [
        *("gateway", "gateway", "worker", "wake-ups", "inbox")
    ]


def shares(printed: str) -> list[set[str]]:
    """The shards of each gateway, as `roundtable fleet` prints them."""
    lines = [line for line in printed.splitlines() if line.startswith("gateway")]
    return [set(line.partition("shards ")[2].split(" of")[0].split(", ")) for line in lines]


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "SIGSTOP"])
async def test_another_worker_goes_on_with_the_meetings_of_one_that_ended(
    tmp_path: Path, postgres_server: PostgresServer, how: str
) -> None:
    """Issue 25, points 2 and 8: killed, stopped by systemd, or frozen and awake again too late."""
    starts = SessionStarts(1, seconds=0.0)
    async with fleet(tmp_path, postgres_server, starts, servers=4, seconds_per_answer=1.5) as bench:
        await bench.start("worker")
        await bench.start("worker")
        await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0])
        await soon(lambda: bench.said_by("first", "Use this link"))
        await soon(lambda: bench.said_by("second", "Use this link"))
        for guild in bench.discord.world.guilds.values():
            await bench.ask(guild)
        await soon(lambda: len(bench.speaking()) == 4)
        holders = await bench.holders()
        doomed = next(iter(holders.values()))
        lost = {server for server, process in holders.items() if process is doomed}
        assert 0 < len(lost) < 4, "both workers hold meetings at the same time"
        doomed.send_signal(getattr(signal, how))
        began = asyncio.get_running_loop().time()
        await soon(lambda: bench.resumed() == lost)
        waited = asyncio.get_running_loop().time() - began
        if how == "SIGSTOP":
            doomed.send_signal(signal.SIGCONT)
        everywhere = sorted(bench.discord.world.guilds)
        await soon(lambda: bench.concluded() == everywhere)
        assert waited < (5 if how == "SIGTERM" else 12)
        assert await asyncio.wait_for(doomed.wait(), 20) is not None
        assert (bench.doubled(), len(bench.discord.threads())) == ([], 4)
        calls = await bench.calls()
        assert len(calls) == len(set(calls)) > 0
        if how == "SIGSTOP":
            assert "others took its servers over" in bench.logged()


async def test_forgetting_reaches_the_servers_that_another_worker_holds(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, point 2: only the holder of a server stops its meetings."""
    starts = SessionStarts(1, seconds=0.0)
    async with fleet(tmp_path, postgres_server, starts, servers=4, seconds_per_answer=30) as bench:
        await bench.start("worker")
        await bench.start("worker")
        await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0])
        await soon(lambda: bench.said_by("second", "Use this link"))
        for guild in bench.discord.world.guilds.values():
            await bench.ask(guild)
        await soon(lambda: len(bench.discord.threads()) == 4)
        assert len(set((await bench.holders()).values())) == 2
        mara = bench.discord.person("Mara").id
        general = bench.general(next(iter(bench.discord.world.guilds.values())))
        shown = await (await bench.discord.slash(mara, general.id, "roundtable forget")).message()
        assert "4 roundtables you started" in shown.content
        pressed = await bench.discord.press(mara, shown.id, f"rt:forget:{mara}")
        assert "Removed: 4 roundtables" in (await pressed.message(timeout=30)).content
        assert await bench.topics() == {""}


async def test_a_gateway_that_dies_leaves_its_shards_to_others_and_nothing_is_missed(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, points 3 and 8: what was typed while nobody heard it is read afterwards."""
    starts = SessionStarts(2, max_concurrency=2)
    async with fleet(tmp_path, postgres_server, starts, servers=2) as bench:
        await bench.start("worker")
        doomed = await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0, 1])
        await soon(lambda: bench.said_by("first", "Use this link"))
        doomed.kill()
        await doomed.wait()
        await soon(lambda: bench.sessions() == [])
        for guild in bench.discord.world.guilds.values():
            await bench.ask(guild)
        await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0, 1])
        await soon(lambda: bench.concluded() == sorted(bench.discord.world.guilds))
        assert len(bench.discord.threads()) == 2
        assert bench.doubled() == []


async def test_a_press_is_answered_even_when_no_worker_is_up(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, point 1: within three seconds, by the gateway."""
    async with fleet(tmp_path, postgres_server, SessionStarts(), servers=1) as bench:
        worker = await bench.start("worker")
        await bench.start("gateway")
        (guild,) = bench.discord.world.guilds.values()
        await soon(lambda: bench.said_by("first", "Use this link"))
        await soon(lambda: bench.sessions() == [0])
        mara, general = bench.discord.person("Mara").id, bench.general(guild).id
        asked = await bench.discord.slash(mara, general, "roundtable help")
        assert "roundtable" in (await asked.message()).content
        worker.kill()
        await worker.wait()
        asked = await bench.discord.slash(mara, general, "roundtable help")
        said = (await asked.message()).content
        assert said == "Roundtable is restarting and did nothing: try again in a few seconds."
        printed = await bench.printed()
        assert "No worker is up: start `roundtable worker`." in printed
        assert "inbox    0 events waiting" in printed


async def test_what_happens_while_postgres_restarts_is_kept(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, point 8: the gateway keeps what it hears, and no worker gives another one up."""
    async with fleet(tmp_path, postgres_server, SessionStarts(), servers=1) as bench:
        await bench.start("worker")
        await bench.start("worker")
        await bench.start("gateway")
        (guild,) = bench.discord.world.guilds.values()
        await soon(lambda: bench.said_by("first", "Use this link"))
        await soon(lambda: bench.sessions() == [0])
        await asyncio.to_thread(postgres_server.stop)
        await bench.ask(guild)
        await asyncio.sleep(8)  # longer than a worker may be silent beside others
        assert bench.discord.threads() == []
        postgres_server.start()
        await soon(lambda: bench.concluded() == [guild.id])
        assert (len(bench.discord.threads()), bench.doubled()) == (1, [])
        assert all(process.returncode is None for process in bench.processes)


@pytest.mark.parametrize("role", ["gateway", "worker", "fleet"])
async def test_roles_need_postgres_and_say_so(tmp_path: Path, role: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", role),
        env=os.environ | ALONE | {"ROUNDTABLE_HOME": str(tmp_path), "DISCORD_TOKEN": "a.b.c"},
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 1
    assert complaint.decode().startswith("Several processes share Postgres")
