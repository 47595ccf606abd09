"""The outbox: every post is seen once and whole, whatever becomes of the requests."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import discord
import pytest

from bot.playground.faults import Fault
from bot.playground.server import EmbeddedDiscord
from bot.stage.outbox import Outbox
from bot.stage.personas import Personas
from bot.stage.port import THE_BOT, Place, Post, Speaker
from bot.store import Store
from bot.store.engine.locks import Holding
from tests.playground.conftest import SmallBot
from tests.store.conftest import start_run

ANALYST = Speaker("Analyst", "analyst")
ROUTES = {"bot": "channels/*/messages", "panelist": "webhooks/*"}


@dataclass(frozen=True)
class OutboxHarness:
    """An outbox with a run and a channel to post in."""

    outbox: Outbox
    run_id: str
    channel: discord.TextChannel
    server: EmbeddedDiscord

    @property
    def place(self) -> Place:
        return Place(self.channel.guild.id, self.channel.id)

    async def deliver(self, key: str, text: str, speaker: Speaker = THE_BOT) -> tuple[int, ...]:
        return await self.outbox.deliver(self.run_id, self.place, Post(key, speaker, text))

    def seen(self) -> list[str]:
        return [message.content for message in self.server.messages(self.channel.id)]


async def no_pause(_: float) -> None:
    """Discord is back at once."""


async def no_face(_: int, __: str) -> str | None:
    return None


@pytest.fixture
async def harness(
    bot: SmallBot, server: EmbeddedDiscord, store: Store
) -> AsyncIterator[OutboxHarness]:
    personas = Personas(bot, Holding())
    run = await start_run(store)
    outbox = Outbox(bot, store, personas, no_face, no_pause)
    yield OutboxHarness(outbox, run.id, bot.text_channel("general"), server)
    await personas.close()


@pytest.mark.parametrize("voice", ROUTES)
@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 502},
        {"kind": "status", "status": 502, "after": True},
        {"kind": "reset"},
        {"kind": "reset", "after": True},
    ],
    ids=["refused", "refused-but-done", "cut-off", "cut-off-but-done"],
)
async def test_a_post_whose_outcome_is_unknown_is_adopted_or_sent_again(
    harness: OutboxHarness, voice: str, fault: dict[str, Any]
) -> None:
    """Never twice, never not at all."""
    speaker = ANALYST if voice == "panelist" else THE_BOT
    harness.server.faults.add(Fault(method="POST", route=ROUTES[voice], **fault))
    (message_id,) = await harness.deliver("round1", "We should try it.", speaker)
    assert harness.server.faults.struck
    assert harness.seen() == ["We should try it."]
    assert [m.id for m in harness.server.messages(harness.channel.id)] == [message_id]


async def test_the_same_post_is_sent_once_however_often_it_is_delivered(
    harness: OutboxHarness,
) -> None:
    first = await harness.deliver("round1", "We should try it.")
    assert await harness.deliver("round1", "We should try it.") == first
    assert harness.seen() == ["We should try it."]


async def test_a_long_post_arrives_in_order_and_whole(harness: OutboxHarness) -> None:
    text = "\n\n".join(f"Paragraph {number}: " + "word " * 60 for number in range(30))
    sent = await harness.deliver("conclusion", text)
    parts = harness.seen()
    assert len(parts) == len(sent) > 1
    assert "".join("".join(parts).split()) == "".join(text.split())


async def test_a_revised_post_keeps_its_message_and_a_lost_one_is_left_alone(
    harness: OutboxHarness,
) -> None:
    (message_id,) = await harness.deliver("ballot", "Vote now.")
    await harness.outbox.revise(harness.run_id, harness.place, Post("ballot", THE_BOT, "Counted."))
    await harness.outbox.revise(harness.run_id, harness.place, Post("never", THE_BOT, "Nothing."))
    assert [(m.id, m.content) for m in harness.server.messages(harness.channel.id)] == [
        (message_id, "Counted.")
    ]
