"""Gateways and workers as processes of their own, on a real Postgres."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from bot.playground import _gateway
from bot.playground.faults import SessionStarts
from bot.playground.model import Guild
from tests.e2e.fleet_harness import ended, fleet, shares
from tests.panels.panels_data import ALONE
from tests.support.free_ports import closed_port
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import soon

pytestmark = pytest.mark.heavy


async def test_gateways_share_the_shards_and_workers_hold_the_meetings(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, points 1, 3 and 4; the worker has no gateway connection."""
    # Discord's five seconds, less what a machine that runs other tests may delay an identify.
    starts = SessionStarts(4, most_guilds=1, max_concurrency=4, seconds=3.5)
    async with fleet(tmp_path, postgres_server, starts) as bench:
        await bench.start_all("worker", "gateway", "gateway", shards=4)
        printed = await bench.printed_with(lambda found: sorted(map(len, found)) == [2, 2])
        await bench.ask_everywhere()
        await bench.conclude_everywhere()
        assert bench.doubled() == []
        assert bench.discord.limits.violations == 0
        assert starts.refused == 0
        assert bench.discord.unknown_routes == []
    assert set.union(*shares(printed)) == {"0", "1", "2", "3"}
    assert [line.split()[0] for line in printed.splitlines()] == [
        *("gateway", "gateway", "worker", "wake-ups", "inbox")
    ]


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "SIGSTOP"])
async def test_another_worker_goes_on_with_the_meetings_of_one_that_ended(
    tmp_path: Path, postgres_server: PostgresServer, how: str
) -> None:
    """Issue 25, points 2 and 8: killed, stopped by systemd, or frozen and awake again too late."""
    starts = SessionStarts(1, seconds=0.0)
    async with fleet(tmp_path, postgres_server, starts, servers=4, seconds_per_answer=4) as bench:
        await bench.start_all("worker", "worker", "gateway", shards=1)
        await bench.ask_one_by_one()
        await soon(lambda: len(bench.speaking()) == 4)
        holders = await bench.holders()
        doomed = next(iter(holders.values()))
        lost = {server for server, process in holders.items() if process is doomed}
        assert 0 < len(lost) < 4, "both workers hold meetings at the same time"
        doomed.send_signal(getattr(signal, how))
        await soon(lambda: bench.resumed() == lost)
        if how == "SIGSTOP":
            doomed.send_signal(signal.SIGCONT)
        await bench.conclude_everywhere()
        assert ("gave no sign" in bench.logged()) == (how != "SIGTERM")
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
        await bench.start_all("worker", "worker", "gateway", shards=1)
        await bench.ask_one_by_one()
        assert len(set((await bench.holders()).values())) == 2
        mara = bench.discord.person("Mara").id
        general = bench.general(bench.guilds[0])
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
        _, doomed = await bench.start_all("worker", "gateway", shards=2)
        await ended(doomed, signal.SIGKILL)
        await soon(lambda: bench.sessions() == [])
        await bench.ask_everywhere()
        await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0, 1])
        await bench.conclude_everywhere()
        assert len(bench.discord.threads()) == 2
        assert bench.doubled() == []


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
async def test_a_gateway_that_follows_another_one_resumes_its_sessions(
    tmp_path: Path, postgres_server: PostgresServer, how: str
) -> None:
    """Issue 25, point 3: no identify is used, and Discord replays what nobody heard."""
    starts = SessionStarts(2, max_concurrency=2)
    async with fleet(tmp_path, postgres_server, starts, servers=2) as bench:
        _, first = await bench.start_all("worker", "gateway", shards=2)
        known = sorted(bench.discord.gateway.sessions)
        one, other = bench.guilds
        await bench.ask(one)
        await soon(lambda: bench.concluded() == [one.id])
        assert await ended(first, signal.Signals[how]) in (0, -signal.SIGKILL)
        await soon(lambda: bench.sessions() == [])
        await bench.ask(other)
        await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0, 1])
        await bench.conclude_everywhere()
        assert (starts.used, sorted(bench.discord.gateway.sessions)) == (2, known)
        assert (len(bench.discord.threads()), bench.doubled()) == (2, [])


@pytest.mark.parametrize("how", ["recommended", "4011"])
async def test_gateways_move_to_more_shards_by_themselves_and_nothing_is_missed(
    tmp_path: Path, postgres_server: PostgresServer, how: str
) -> None:
    """Issue 25, point 3: asked for by Discord at a start, or when it refuses a shard."""
    starts = SessionStarts(2, most_guilds=2, max_concurrency=16)
    async with fleet(tmp_path, postgres_server, starts) as bench:
        await bench.start_all("worker", "gateway", "gateway", shards=2)
        if how == "4011":
            starts.most_guilds = 1
            await bench.discord.gateway.invalidate_sessions(1)
        else:
            starts.shards = 4
            await bench.start("gateway")
        await bench.ask_everywhere()
        await soon(lambda: bench.sessions() == [0, 1, 2, 3])
        await bench.conclude_everywhere()
        assert (len(bench.discord.threads()), bench.doubled()) == (4, [])
        assert all(process.returncode is None for process in bench.processes)
        every = {"0", "1", "2", "3"}
        shown = await bench.printed_with(lambda found: set.union(*found) - {"none"} == every)
        assert "of 4" in shown


def one_each(found: list[set[str]]) -> bool:
    """Whether two gateways share two shards."""
    return sorted(found, key=sorted) == [{"0"}, {"1"}]


async def test_a_frozen_gateway_loses_its_shards_and_doubles_nothing_when_it_wakes_up(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, points 3 and 8: for a moment two gateways believe that a shard is theirs."""
    starts = SessionStarts(2, max_concurrency=2)
    async with fleet(tmp_path, postgres_server, starts) as bench:
        first, second = bench.guilds[:2], bench.guilds[2:]
        _, frozen, _ = await bench.start_all("worker", "gateway", "gateway", shards=2)
        await bench.printed_with(one_each)
        frozen.send_signal(signal.SIGSTOP)
        for guild in first:
            await bench.ask(guild)
        await bench.printed_with(lambda found: found == [{"0", "1"}])
        await soon(lambda: len(bench.concluded()) == 2)
        frozen.send_signal(signal.SIGCONT)
        await bench.printed_with(one_each)
        await soon(lambda: bench.sessions() == [0, 1])
        for guild in second:
            await bench.ask(guild)
        await soon(lambda: len(bench.concluded()) == 4)
        assert starts.used == 2
        assert (len(bench.discord.threads()), bench.doubled()) == (4, [])
        assert all(process.returncode is None for process in bench.processes)


async def test_presses_are_answered_while_every_gateway_is_replaced(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, point 7: a rolling update; within three seconds, without an identify."""
    starts = SessionStarts(2, max_concurrency=2)
    async with fleet(tmp_path, postgres_server, starts, servers=2) as bench:
        _, *gateways = await bench.start_all("worker", "gateway", "gateway", shards=2)
        mara, clock = bench.discord.person("Mara").id, asyncio.get_running_loop().time

        async def press(guild: Guild) -> float:
            began = clock()
            asked = await bench.discord.slash(mara, bench.general(guild).id, "roundtable help")
            assert "is restarting" not in (await asked.message()).content
            return clock() - began

        async def press_on() -> list[float]:
            presses: list[asyncio.Task[float]] = []
            while not replaced.is_set():
                presses += [asyncio.create_task(press(guild)) for guild in bench.guilds]
                await asyncio.sleep(0.25)
            return await asyncio.gather(*presses)

        replaced = asyncio.Event()
        pressing = asyncio.create_task(press_on())
        for number, gateway in enumerate(gateways):
            await bench.start("gateway")
            await bench.printed_with(lambda found: len(found) == 3)
            assert await ended(gateway) == 0, number
            await bench.printed_with(lambda found: sorted(map(len, found)) == [1, 1])
        replaced.set()
        waited = await asyncio.wait_for(pressing, 30)
        assert len(waited) > 20
        assert max(waited) < 3
        assert (starts.used, bench.discord.limits.violations) == (2, 0)


async def test_a_session_that_discord_has_forgotten_is_begun_anew(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, point 3: what was typed meanwhile is read."""
    starts = SessionStarts()
    async with fleet(tmp_path, postgres_server, starts, servers=1) as bench:
        _, first = await bench.start_all("worker", "gateway", shards=1)
        await ended(first)
        await bench.discord.gateway.invalidate_sessions()
        (guild,) = bench.guilds
        await bench.ask(guild)
        await bench.start("gateway")
        await soon(lambda: bench.concluded() == [guild.id])
        assert (starts.used, len(bench.discord.threads()), bench.doubled()) == (2, 1, [])


async def test_a_press_is_answered_even_when_no_worker_is_up(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, point 1: within three seconds, by the gateway."""
    async with fleet(tmp_path, postgres_server, SessionStarts(), servers=1) as bench:
        worker, _ = await bench.start_all("worker", "gateway", shards=1)
        (guild,) = bench.guilds
        mara, general = bench.discord.person("Mara").id, bench.general(guild).id
        asked = await bench.discord.slash(mara, general, "roundtable help")
        assert "roundtable" in (await asked.message()).content
        await ended(worker, signal.SIGKILL)
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
        await bench.start_all("worker", "worker", "gateway", shards=1)
        (guild,) = bench.guilds
        await asyncio.to_thread(postgres_server.stop)
        await bench.ask(guild)
        await asyncio.sleep(8)  # longer than a worker may be silent beside others
        assert bench.discord.threads() == []
        postgres_server.start()
        await soon(lambda: bench.concluded() == [guild.id])
        assert (len(bench.discord.threads()), bench.doubled()) == (1, [])
        assert all(process.returncode is None for process in bench.processes)


async def test_a_database_that_goes_and_comes_back_is_two_lines_in_every_log(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 23 point 7: for longer than anybody waits, while a meeting is under way and people ask.

    A shard that Discord drops meanwhile waits for its turn to identify, and ends nothing.
    """
    starts = SessionStarts(2, max_concurrency=2)
    async with fleet(tmp_path, postgres_server, starts, seconds_per_answer=1.0) as bench:
        await bench.start_all("worker", shards=0)
        await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0, 1])
        first, second, *_ = bench.guilds
        await bench.ask(first)
        await soon(lambda: bool(bench.voices()))
        await asyncio.to_thread(postgres_server.stop)
        await bench.ask(second)
        mara = bench.discord.person("Mara").id
        await bench.discord.slash(mara, bench.general(second).id, "roundtable help")
        await bench.discord.gateway.invalidate_sessions(1)
        await asyncio.sleep(14)
        postgres_server.start()
        await soon(lambda: bench.concluded() == sorted((first.id, second.id)))
        await soon(lambda: bench.sessions() == [0, 1])
        assert [await ended(process) for process in bench.processes] == [0, 0]
        for role, goes in (("worker-0", "all work waits"), ("gateway-1", "what is heard waits")):
            log = (tmp_path / role / "err").read_text()
            told = [line for line in log.splitlines() if " INFO " not in line]
            assert len(told) == 2, log
            assert told[0].endswith(f"the database is away: {goes} until it is back")
            assert told[1].endswith("the database is back: work continues")
        assert bench.doubled() == []


async def test_every_role_says_whether_it_is_alive_and_ready(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, point 7: a gateway, a worker, one that stands by or waits, and one that moves."""
    async with (
        fleet(tmp_path, postgres_server, SessionStarts(2, max_concurrency=2)) as bench,
        httpx.AsyncClient(trust_env=False) as client,
    ):

        async def started(role: str) -> tuple[Process, str]:
            port = str(closed_port())
            process = await bench.start(role, ROUNDTABLE_HEALTH_PORT=port)
            return process, f"http://127.0.0.1:{port}"

        async def until(url: str, status: int, **said: str) -> None:
            async with asyncio.timeout(60):
                while True:
                    with suppress(httpx.TransportError):
                        answer = await client.get(f"{url}/health/ready")
                        if answer.status_code == status and said.items() <= answer.json().items():
                            return
                    await asyncio.sleep(0.1)

        _, gateway = await started("gateway")
        await until(gateway, 503, role="gateway", state="waiting for the database")
        assert (await client.get(f"{gateway}/health/live")).status_code == 200
        first, worker = await started("worker")
        await until(worker, 200, role="worker", state="working", discord="connected")
        await until(gateway, 200, role="gateway", state="working", database="answers")
        figures = ""
        while 'roundtable_processes{role="worker"} 1.0' not in figures:
            figures = (await client.get(f"{gateway}/metrics")).text
        assert 'roundtable_up{role="gateway"} 1.0' in figures
        assert 'roundtable_shard_latency_seconds{role="gateway",shard="1"}' in figures
        assert 'roundtable_shard_silent_seconds{shard="0"}' in figures
        assert "roundtable_inbox_events 0.0" in figures
        assert "roundtable_runs" not in figures
        assert "roundtable_cost_usd_total" in (await client.get(f"{worker}/metrics")).text
        _, second = await started("worker")
        await until(second, 200, role="worker")
        await ended(first)
        await until(second, 200, state="working", discord="connected")


NEXT_VERSION = """
import runpy
from bot.store.engine import migrations

def expand(conn):
    conn.exec_driver_sql("CREATE TABLE of_the_next_version (id integer)")
    conn.exec_driver_sql("ALTER TABLE runs ADD COLUMN next_version text NOT NULL DEFAULT ''")

def contract(conn):
    conn.exec_driver_sql("ALTER TABLE of_the_next_version RENAME TO contracted")

more = migrations.Step(98, expand), migrations.Step(99, contract, contracts=True)
migrations.STEPS = (*migrations.STEPS, *more)
runpy.run_module("bot", run_name="__main__")
"""


async def test_a_worker_of_the_previous_version_works_beside_the_new_one(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 25, points 6 and 8: this version is the previous one, the next has two more steps.

    The one that adds runs while this version is up; the one that takes away waits until it is not.
    """
    new = ("-c", NEXT_VERSION)
    async with fleet(tmp_path, postgres_server, SessionStarts(), 3, 0.5) as bench:
        one, other, third = bench.guilds

        async def steps() -> list[int]:
            found = await bench.query("SELECT version FROM schema_version WHERE version > 90")
            return sorted(row["version"] for row in found)

        old_worker, old_gateway = await bench.start("worker"), await bench.start("gateway")
        await soon(lambda: bench.working() == 1)
        new_worker = await bench.start("worker", new)
        await bench.ask(one)
        await soon(lambda: bool(bench.voices()))
        assert await ended(old_worker) == 0
        await soon(lambda: bench.concluded() == [one.id])
        assert await steps() == [98]
        old_worker = await bench.start("worker")
        await ended(new_worker, signal.SIGKILL)
        await bench.ask(other)
        await soon(lambda: bench.concluded() == sorted((one.id, other.id)))
        assert await ended(old_worker) == 0
        assert await ended(old_gateway) == 0
        await bench.start("worker", new)
        await bench.start("gateway", new)
        await bench.ask(third)
        await bench.conclude_everywhere()
        assert (await steps(), bench.doubled()) == ([98, 99], [])
        late = await bench.start("gateway")
        await soon(lambda: "written by a newer Roundtable (schema version 99" in bench.logged())
        assert late.returncode is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, "Discord rejected DISCORD_TOKEN: copy it again from the developer portal."),
        ({"KNOWN": 1}, "Discord refuses how this Roundtable connects (code 4013): install a newer"),
        ({"PRIVILEGED": 1}, "The Message Content intent is disabled: gateways need it."),
    ],
    ids=["4004", "4013", "4014"],
)
async def test_a_gateway_that_discord_refuses_for_good_ends_with_78(
    tmp_path: Path,
    postgres_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, int],
    sentence: str,
) -> None:
    """Issue 23 point 7, issue 25 point 7: systemd does not start it again; a person has to act."""
    async with fleet(tmp_path, postgres_server, SessionStarts(), servers=1) as bench:
        await bench.start("worker")
        gateway = await bench.start("gateway")
        await soon(lambda: bench.sessions() == [0])
        if not change:
            bench.discord.gateway.token = "another.one.altogether"
        for name, value in change.items():
            monkeypatch.setattr(_gateway, name, value)
        monkeypatch.setattr(bench.discord.gateway, "_approved", 0)
        await bench.discord.gateway.invalidate_sessions()
        assert await asyncio.wait_for(gateway.wait(), 60) == 78
        said = (tmp_path / "gateway-1" / "err").read_text().splitlines()
        assert said[-1].startswith(sentence)
        assert "Traceback" not in "".join(said)


async def test_a_worker_whose_token_discord_refuses_ends_with_78_too(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Issue 23 point 7."""
    async with fleet(tmp_path, postgres_server, SessionStarts(), servers=1) as bench:
        worker = await bench.start("worker", DISCORD_TOKEN="wrong.token.here")
        assert await asyncio.wait_for(worker.wait(), 60) == 78
        said = (tmp_path / "worker-0" / "err").read_text()
        assert said.splitlines()[-1].startswith("Discord rejected DISCORD_TOKEN: copy it again")
        assert "Traceback" not in said


async def test_a_gateway_without_a_discord_says_so_in_one_sentence(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Worth a restart: code 1."""
    async with fleet(tmp_path, postgres_server, SessionStarts(), servers=1) as bench:
        await bench.start("worker")
        nowhere = f"http://127.0.0.1:{closed_port()}/api/v10"
        gateway = await bench.start("gateway", ROUNDTABLE_DISCORD_API=nowhere)
        assert await asyncio.wait_for(gateway.wait(), 60) == 1
        said = (tmp_path / "gateway-1" / "err").read_text().splitlines()
        assert said[-1].startswith("Discord cannot be reached: check the network")
        assert "Traceback" not in "".join(said)


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
