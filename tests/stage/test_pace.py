"""How many requests with the bot's token go out in a second."""

import asyncio

import aiohttp

from bot.playground.faults import PER_TOKEN, Limits
from bot.playground.server import EmbeddedDiscord
from bot.stage.persistence import RequestPace
from bot.stage.personas import fence
from bot.store.engine.locks import Holding

CHANNEL = "/api/v10/channels/1/messages"


async def sent_at(pace: RequestPace, waits: list[float], count: int) -> list[float]:
    """When so many requests that come at once go out, by how long each was told to wait."""
    moments = []
    for _ in range(count):
        waits.clear()
        await pace.wait(CHANNEL)
        moments.append(waits[0] if waits else 0.0)
    return moments


async def test_no_second_sees_more_than_a_fifth_above_the_rate() -> None:
    """Issue 25, point 4: 40 a second are at most 49 in any second, where Discord allows 50."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    moments = await sent_at(RequestPace(40, sleep, lambda: 0.0), waits, 200)
    most = max(sum(begin <= moment < begin + 1 for moment in moments) for begin in moments)
    assert moments == sorted(moments)
    assert 40 <= most <= 49
    assert 4.5 < moments[-1] < 5.0


async def test_answers_to_people_and_messages_of_webhooks_never_wait() -> None:
    """discord.md 2.6: they carry no token, and people get their answer within 3 s."""

    async def sleep(seconds: float) -> None:
        raise AssertionError(seconds)

    pace = RequestPace(0.001, sleep, lambda: 0.0)
    for _ in range(3):
        await pace.wait("/api/v10/interactions/1/token/callback")
        await pace.wait("/api/v10/webhooks/1/token/messages/@original")


async def test_a_burst_of_requests_breaks_no_limit_of_the_token() -> None:
    """Over real sockets; without the pace the same burst is refused."""
    limits = Limits(everything=PER_TOKEN)
    async with EmbeddedDiscord(limits=limits) as server:
        headers = {"Authorization": f"Bot {server.token}"}

        async def burst(pace: RequestPace | None) -> list[int]:
            trace = fence(Holding(), pace)
            async with aiohttp.ClientSession(headers=headers, trace_configs=[trace]) as http:

                async def ask() -> int:
                    async with http.get(f"{server.api_url}/users/@me") as answer:
                        return answer.status

                return await asyncio.gather(*(ask() for _ in range(80)))

        assert set(await burst(RequestPace(25))) == {200}
        assert limits.violations == 0
        assert 429 in await burst(None)
        assert limits.violations > 0


async def test_messages_of_webhooks_have_a_pace_of_their_own() -> None:
    """Issue 25, point 4: without a token Discord counts by address, 50 a second, too."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    pace = RequestPace(40, sleep, lambda: 0.0, of_webhooks=True)
    for _ in range(100):
        await pace.wait("/api/v10/webhooks/1/token")
    assert 2.0 < waits[-1] < 2.5
