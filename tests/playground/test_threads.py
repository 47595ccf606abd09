"""Threads: opening, archiving, waking, listing, members."""

import time
from typing import Any

import discord
import pytest

from bot.playground._threads import archive_idle
from bot.playground.errors import NotPermitted
from bot.playground.model import THREAD_CREATED, THREAD_STARTER, Channel
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot, connected


async def opened(bot: SmallBot, name: str = "Postgres?") -> discord.Thread:
    """A thread of the bot on a message of the bot, cached by the client."""
    anchor = await bot.text_channel("general").send("anchor")
    thread = await anchor.create_thread(name=name)
    await bot.hear("thread_create")
    return thread


def state(server: EmbeddedDiscord, thread: discord.Thread) -> Channel:
    return server.world.channel(thread.id)


async def test_a_thread_on_a_message_shares_its_id(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """discord.md 1.4#3"""
    thread = await opened(bot)
    (kept,) = server.threads(server.channel("general").id)
    anchor = server.messages(server.channel("general").id)[0]
    assert thread.id == kept.id == anchor.id
    assert (await bot.text_channel("general").fetch_message(anchor.id)).flags.has_thread


async def test_a_thread_starts_with_a_pointer_to_its_message(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    thread = await opened(bot)
    first = server.messages(thread.id, system=True)[0]
    assert (first["type"], first.reply_to) == (THREAD_STARTER, thread.id)
    assert server.messages(thread.id) == []


async def test_a_second_thread_on_a_message_is_refused(bot: SmallBot) -> None:
    anchor = await bot.text_channel("general").send("anchor")
    await anchor.create_thread(name="one")
    with pytest.raises(discord.HTTPException) as caught:
        await anchor.create_thread(name="two")
    assert caught.value.code == 160004


async def test_a_standalone_thread_is_announced_in_its_channel(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    kind = discord.ChannelType.public_thread
    thread = await bot.text_channel("general").create_thread(name="side talk", type=kind)
    last = server.messages(server.channel("general").id, system=True)[-1]
    assert (last["type"], last.content) == (THREAD_CREATED, "side talk")
    assert server.channel("side talk").id == thread.id


async def test_a_name_that_is_too_long_is_refused(bot: SmallBot) -> None:
    anchor = await bot.text_channel("general").send("anchor")
    with pytest.raises(discord.HTTPException) as caught:
        await anchor.create_thread(name="x" * 101)
    assert caught.value.code == 50035


async def test_people_talk_in_a_thread_and_join_it(server: EmbeddedDiscord, bot: SmallBot) -> None:
    thread = await opened(bot)
    await server.say(server.person("Jonas").id, thread.id, "I am in")
    heard = (await bot.hear("message", 3))[-1]
    assert isinstance(heard.channel, discord.Thread)
    assert heard.channel.parent == bot.text_channel("general")
    members = {member.id for member in await thread.fetch_members()}
    assert members == {server.bot_user_id, server.person("Jonas").id}


async def test_speaking_wakes_an_archived_thread_before_the_message_comes(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    """discord.md 1.4#5"""
    thread = await opened(bot)
    await thread.edit(archived=True)
    await bot.hear("thread_update")
    await server.say(server.person("Jonas").id, thread.id, "wake up")
    heard = (await bot.hear("message", 3))[-1]
    assert isinstance(heard.channel, discord.Thread)
    assert not heard.channel.archived


async def test_an_edit_in_an_archived_thread_is_refused(bot: SmallBot) -> None:
    thread = await opened(bot)
    said = await thread.send("final")
    await thread.edit(archived=True)
    with pytest.raises(discord.HTTPException) as caught:
        await said.edit(content="too late")
    assert caught.value.code == 50083


async def test_locking_needs_manage_threads(bot: SmallBot) -> None:
    """discord.md 2.4: the creator may rename and archive; locking needs Manage Threads."""
    thread = await opened(bot)
    await thread.edit(name="renamed")
    with pytest.raises(discord.Forbidden):
        await thread.edit(locked=True)


async def test_active_threads_are_listed(bot: SmallBot) -> None:
    open_one, closed = await opened(bot, "open"), await opened(bot, "closed")
    await closed.edit(archived=True)
    active = await bot.guilds[0].active_threads()
    assert [t.id for t in active] == [open_one.id]


async def test_members_come_and_leave(server: EmbeddedDiscord, bot: SmallBot) -> None:
    thread = await opened(bot)
    ines = server.person("Ines").id
    await server.say(ines, thread.id, "I am in")
    await thread.leave()
    assert [member.id for member in await thread.fetch_members()] == [ines]
    await thread.join()
    assert {m.id for m in await thread.fetch_members()} == {ines, server.bot_user_id}


async def test_an_idle_thread_is_archived() -> None:
    now = [time.time()]
    async with EmbeddedDiscord(clock=lambda: now[0]) as server, connected(server) as bot:
        anchor = await bot.text_channel("general").send("anchor")
        thread = await anchor.create_thread(name="idle", auto_archive_duration=60)
        await thread.send("last word")
        now[0] += 59 * 60
        archive_idle(server.world)
        assert not server.channel("idle")["thread_metadata"]["archived"]
        now[0] += 2 * 60
        archive_idle(server.world)
        assert server.channel("idle")["thread_metadata"]["archived"]


async def test_a_person_opens_a_thread(server: EmbeddedDiscord, bot: SmallBot) -> None:
    jonas, general = server.person("Jonas").id, server.channel("general").id
    said = await server.say(jonas, general, "topic")
    thread = await server.open_thread(jonas, general, "mine", message_id=said.id)
    (heard,) = await bot.hear("thread_create")
    assert (heard.id, heard.owner_id) == (thread.id, jonas)


async def post(bot: SmallBot, **options: Any) -> discord.channel.ThreadWithMessage:
    forum = discord.utils.get(bot.get_all_channels(), name="forum")
    assert isinstance(forum, discord.ForumChannel)
    return await forum.create_thread(name="a post", content="first", **options)


async def test_a_forum_post_is_a_thread_with_its_first_message(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    """discord.md 2.4"""
    made = await post(bot)
    assert made.thread.id == made.message.id
    assert [m.content for m in server.messages(made.thread.id)] == ["first"]


async def test_a_forum_post_may_have_tags(bot: SmallBot) -> None:
    forum = discord.utils.get(bot.get_all_channels(), name="forum")
    assert isinstance(forum, discord.ForumChannel)
    made = await post(bot, applied_tags=[forum.available_tags[0]])
    assert [tag.name for tag in made.thread.applied_tags] == ["open"]


async def test_a_post_whose_message_is_refused_leaves_no_thread(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    with pytest.raises(discord.HTTPException):
        await post(bot, embed=discord.Embed(description="x" * 4097))
    assert server.threads() == []


async def test_a_forum_takes_no_plain_messages(server: EmbeddedDiscord) -> None:
    with pytest.raises(NotPermitted, match="non-text channel"):
        await server.say(server.person("Mara").id, server.channel("forum").id, "hello")


async def test_a_person_posts_in_a_forum(server: EmbeddedDiscord, bot: SmallBot) -> None:
    jonas, forum = server.person("Jonas").id, server.channel("forum").id
    made = await server.post(jonas, forum, "Which database?", "We need one.", tags=["open"])
    (heard,) = await bot.hear("message")
    assert (heard.channel.id, heard.content) == (made.id, "We need one.")
    assert [tag.name for tag in heard.channel.applied_tags] == ["open"]
