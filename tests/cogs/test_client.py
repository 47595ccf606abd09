"""The Discord client: the ids under its messages, and what it measures of its connection."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from discord.gateway import DiscordWebSocket

from bot.playground import _gateway
from bot.playground.server import EmbeddedDiscord
from bot.types.gateway_events import GatewayEvent
from cogs.client import PERSISTENT
from cogs.relay import RelayClient
from tests.e2e.playground_harness import open_harness

RUN = "rt_0123abcd"
MEANT = {
    f"rt:{RUN}:stop": "StopButton",
    f"rt:{RUN}:retry": "RetryButton",
    f"rt:{RUN}:minutes": "MinutesButton",
    f"rt:{RUN}:details": "DetailsButton",
    f"rt:{RUN}:again": "AgainButton",
    f"rt:{RUN}:challenge": "AgainButton",
    f"rt:{RUN}:start": "ConsentButton",
    f"rt:{RUN}:cancel": "ConsentButton",
    f"rt:{RUN}:ask": "AskButton",
    f"rt:{RUN}:vote:before:1": "VoteButton",
    f"rt:{RUN}:vote:after:12": "VoteButton",
    f"rt:{RUN}:sure:before": "SureMenu",
    f"rt:{RUN}:sure:after": "SureMenu",
    f"rt:{RUN}:spec:1:accept": "SpecButton",
    f"rt:{RUN}:spec:12:edit": "SpecButton",
    f"rt:{RUN}:spec:3:changes": "SpecButton",
    "rt:apr_0123abcd:approve": "ApprovalButton",
    "rt:apr_0123abcd:reject": "ApprovalButton",
    "rt:apr_0123abcd:changes": "ApprovalButton",
    "rt:forget:1234567890": "ForgetButton",
}
STRANGE = (
    "stop",
    f"rt:{RUN}",
    "rt:rt_0123ABCD:stop",
    f"rt:{RUN}:stop:now",
    f"rt:{RUN}:vote:soon:1",
    f"rt:{RUN}:spec:1:reject",
    "rt:forget:me",
)


def answering(custom_id: str) -> list[str]:
    """The items that a press with this id reaches, found the way discord.py finds them."""
    patterns = {item.__name__: item.__discord_ui_compiled_template__ for item in PERSISTENT}
    return [name for name, pattern in patterns.items() if pattern.fullmatch(custom_id)]


@pytest.mark.parametrize(("custom_id", "item"), MEANT.items())
def test_an_old_id_still_reaches_its_item(custom_id: str, item: str) -> None:
    assert answering(custom_id) == [item]


@pytest.mark.parametrize("custom_id", STRANGE)
def test_an_id_that_is_not_ours_reaches_nothing(custom_id: str) -> None:
    assert answering(custom_id) == []


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> asyncio.Queue[None]:
    """Heartbeats whose answer is back before discord.py notes that they went."""
    monkeypatch.setattr(_gateway, "HEARTBEAT", 400)
    heard, answered, send = asyncio.Queue[None](), asyncio.Event(), DiscordWebSocket.send_heartbeat
    receive = DiscordWebSocket.received_message

    async def receiving(ws: DiscordWebSocket, message: Any, /) -> None:
        await receive(ws, message)
        if '"op": 11' in str(message):
            answered.set()

    async def sending(ws: DiscordWebSocket, data: Any) -> None:
        answered.clear()
        await send(ws, data)
        await answered.wait()
        heard.put_nowait(None)

    monkeypatch.setattr(DiscordWebSocket, "received_message", receiving)
    monkeypatch.setattr(DiscordWebSocket, "send_heartbeat", sending)
    return heard


async def test_an_answer_that_is_quicker_than_a_thread_is_not_taken_for_a_slow_one(
    tmp_path: Path, heard: asyncio.Queue[None], caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 23 point 7: over loopback the answer comes before discord.py notes the heartbeat.

    It was then measured from the heartbeat before it, which is the warning "Can't keep up".
    """
    with caplog.at_level(logging.WARNING, "discord"):
        async with open_harness(tmp_path) as table, asyncio.timeout(20):
            for _ in range(2):
                await heard.get()
            assert table.session.app.bot.latency < 0.3
    assert "keep up" not in caplog.text


class Alone:
    """A gateway that is the only one, and whose events nobody takes."""

    def put(self, event: GatewayEvent) -> None: ...

    async def withdraw(self, key: str) -> bool:
        return False

    async def wait(self, key: int, seconds: float) -> None: ...


async def test_the_shards_of_a_gateway_measure_their_latency_rightly_too(
    heard: asyncio.Queue[None], caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 23 point 7."""
    client = RelayClient(Alone(), Alone(), aiohttp.TraceConfig())
    async with EmbeddedDiscord() as discord:
        with discord.redirected(), caplog.at_level(logging.WARNING, "discord"):
            await client.login(discord.token)
            connection = asyncio.create_task(client.connect())
            try:
                async with asyncio.timeout(20):
                    await asyncio.sleep(0)
                    await client.launch(0, None)
                    for _ in range(2):
                        await heard.get()
                assert client.latency < 0.3
            finally:
                await client.close()
                await asyncio.wait({connection})
    assert "keep up" not in caplog.text
