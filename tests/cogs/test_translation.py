"""Discord's messages as the domain gets them, through dpytest."""

from collections.abc import AsyncIterator

import discord
import discord.ext.test as dpytest
import pytest
from discord.ext import commands

from cogs.translation import asker_of, heard_message, with_names

BOT = 77


@pytest.fixture
async def message() -> AsyncIterator[discord.Message]:
    """A message of a person in a channel."""
    bot = commands.Bot("!", intents=discord.Intents.all())
    await bot._async_setup_hook()
    dpytest.configure(bot)
    yield await dpytest.message("hello")
    await dpytest.empty_queue()


async def test_a_persons_message(message: discord.Message) -> None:
    message.content = f"<@{BOT}> roundtable tea or coffee?"
    heard = heard_message(message, BOT)
    assert (heard.text, heard.typed) == ("roundtable tea or coffee?",) * 2
    assert heard.mentions_bot
    assert heard.in_channel
    assert not heard.proxied
    assert not heard.own
    assert heard.author_id == message.author.id
    assert heard.guild_id == (message.guild.id if message.guild else None)


async def test_a_message_of_a_webhook_is_its_applications_own(message: discord.Message) -> None:
    message.webhook_id, message.application_id = 5, BOT
    heard = heard_message(message, BOT)
    assert heard.proxied
    assert heard.own


async def test_names_are_written_for_known_mentions_only(message: discord.Message) -> None:
    author = message.author
    assert isinstance(author, discord.Member)
    message.mentions = [author]
    said = with_names(message, f"<@{author.id}> or <@!{author.id}> or <@1>?")
    assert said == f"@{author.display_name} or @{author.display_name} or <@1>?"


async def test_rights_are_those_of_the_member(message: discord.Message) -> None:
    author = message.author
    assert isinstance(author, discord.Member)
    plain = asker_of(author)
    assert not plain.may_manage
    assert not plain.is_admin
    author.guild.owner_id = author.id
    owner = asker_of(author)
    assert owner.may_manage
    assert owner.is_admin
