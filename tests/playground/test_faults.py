"""Faults: each does what it says, and discord.py behaves as measured (discord.md 1.3)."""

import asyncio
import time

import aiohttp
import discord
import pytest

from bot.playground.faults import EventFault, Fault, Faults
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot, connected

SEND = "channels/*/messages"


def kept(server: EmbeddedDiscord) -> list[str]:
    return [m.content for m in server.messages(server.channel("general").id)]


async def test_a_429_is_waited_out(server: EmbeddedDiscord, bot: SmallBot) -> None:
    server.faults.add(Fault("status", "POST", SEND, status=429, seconds=0.05))
    began = time.monotonic()
    await bot.text_channel("general").send("patient")
    assert time.monotonic() - began >= 0.05
    assert kept(server) == ["patient"]


async def test_a_webhook_waits_a_429_out_too(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """discord.md 2.6: the channel limit of webhooks is not in the headers."""
    hook = await bot.text_channel("general").create_webhook(name="seats")
    server.faults.add(Fault("status", "POST", "webhooks/*", status=429, seconds=0.05))
    await hook.send("patient")
    assert kept(server) == ["patient"]


async def test_a_429_without_via_raises_at_once(server: EmbeddedDiscord, bot: SmallBot) -> None:
    server.faults.add(Fault("status", "POST", SEND, status=429, seconds=9, via=False))
    with pytest.raises(discord.HTTPException) as caught:
        await bot.text_channel("general").send("banned")
    assert caught.value.status == 429


async def test_a_503_raises_at_once(server: EmbeddedDiscord, bot: SmallBot) -> None:
    server.faults.add(Fault("status", "POST", SEND, status=503))
    with pytest.raises(discord.DiscordServerError):
        await bot.text_channel("general").send("down")
    assert kept(server) == []


async def test_a_502_after_the_effect_doubles_a_webhook_message_only(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    """discord.md 1.3: nonces protect bot messages, webhooks have none."""
    hook = await bot.text_channel("general").create_webhook(name="seats")
    server.faults.add(Fault("status", "POST", SEND, status=502, after=True))
    server.faults.add(Fault("status", "POST", "webhooks/*", status=502, after=True))
    await asyncio.gather(bot.text_channel("general").send("bot"), hook.send("hook"))
    assert sorted(kept(server)) == ["bot", "hook", "hook"]


@pytest.mark.parametrize(("after", "stored"), [(False, []), (True, ["hello"])])
async def test_a_reset_raises_an_error_of_aiohttp(
    server: EmbeddedDiscord, bot: SmallBot, after: bool, stored: list[str]
) -> None:
    """discord.md 1.3: not a discord.HTTPException."""
    server.faults.add(Fault("reset", "POST", SEND, after=after))
    with pytest.raises(aiohttp.ClientError):
        await bot.text_channel("general").send("hello")
    assert kept(server) == stored


async def test_a_delay_only_delays(server: EmbeddedDiscord, bot: SmallBot) -> None:
    server.faults.add(Fault("delay", "POST", SEND, seconds=0.05))
    began = time.monotonic()
    await bot.text_channel("general").send("slow")
    assert time.monotonic() - began >= 0.05


async def test_other_routes_and_methods_are_spared(server: EmbeddedDiscord, bot: SmallBot) -> None:
    server.faults.add(Fault("status", "GET", SEND, status=503))
    server.faults.add(Fault("status", "*", "webhooks/*", status=503))
    await bot.text_channel("general").send("fine")
    assert server.faults.struck == []


async def say(server: EmbeddedDiscord, *texts: str) -> None:
    for text in texts:
        await server.say(server.person("Mara").id, server.channel("general").id, text)


async def test_an_event_is_dropped(server: EmbeddedDiscord, bot: SmallBot) -> None:
    server.faults.add(EventFault("drop", "MESSAGE_CREATE"))
    await say(server, "lost", "heard")
    await bot.hear("message")
    assert bot.texts() == ["heard"]


async def test_an_event_is_doubled(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """discord.md 1.3: delivered twice."""
    server.faults.add(EventFault("double", "MESSAGE_CREATE"))
    await say(server, "twice")
    await bot.hear("message", 2)
    assert bot.texts() == ["twice", "twice"]


async def test_an_event_comes_late(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """discord.md 1.3: delivered out of order."""
    server.faults.add(EventFault("delay", "MESSAGE_CREATE", seconds=0.03))
    await say(server, "late", "early")
    await bot.hear("message", 2)
    assert bot.texts() == ["early", "late"]


async def test_two_events_change_places(server: EmbeddedDiscord, bot: SmallBot) -> None:
    server.faults.add(EventFault("reorder", "MESSAGE_CREATE"))
    await say(server, "one", "two", "three")
    await bot.hear("message", 3)
    assert bot.texts() == ["two", "one", "three"]


async def test_a_silent_gateway_is_found_and_resumed(server: EmbeddedDiscord) -> None:
    """discord.md 1.3: found after heartbeat_timeout, then RESUME."""
    async with connected(server, SmallBot(heartbeat_timeout=0.2)) as bot:
        server.gateway.silence()
        await say(server, "into the void")
        await bot.hear("resumed")
        assert bot.texts() == ["into the void"]


def test_chance_is_the_same_for_the_same_seed() -> None:
    def run() -> list[bool]:
        faults = Faults(seed=7)
        faults.add(Fault("status", chance=0.5, times=-1))
        return [faults.for_request("GET", "users/@me") is not None for _ in range(20)]

    first, second = run(), run()
    assert first == second
    assert {True, False} == set(first)


def test_a_fault_strikes_as_often_as_ordered() -> None:
    faults = Faults()
    faults.add(Fault("status", times=2))
    struck = [faults.for_request("GET", "users/@me") is not None for _ in range(3)]
    assert struck == [True, True, False]


def test_faults_can_be_lifted() -> None:
    faults = Faults()
    faults.add(Fault("status", times=-1))
    faults.clear()
    assert faults.for_request("GET", "users/@me") is None
