"""What counts as a command, and that a message counts once."""

from dataclasses import replace

import pytest

from bot.errors import UsageError
from bot.messages.starting import StartText
from bot.talk.incoming import IncomingMessage
from bot.types.reply import ReplyText
from cogs.services import CogServices
from tests.commands.conftest import TOPICS

BOT = 77


def typed(content: str, *, message_id: int = 1, channel_id: int = 2) -> IncomingMessage:
    return IncomingMessage(
        message_id, channel_id, 3, 4, "Ada", content, 0.0, content=content, bot_id=BOT
    )


@pytest.mark.parametrize(
    "content",
    [
        "roundtable help",
        "ROUNDTABLE Help",
        f"<@{BOT}> roundtable help",
        f"<@!{BOT}>roundtable help",
    ],
)
async def test_a_command_is_answered(services: CogServices, content: str) -> None:
    reply = await services.text_commands.receive(typed(content))
    assert reply == ReplyText(services.commands.help())


@pytest.mark.parametrize("content", ["", "nice roundtable yesterday", "<@78> roundtable help"])
async def test_other_talk_is_not_answered(services: CogServices, content: str) -> None:
    assert await services.text_commands.receive(typed(content)) is None


async def test_a_message_that_discord_delivers_twice_counts_once(services: CogServices) -> None:
    receive = services.text_commands.receive
    assert await receive(typed("roundtable help")) is not None
    assert await receive(typed("roundtable help")) is None
    assert await receive(typed("roundtable help", message_id=5)) is not None


async def test_bots_and_webhooks_give_no_commands(services: CogServices) -> None:
    message = replace(typed("roundtable help"), proxied=True)
    assert await services.text_commands.receive(message) is None


async def test_private_messages_are_sent_to_a_server(services: CogServices) -> None:
    message = replace(typed("hello"), guild_id=0)
    assert await services.text_commands.receive(message) == ReplyText(StartText.IN_PRIVATE)


async def test_everything_is_a_topic_in_a_dedicated_channel(services: CogServices) -> None:
    """A mention without words is a topic, too, so its person hears what is missing."""
    with pytest.raises(UsageError):
        await services.text_commands.receive(typed(f"<@{BOT}>", channel_id=TOPICS))
    assert services.text_commands.may_be_for_us(typed("tea or coffee?", channel_id=TOPICS))
    assert not services.text_commands.may_be_for_us(typed("tea or coffee?"))


async def test_a_late_command_is_refused_once(services: CogServices) -> None:
    late = typed("roundtable tea or coffee?")
    assert await services.text_commands.refuse_late(late) == ReplyText(StartText.NOT_LATE)
    assert await services.text_commands.refuse_late(late) is None
