"""All processes with one token keep to Discord's limits together, by the database's clock."""

import asyncio
import sys
import time
from asyncio.subprocess import PIPE, Process

import aiohttp
import aiohttp.web
import pytest

from bot.fleet.pace import SharedRequests
from bot.playground.faults import PER_TOKEN, Limits
from bot.playground.server import EmbeddedDiscord
from bot.stage.persistence import RequestPace
from bot.stage.personas import fence
from bot.store import Store
from bot.store.engine.locks import Holding

SECONDS = 6.0
PROCESS = """
import asyncio, sys, time
import aiohttp
import aiohttp.web
from bot.fleet.pace import SharedRequests
from bot.stage.persistence import RequestPace
from bot.stage.personas import fence
from bot.store.engine.locks import Holding

async def main(url, api, token, seconds):
    shared = SharedRequests(url)
    trace = fence(Holding(), RequestPace(40, shared=shared.of_token(token)))
    headers, answers = {"Authorization": f"Bot {token}"}, []
    async with aiohttp.ClientSession(headers=headers, trace_configs=[trace]) as http:
        async def ask_on():
            while time.monotonic() < until:
                async with http.get(f"{api}/users/@me") as answer:
                    answers.append((answer.status, time.monotonic()))
        print("ready", flush=True)
        sys.stdin.readline()
        until = time.monotonic() + seconds
        await asyncio.gather(*(ask_on() for _ in range(20)))
    await shared.close()
    print(sum(status != 200 for status, _ in answers), flush=True)
    print(len(answers), flush=True)
    print(answers[-1][1] - until + seconds, flush=True)

asyncio.run(main(*sys.argv[1:4], float(sys.argv[4])))
"""


async def told(process: Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


@pytest.mark.heavy
async def test_three_processes_at_full_speed_break_no_limit_and_waste_little(
    store: Store, url: str
) -> None:
    """Issue 25, point 4: 50 a second for the token, of which at least 80 % are used."""
    assert store.holding.held
    limits = Limits(everything=PER_TOKEN)
    async with EmbeddedDiscord(limits=limits) as server:
        arguments = (url, server.api_url, server.token, str(SECONDS))
        processes = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", PROCESS, *arguments), stdin=PIPE, stdout=PIPE
            )
            for _ in range(3)
        ]
        assert [await told(process) for process in processes] == ["ready"] * 3
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(b"go\n")
        assert [await told(process) for process in processes] == ["0"] * 3
        answered = sum([int(await told(process)) for process in processes])
        seconds = max([float(await told(process)) for process in processes])
        assert [await process.wait() for process in processes] == [0] * 3
    assert limits.violations == 0
    assert answered / seconds >= 0.8 * PER_TOKEN.count


async def test_a_refusal_that_one_process_meets_stops_all(store: Store, url: str) -> None:
    """Issue 25, point 4: told by NOTIFY, and kept in the row for whoever asks later."""
    assert store.holding.held
    met, other, late = (SharedRequests(url) for _ in range(3))
    paces = [RequestPace(40, shared=each.of_token("t")) for each in (met, other, late)]
    for pace in paces[:2]:
        await pace.wait("/api/v10/users/@me")

    async def refuse(_: aiohttp.web.Request) -> aiohttp.web.Response:
        headers = {"X-RateLimit-Scope": "global", "Retry-After": "2"}
        return aiohttp.web.Response(status=429, headers=headers)

    app = aiohttp.web.Application()
    app.router.add_get("/{path:.*}", refuse)
    runner = aiohttp.web.AppRunner(app)
    await runner.setup()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
    trace = fence(Holding(), paces[0])
    there = f"http://127.0.0.1:{runner.addresses[0][1]}/users/@me"
    async with aiohttp.ClientSession(trace_configs=[trace]) as http, http.get(there) as answer:
        assert answer.status == 429
    began = time.monotonic()
    await asyncio.sleep(0.2)
    await asyncio.gather(*(pace.wait("/api/v10/users/@me") for pace in paces))
    assert 1.7 < time.monotonic() - began < 4
    await runner.cleanup()
    for each in (met, other, late):
        await each.close()


async def test_webhooks_have_turns_of_their_own_and_answers_to_people_need_none(
    store: Store, url: str
) -> None:
    """Discord counts requests without a token by address, and answers not at all."""
    assert store.holding.held
    shared = SharedRequests(url)
    own = RequestPace(40, shared=shared.of_token("t"))
    webhooks = RequestPace(40, shared=shared.of_webhooks(), of_webhooks=True)
    shared.of_token("t").wait_for(60)
    async with asyncio.timeout(5):
        await own.wait("/api/v10/interactions/1/token/callback")
        await own.wait("/api/v10/webhooks/1/token/messages/@original")
        for _ in range(5):
            await webhooks.wait("/api/v10/webhooks/1/token")
    waiting = asyncio.create_task(own.wait("/api/v10/users/@me"))
    done, _ = await asyncio.wait({waiting}, timeout=0.3)
    assert not done
    waiting.cancel()
    await shared.close()
