"""Logging in, identifying, intents and resuming over real sockets."""

from contextlib import AsyncExitStack

import aiohttp
import discord
import pytest

from bot.playground import _gateway
from bot.playground.redirect import redirect_discord_py
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot, connected, every_intent


async def test_an_unmodified_client_becomes_ready(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """discord.md 1.2"""
    assert bot.user is not None
    assert bot.user.id == server.bot_user_id
    assert [guild.name for guild in bot.guilds] == ["The Table"]


async def test_the_world_has_the_promised_channels(bot: SmallBot) -> None:
    names = {channel.name for channel in bot.get_all_channels()}
    assert names == {"general", "decisions", "ask-the-table", "off-limits", "forum"}


async def test_the_members_of_a_server_arrive_with_it(bot: SmallBot) -> None:
    names = {member.name for member in bot.guilds[0].members}
    assert names == {"Roundtable", "Mara", "Jonas", "Ines", "Echo"}


async def test_without_the_members_intent_nobody_is_cached(server: EmbeddedDiscord) -> None:
    """discord.md 1.4#7"""
    async with connected(server, SmallBot(intents=discord.Intents.default())) as bot:
        assert bot.guilds[0].get_member(server.person("Mara").id) is None


async def test_a_bad_token_is_refused_at_login(server: EmbeddedDiscord) -> None:
    bot = SmallBot()
    with server.redirected(), pytest.raises(discord.LoginFailure):
        await bot.start("wrong")
    await bot.close()


async def test_a_bad_token_is_refused_by_the_gateway(server: EmbeddedDiscord) -> None:
    async with aiohttp.ClientSession() as http, http.ws_connect(server.gateway_url) as socket:
        await socket.receive_json()
        await socket.send_json({"op": 2, "d": {"token": "wrong", "intents": 0}})
        await socket.receive()
        assert socket.close_code == 4004


async def test_an_unapproved_privileged_intent_is_refused() -> None:
    async with EmbeddedDiscord(approved_intents=0) as server:
        with pytest.raises(discord.PrivilegedIntentsRequired):
            async with connected(server):
                pass


@pytest.mark.parametrize(
    ("change", "intents", "code"),
    [({}, 1 << 18, 4013), ({"PRIVILEGED": 1}, 1, 4014)],
)
async def test_a_bot_is_refused_for_good_with_the_code_that_discord_has_for_it(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, int], intents: int, code: int
) -> None:
    """Intents that do not exist or are not allowed."""
    for name, value in change.items():
        monkeypatch.setattr(_gateway, name, value)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(EmbeddedDiscord(approved_intents=0))
        http = await stack.enter_async_context(aiohttp.ClientSession())
        socket = await stack.enter_async_context(http.ws_connect(server.gateway_url))
        await socket.receive_json()
        await socket.send_json({"op": 2, "d": {"token": server.token, "intents": intents}})
        await socket.receive()
        assert socket.close_code == code


async def test_events_of_a_lost_connection_are_replayed(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    """discord.md 1.3"""
    general = server.channel("general").id
    await server.gateway.drop_connections()
    await server.say(server.person("Mara").id, general, "while you were away")
    await bot.hear("resumed")
    assert bot.texts() == ["while you were away"]


async def test_an_invalid_session_loses_the_events_of_the_gap(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    """discord.md 1.3"""
    general, mara = server.channel("general").id, server.person("Mara").id
    await server.gateway.invalidate_sessions()
    await server.say(mara, general, "lost")
    await bot.hear("ready", 2)
    await server.say(mara, general, "heard")
    await bot.hear("message")
    assert bot.texts() == ["heard"]


async def test_without_the_content_intent_text_is_hidden_unless_the_bot_is_addressed() -> None:
    """discord.md 1.4#11"""
    approved = discord.Intents(members=True, presences=True)
    async with EmbeddedDiscord(approved_intents=approved.value) as server:
        intents = every_intent()
        intents.message_content = False
        async with connected(server, SmallBot(intents=intents)) as bot:
            mara, general = server.person("Mara").id, server.channel("general").id
            await server.say(mara, general, "private chatter")
            await server.say(mara, general, f"<@{server.bot_user_id}> hello")
            await server.dm(mara, "between us")
            await bot.hear("message", 3)
            own = await bot.text_channel("general").send("mine")
            await server.say(mara, general, "an answer", reply_to=own.id)
            await bot.hear("message", 5)
            read = [m.content async for m in bot.text_channel("general").history(oldest_first=True)]
            mention = f"<@{server.bot_user_id}> hello"
            assert bot.texts() == ["", mention, "between us", "mine", "an answer"]
            assert read == ["", mention, "mine", "an answer"]


async def test_a_reply_to_a_webhook_does_not_reveal_its_text() -> None:
    """discord.md 2.3: a reply to a webhook message counts as a mention of nobody."""
    client = SmallBot(intents=discord.Intents.default())
    async with EmbeddedDiscord(approved_intents=0) as server, connected(server, client) as bot:
        hook = await bot.text_channel("general").create_webhook(name="seats")
        said = await hook.send("I am Ada", username="Ada", wait=True)
        mara, general = server.person("Mara").id, server.channel("general").id
        await server.say(mara, general, "hidden from the bot", reply_to=said.id)
        heard = await bot.hear("message", 2)
        assert heard[1].content == ""
        assert heard[1].reference.message_id == said.id


async def test_the_redirection_is_undone() -> None:
    before = discord.http.Route.BASE, discord.Asset.BASE
    with redirect_discord_py("http://127.0.0.1:1/api/v10", "ws://127.0.0.1:1/gateway", "http://c"):
        assert discord.http.Route.BASE == "http://127.0.0.1:1/api/v10"
    assert before == (discord.http.Route.BASE, discord.Asset.BASE)


async def test_an_empty_address_leaves_that_part_alone() -> None:
    before = discord.Asset.BASE
    with redirect_discord_py(api="http://127.0.0.1:1/api/v10"):
        assert before == discord.Asset.BASE


async def test_an_unknown_route_is_refused_and_counted() -> None:
    async with EmbeddedDiscord() as server:
        async with connected(server) as bot:
            with pytest.raises(discord.HTTPException) as caught:
                await bot.guilds[0].fetch_emojis()
            assert caught.value.status == 501
        guild = next(iter(server.world.guilds))
        assert server.unknown_routes == [f"GET /guilds/{guild}/emojis"]


async def test_what_is_left_out_is_refused_and_counted() -> None:
    async with EmbeddedDiscord() as server, connected(server) as bot:
        with pytest.raises(discord.HTTPException) as caught:
            await bot.text_channel("general").create_thread(name="private")
        assert caught.value.status == 501
        assert "no private threads" in server.unknown_routes[0]


async def test_answers_have_the_plain_json_type(server: EmbeddedDiscord) -> None:
    """discord.md 1.4#1"""
    headers = {"Authorization": f"Bot {server.token}"}
    url = f"{server.api_url}/users/@me"
    async with aiohttp.ClientSession(headers=headers) as http, http.get(url) as answer:
        assert answer.headers["Content-Type"] == "application/json"
        assert "X-RateLimit-Remaining" in answer.headers
