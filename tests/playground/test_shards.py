"""Shards, session starts and the limit of the token, with a real sharded discord.py."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import pytest

from bot.playground.faults import PER_TOKEN, Limits, SessionStarts
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot, connected
from tests.support.many_servers import discord_of, shard_of

SHARDS = 3


class ShardedSmallBot(SmallBot, discord.AutoShardedClient):
    """The small bot with as many shards as Discord recommends, or some of them."""


@asynccontextmanager
async def identified(
    server: EmbeddedDiscord, shard: Sequence[int] | None = None
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A socket that said hello and identified by hand."""
    body = {"token": server.token, "intents": 1 << 9} | ({"shard": shard} if shard else {})
    async with aiohttp.ClientSession() as http, http.ws_connect(server.gateway_url) as socket:
        await socket.receive_json()
        await socket.send_json({"op": 2, "d": body})
        yield socket


async def closed_with(server: EmbeddedDiscord, shard: Sequence[int] | None) -> int | None:
    """The code that an identify is closed with."""
    async with identified(server, shard) as socket:
        await socket.receive()
        return socket.close_code


async def test_a_bot_is_told_how_many_shards_to_start() -> None:
    starts = SessionStarts(SHARDS, max_concurrency=2, total=9)
    async with discord_of(1, starts) as server, connected(server, ShardedSmallBot()) as bot:
        assert bot.shard_count == SHARDS
        limits = await bot.fetch_session_start_limits()  # type: ignore[attr-defined]
        assert (limits.total, limits.remaining, limits.max_concurrency) == (9, 6, 2)


async def test_every_shard_has_its_own_servers_and_all_have_all() -> None:
    async with discord_of(9, SessionStarts(SHARDS)) as server:
        options: dict[str, Any] = {"shard_count": SHARDS, "shard_ids": [1]}
        async with connected(server, ShardedSmallBot(**options)) as bot:
            wanted = {guild for guild in server.world.guilds if shard_of(guild, SHARDS) == 1}
            assert {guild.id for guild in bot.guilds} == wanted
            assert len(wanted) == 3
        async with connected(server, ShardedSmallBot()) as bot:
            assert {guild.id for guild in bot.guilds} == set(server.world.guilds)


async def test_an_event_goes_to_the_shard_of_its_server_and_direct_ones_to_the_first() -> None:
    async with discord_of(SHARDS, SessionStarts(SHARDS)) as server:
        heard = dict[int, list[str]]()
        mara = server.person("Mara").id
        for shard in range(SHARDS):
            options: dict[str, Any] = {"shard_count": SHARDS, "shard_ids": [shard]}
            async with connected(server, ShardedSmallBot(**options)) as bot:
                for guild in server.world.guilds.values():
                    place = server.world.channels_of(guild)[0]
                    await server.say(mara, place.id, str(shard_of(guild.id, SHARDS)))
                await server.dm(mara, "direct")
                await bot.hear("message", 2 if shard == 0 else 1)
                heard[shard] = bot.texts()
        assert heard == {0: ["0", "direct"], 1: ["1"], 2: ["2"]}


async def test_too_many_servers_on_a_shard_are_refused_with_4011() -> None:
    async with discord_of(4, SessionStarts(2, most_guilds=2)) as server:
        with pytest.raises(discord.ConnectionClosed) as caught:
            async with connected(server):
                pass
        assert caught.value.code == 4011
        async with connected(server, ShardedSmallBot()) as bot:
            assert len(bot.guilds) == 4


async def test_a_shard_that_does_not_exist_is_refused_with_4010() -> None:
    async with discord_of(1, SessionStarts()) as server:
        assert await closed_with(server, (2, 2)) == 4010


async def test_who_identifies_too_often_has_an_invalid_session() -> None:
    """One key is `shard % max_concurrency`: shards 0 and 2 share it, 1 has its own."""
    now = [0.0]
    starts = SessionStarts(3, max_concurrency=2, seconds=5.0, clock=lambda: now[0])
    async with discord_of(3, starts) as server:

        async def answer(shard: int) -> int:
            async with identified(server, (shard, 3)) as socket:
                return int((await socket.receive_json())["op"])

        assert [await answer(shard) for shard in (0, 1, 2)] == [0, 0, 9]
        now[0] = 5.0
        assert await answer(2) == 0
        assert (starts.refused, starts.used) == (1, 3)


async def test_more_sessions_than_a_day_allows_cost_the_token() -> None:
    async with discord_of(1, SessionStarts(total=1)) as server, identified(server) as first:
        assert (await first.receive_json())["t"] == "READY"
        assert await closed_with(server, None) == 4004


async def test_a_resumed_session_is_no_new_start() -> None:
    starts = SessionStarts(seconds=60.0)
    async with EmbeddedDiscord(starts=starts) as server, connected(server) as bot:
        await server.gateway.drop_connections()
        await bot.hear("resumed")
        assert (starts.used, starts.refused) == (1, 0)


async def test_the_token_has_fifty_requests_a_second_and_violations_are_counted() -> None:
    """discord.md 2.6; webhooks and interactions carry no token and are not counted."""
    limits = Limits(everything=PER_TOKEN)
    async with EmbeddedDiscord(limits=limits) as server:
        headers = {"Authorization": f"Bot {server.token}"}
        async with aiohttp.ClientSession(headers=headers) as http:

            async def ask() -> tuple[int, bool]:
                async with http.get(f"{server.api_url}/users/@me") as answer:
                    body = await answer.json()
                    return answer.status, body.get("global", False)

            answers = await asyncio.gather(*(ask() for _ in range(60)))
        assert answers.count((200, False)) == 50
        assert answers.count((429, True)) == limits.violations == 10
    for route in ("POST webhooks/#/%", "PATCH webhooks/#/%/messages/%", "POST interactions/#/%"):
        assert limits.take(route, "1")[1] == 0.0


async def resumed(server: EmbeddedDiscord, session: str, seq: int) -> tuple[int | None, list[Any]]:
    """How a resumed session is closed, or what it begins with."""
    body = {"token": server.token, "session_id": session, "seq": seq}
    async with aiohttp.ClientSession() as http, http.ws_connect(server.gateway_url) as socket:
        await socket.receive_json()
        await socket.send_json({"op": 6, "d": body})
        heard: list[Any] = []
        while "RESUMED" not in heard and 9 not in heard:
            message = await socket.receive()
            if message.type is not aiohttp.WSMsgType.TEXT:
                return socket.close_code, heard
            told = message.json()
            heard.append(told["t"] if told["op"] == 0 else told["op"])
        await socket.close(code=4000)
        return None, heard


async def test_a_session_is_resumed_unless_it_was_ended_is_too_old_or_never_was() -> None:
    """Issue 25, point 3: Discord replays what was missed, after any close but 1000 and 1001."""
    now = [0.0]
    starts = SessionStarts(clock=lambda: now[0], resumable=60.0)

    async def begun(code: int) -> str:
        async with identified(server) as socket:
            session = str((await socket.receive_json())["d"]["session_id"])
            await socket.close(code=code)
        while any(each.outbox for each in server.gateway.sessions.values()):  # noqa: ASYNC110
            await asyncio.sleep(0)
        return session

    async with discord_of(1, starts) as server:
        kept = await begun(4000)
        mara, guild = server.person("Mara").id, next(iter(server.world.guilds.values()))
        await server.say(mara, server.world.channels_of(guild)[0].id, "anybody?")
        _, heard = await resumed(server, kept, 2)
        assert heard == ["MESSAGE_CREATE", "RESUMED"]
        assert await resumed(server, kept, 99) == (4007, [])
        assert await resumed(server, kept, 2) == (None, [9])
        for final in (1000, 1001):
            assert await resumed(server, await begun(final), 1) == (None, [9])
        old = await begun(4000)
        now[0] = 61.0
        assert await resumed(server, old, 1) == (None, [9])
