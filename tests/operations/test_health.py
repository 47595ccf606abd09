"""The health page: what it says, to whom, and nothing a person wrote."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.operations.health import HealthSource, health_page
from bot.store import DATABASE, CallStatus, Store
from bot.store.repositories.calls import Call, CallRepository
from tests.store.conftest import request_for, start_run


@asynccontextmanager
async def served(home: Path, *, connected: bool = True) -> AsyncIterator[tuple[Store, str]]:
    store = await Store.open(home / DATABASE)
    vitals = HealthSource(store, lambda: connected, lambda: 3, lambda: 0.25)
    try:
        async with health_page(vitals, 0) as port:
            yield store, f"http://127.0.0.1:{port}"
    finally:
        await store.close()


async def fetched(url: str, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.get(url, headers=headers)


async def test_a_connected_bot_is_healthy(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, url):
        answer = await fetched(f"{url}/health")

    assert answer.status_code == 200
    said = answer.json()
    assert (said["status"], said["discord"], said["database"]) == ("ok", "connected", "answers")
    assert said["running"] == 3


async def test_a_lost_connection_or_database_is_not_healthy(tmp_path: Path) -> None:
    async with served(tmp_path, connected=False) as (_, url):
        offline = await fetched(f"{url}/health")
    async with served(tmp_path) as (store, url):
        await store.close()
        closed = await fetched(f"{url}/health")

    assert (offline.status_code, offline.json()["discord"]) == (503, "not connected")
    assert (closed.status_code, closed.json()["database"]) == (503, "does not answer")


async def test_figures_count_runs_and_hold_no_words_of_people(tmp_path: Path) -> None:
    async with served(tmp_path) as (store, url):
        await start_run(store, request_for("Who steals the coffee?"))
        answer = await fetched(f"{url}/metrics")

    lines = answer.text.splitlines()
    assert 'roundtable_runs{phase="spec_draft"} 1.0' in lines
    assert 'roundtable_up{role="run"} 1.0' in lines
    assert "roundtable_cost_usd_total 0.0" in lines
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "coffee" not in answer.text


async def test_large_figures_are_exact_and_labels_stay_within_their_quotes(tmp_path: Path) -> None:
    async with served(tmp_path) as (store, url):
        run = await start_run(store)
        call = Call(
            run.id, "k", "round", "p", 'a"b', CallStatus.OK, 1.0, 2.0, input_tokens=12_345_678
        )._replace(cached_tokens=1024)
        await store.write(lambda conn: CallRepository(conn).record(call))
        lines = (await fetched(f"{url}/metrics")).text.splitlines()

    assert 'roundtable_tokens_total{direction="in"} 1.2345678e+07' in lines
    assert "roundtable_cached_tokens_total 1024.0" in lines
    assert 'roundtable_calls_total{model="a\\"b",provider="p",status="ok"} 1.0' in lines


def record(call: Call, conn: Connection) -> None:
    CallRepository(conn).record(call)


async def test_how_long_calls_take_is_a_histogram_by_provider_and_model(tmp_path: Path) -> None:
    """Issue 23 point 7: buckets count up, and failed calls are in them."""
    durations = {"quick": [0.5, 0.6, 3.0], "slow": [45.0, 301.0]}
    async with served(tmp_path) as (store, url):
        run = await start_run(store)
        for model, each in durations.items():
            for number, seconds in enumerate(each):
                status = CallStatus.FAILED if number == 1 else CallStatus.OK
                key = f"{model}{number}"
                call = Call(run.id, key, "round", "p", model, status, 100.0, 100.0 + seconds)
                await store.write(partial(record, call))
        lines = (await fetched(f"{url}/metrics")).text.splitlines()

    def bucket(model: str, limit: str) -> str:
        start = f'roundtable_call_seconds_bucket{{le="{limit}",model="{model}",provider="p"}} '
        (line,) = [line for line in lines if line.startswith(start)]
        return line.removeprefix(start)

    assert "# TYPE roundtable_call_seconds histogram" in lines
    assert [bucket("quick", limit) for limit in ("0.5", "1.0", "5.0", "+Inf")] == [
        *("1.0", "2.0", "3.0", "3.0"),
    ]
    assert [bucket("slow", limit) for limit in ("40.0", "60.0", "300.0", "+Inf")] == [
        *("0.0", "1.0", "1.0", "2.0"),
    ]
    assert 'roundtable_call_seconds_count{model="slow",provider="p"} 2.0' in lines
    assert 'roundtable_call_seconds_sum{model="slow",provider="p"} 346.0' in lines


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
async def test_the_process_is_measured_too(tmp_path: Path) -> None:
    """Issue 23 point 7: memory, processor time, open files, and when it was started."""
    async with served(tmp_path) as (_, url):
        answer = await fetched(f"{url}/metrics")
    figures = dict(line.split() for line in answer.text.splitlines() if line.startswith("process_"))
    assert float(figures["process_resident_memory_bytes"]) > 10_000_000
    assert float(figures["process_cpu_seconds_total"]) > 0
    assert float(figures["process_open_fds"]) > 3
    assert 0 < time.time() - float(figures["process_start_time_seconds"]) < 100_000


async def test_figures_are_served_while_the_database_is_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 23 point 7: no scrape writes a traceback into the log."""
    async with served(tmp_path) as (store, url):
        there = await fetched(f"{url}/metrics")
        await store.close()
        away = await fetched(f"{url}/metrics")
    assert (there.status_code, away.status_code) == (200, 200)
    assert 'roundtable_database_up{role="run"} 1.0' in there.text.splitlines()
    assert 'roundtable_database_up{role="run"} 0.0' in away.text.splitlines()
    assert 'roundtable_up{role="run"} 1.0' in away.text.splitlines()
    assert "roundtable_runs" not in away.text
    assert caplog.text == ""


async def test_who_waits_is_alive_and_says_for_what() -> None:
    """Issue 25, point 7: a worker that stands by is ready to take over."""
    standing_by = HealthSource(None, lambda: True, role="worker", waits="standing by")
    async with health_page(standing_by, 0) as port:
        url = f"http://127.0.0.1:{port}"
        answers = [await fetched(f"{url}/{path}") for path in ("health", "health/live", "metrics")]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    said = answers[0].json()
    assert (said["status"], said["state"], said["role"]) == ("ok", "standing by", "worker")
    assert "discord" not in said
    assert 'roundtable_up{role="worker"} 0.0' in answers[2].text.splitlines()


async def test_a_page_that_was_opened_to_other_machines_takes_any_name(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / DATABASE)
    vitals = HealthSource(store, lambda: False)
    async with health_page(vitals, 0, "0.0.0.0") as port:
        answers = [
            (await fetched(f"http://127.0.0.1:{port}/{path}", Host="gateway:9464")).status_code
            for path in ("health/live", "health/ready", "metrics")
        ]
    await store.close()
    assert answers == [200, 503, 200]


async def test_a_foreign_name_for_this_machine_is_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, url):
        answer = await fetched(f"{url}/metrics", Host="evil.example")

    assert answer.status_code == 403


async def test_an_address_of_another_machine_is_no_problem_of_the_port(tmp_path: Path) -> None:
    async with served(tmp_path) as (store, _):
        with pytest.raises(UnavailableError, match=r"ROUNDTABLE_HEALTH_HOST 192\.0\.2\.7"):
            async with health_page(HealthSource(store, bool, int, float), 0, "192.0.2.7"):
                pass


async def test_a_taken_port_is_said_with_the_setting(tmp_path: Path) -> None:
    async with served(tmp_path) as (store, url):
        port = int(url.rpartition(":")[2])
        with pytest.raises(UnavailableError, match=f"ROUNDTABLE_HEALTH_PORT {port}"):
            async with asyncio.timeout(5), health_page(HealthSource(store, bool, int, float), port):
                pass
