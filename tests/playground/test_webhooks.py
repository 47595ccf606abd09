"""Webhooks: identities, limits, threads, messages."""

import io

import discord
import pytest

from bot.playground._basics import Pings
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot


async def test_a_webhook_speaks_under_another_name(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """discord.md 2.3"""
    hook = await bot.text_channel("general").create_webhook(name="seats")
    said = await hook.send("I object", username="Ada", avatar_url="https://x/ada.png", wait=True)
    kept = server.messages(server.channel("general").id)[0]
    assert (said.id, kept.author.name, kept.content) == (kept.id, "Ada", "I object")
    assert (kept["webhook_id"], kept.avatar_url) == (str(hook.id), "https://x/ada.png")


async def test_without_waiting_nothing_comes_back(server: EmbeddedDiscord, bot: SmallBot) -> None:
    hook = await bot.text_channel("general").create_webhook(name="seats")
    await hook.send("fire and forget")
    assert server.messages(server.channel("general").id)[0].content == "fire and forget"


async def test_a_webhook_speaks_in_threads_of_its_channel_only(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    hook = await bot.text_channel("general").create_webhook(name="seats")
    here = await (await bot.text_channel("general").send("a")).create_thread(name="here")
    there = await (await bot.text_channel("decisions").send("a")).create_thread(name="there")
    await hook.send("in the thread", thread=here)
    assert [m.content for m in server.messages(here.id)] == ["in the thread"]
    with pytest.raises(discord.NotFound):
        await hook.send("elsewhere", thread=there)


async def test_webhook_messages_are_fetched_edited_and_deleted(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    hook = await bot.text_channel("general").create_webhook(name="seats")
    thread = await (await bot.text_channel("general").send("a")).create_thread(name="t")
    said = await hook.send("frist", username="Ada", thread=thread, wait=True)
    assert (await hook.fetch_message(said.id, thread=thread)).content == "frist"
    await hook.edit_message(said.id, content="first", thread=thread)
    assert server.messages(thread.id)[0].content == "first"
    await hook.delete_message(said.id, thread=thread)
    assert server.messages(thread.id) == []


async def test_a_webhook_sends_files(server: EmbeddedDiscord, bot: SmallBot) -> None:
    hook = await bot.text_channel("general").create_webhook(name="seats")
    file = discord.File(io.BytesIO(b"x"), "x.md")
    said = await hook.send("with a file", username="Ada", file=file, wait=True)
    assert await said.attachments[0].read() == b"x"


async def test_a_webhook_carries_buttons_of_our_application(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    hook = await bot.text_channel("general").create_webhook(name="seats")
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Ask Ada", custom_id="ask:ada"))
    await hook.send("statement", view=view, wait=True)
    assert server.messages(server.channel("general").id)[0].custom_ids == ["ask:ada"]


async def test_webhooks_are_listed_by_channel(bot: SmallBot) -> None:
    hook = await bot.text_channel("general").create_webhook(name="seats")
    assert [h.id for h in await bot.text_channel("general").webhooks()] == [hook.id]
    assert await bot.text_channel("decisions").webhooks() == []


async def test_a_webhook_that_is_gone_is_unknown(server: EmbeddedDiscord, bot: SmallBot) -> None:
    hook = await bot.text_channel("general").create_webhook(name="seats")
    server.world.webhooks.clear()
    with pytest.raises(discord.NotFound) as caught:
        await hook.send("gone")
    assert caught.value.code == 10015


async def test_a_webhook_address_can_be_parsed(bot: SmallBot) -> None:
    """discord.md 1.4#4: tokens have at least 60 characters."""
    hook = await bot.text_channel("general").create_webhook(name="seats")
    assert hook.token is not None
    assert len(hook.token) >= 60


async def test_a_channel_has_at_most_fifteen_webhooks(bot: SmallBot) -> None:
    for number in range(15):
        await bot.text_channel("general").create_webhook(name=f"hook {number}")
    with pytest.raises(discord.HTTPException) as caught:
        await bot.text_channel("general").create_webhook(name="one more")
    assert caught.value.code == 30007


@pytest.mark.parametrize("name", ["x" * 81, "My Discord friend", "CLYDE", "everyone"])
async def test_forbidden_names_are_refused(bot: SmallBot, name: str) -> None:
    """examples.md 13"""
    hook = await bot.text_channel("general").create_webhook(name="seats")
    with pytest.raises(discord.HTTPException) as caught:
        await hook.send("hello", username=name)
    assert caught.value.code == 50035


async def test_a_webhook_pings_users_by_default_and_nobody_when_told(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    """discord.md 2.2"""
    mara, general = server.person("Mara").id, server.channel("general").id
    hook = await bot.text_channel("general").create_webhook(name="seats")
    # The client has no default of its own here, so the field is absent from the request.
    await hook.send(f"<@{mara}> @everyone")
    await hook.send(f"<@{mara}> @everyone", allowed_mentions=discord.AllowedMentions.none())
    first, second = server.messages(general)
    assert first.pings == Pings(frozenset((mara,)))
    assert not second.pings
