"""The webhook panelists speak through: one of ours, made once, and not asked for in vain."""

from collections.abc import AsyncIterator

import discord
import pytest

from bot.playground.server import EmbeddedDiscord
from bot.stage.personas import Personas
from bot.store.engine.locks import Holding
from tests.playground.conftest import SmallBot

MOST_WEBHOOKS = 15


class Clock:
    """A clock that tests move."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def personas(bot: SmallBot, clock: Clock) -> AsyncIterator[Personas]:
    opened = Personas(bot, Holding(), clock)
    yield opened
    await opened.close()


async def fill(server: EmbeddedDiscord, channel: discord.TextChannel) -> None:
    """Take every webhook of a channel, as the integrations of other people do."""
    for _ in range(MOST_WEBHOOKS):
        await channel.create_webhook(name="CI")
    for hook in server.world.webhooks.values():
        hook["user"] = server.person("Mara").wire()


async def test_a_channel_gets_one_webhook_for_all_panelists(
    bot: SmallBot, personas: Personas
) -> None:
    channel = bot.text_channel("general")
    first, again = [await personas.webhook_for(channel) for _ in range(2)]
    assert first is not None
    assert first == again
    personas.forget(channel.id)
    found = await personas.webhook_for(channel)
    assert found is not None
    assert found.id == first.id
    assert len(await channel.webhooks()) == 1


async def test_a_channel_without_room_is_asked_again_only_after_a_while(
    bot: SmallBot, server: EmbeddedDiscord, personas: Personas, clock: Clock
) -> None:
    channel = bot.text_channel("general")
    await fill(server, channel)
    assert await personas.webhook_for(channel) is None
    assert personas.has_no_room(channel.id)
    server.world.webhooks.popitem()
    clock.now = 599.0
    assert await personas.webhook_for(channel) is None
    clock.now = 601.0
    assert not personas.has_no_room(channel.id)
    assert await personas.webhook_for(channel) is not None
