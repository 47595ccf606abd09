"""The health page: what it says, to whom, and nothing a person wrote."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

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
    assert "roundtable_up 1.0" in lines
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


async def test_a_foreign_name_for_this_machine_is_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, url):
        answer = await fetched(f"{url}/metrics", Host="evil.example")

    assert answer.status_code == 403


async def test_a_taken_port_is_said_with_the_setting(tmp_path: Path) -> None:
    async with served(tmp_path) as (store, url):
        port = int(url.rpartition(":")[2])
        with pytest.raises(UnavailableError, match=f"ROUNDTABLE_HEALTH_PORT {port}"):
            async with asyncio.timeout(5), health_page(HealthSource(store, bool, int, float), port):
                pass
