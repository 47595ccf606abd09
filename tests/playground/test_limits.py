"""Rate limits: told in headers, kept with 429, paced by discord.py."""

import time

import aiohttp
import pytest

from bot.playground.faults import Limit, Limits
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import connected

SEND = "POST channels/#/messages"


async def test_discord_py_paces_itself_by_the_headers() -> None:
    """discord.md 1.3: paced pre-emptively, no error."""
    limits = Limits({SEND: Limit(2, 0.2)})
    async with EmbeddedDiscord(limits=limits) as server, connected(server) as bot:
        began = time.monotonic()
        for number in range(5):
            await bot.text_channel("general").send(str(number))
        assert time.monotonic() - began >= 0.3
        assert len(server.messages(server.channel("general").id)) == 5


async def test_a_request_too_many_is_answered_with_429() -> None:
    limits = Limits({"GET users/@me": Limit(1, 60.0)})
    async with EmbeddedDiscord(limits=limits) as server:
        url, headers = f"{server.api_url}/users/@me", {"Authorization": f"Bot {server.token}"}
        async with aiohttp.ClientSession(headers=headers) as http:
            async with http.get(url) as answer:
                assert answer.headers["X-RateLimit-Remaining"] == "0"
            async with http.get(url) as answer:
                body = await answer.json()
                assert (answer.status, body["global"]) == (429, False)
                assert 59 < body["retry_after"] <= 60
                assert answer.headers["Via"]
                assert answer.headers["Retry-After"] == "60"


def test_channels_have_windows_of_their_own() -> None:
    limits = Limits({SEND: Limit(1, 9.0)}, clock=lambda: 0.0)
    waits = [limits.take(SEND, channel)[1] for channel in ("1", "2", "1")]
    assert waits == [0.0, 0.0, 9.0]


def test_a_window_ends() -> None:
    now = [0.0]
    limits = Limits({SEND: Limit(1, 5.0)}, clock=lambda: now[0])
    limits.take(SEND, "1")
    now[0] = 5.0
    assert limits.take(SEND, "1")[1] == 0.0


def test_the_global_limit_leaves_interactions_alone() -> None:
    """discord.md 2.6"""
    limits = Limits(everything=Limit(1, 9.0), clock=lambda: 0.0)
    limits.take(SEND, "1")
    assert limits.take(SEND, "2")[1:] == (9.0, True)
    assert limits.take("POST interactions/#/%/callback", "1")[1] == 0.0


@pytest.mark.parametrize("route", ["users/@me", "channels/#"])
async def test_a_bot_without_a_token_gets_401(route: str) -> None:
    async with EmbeddedDiscord() as server, aiohttp.ClientSession() as http:
        path = route.replace("#", str(server.channel("general").id))
        async with http.get(f"{server.api_url}/{path}") as answer:
            assert answer.status == 401


def test_webhooks_are_counted_by_address() -> None:
    """Issue 25, point 4: apart from the token, and what follows an interaction not at all."""
    limits = Limits(everything=Limit(1, 9.0), addresses=Limit(1, 9.0), clock=lambda: 0.0)
    assert limits.take(SEND, "1")[1] == 0.0
    assert limits.take("POST webhooks/#/%", "1")[1] == 0.0
    assert limits.take("POST webhooks/#/%", "2")[1:] == (9.0, True)
    assert limits.take("POST interactions/#/%", "2")[1] == 0.0
    assert limits.violations == 1
