"""Wherever people are: forums, voice chats, and several servers with their own settings."""

from pathlib import Path
from typing import Any

import pytest

from bot.playground.faults import Fault
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import ChannelPlan, GuildPlan, OverwritePlan, PersonPlan, the_table
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.test_output import output

BOT_ROLE = "Roundtable"

VOICE = 2


def in_a_forum(*tags: str) -> EmbeddedDiscord:
    discord = EmbeddedDiscord()
    guild = discord.channel("general").guild
    assert guild
    discord.world.add_channel(guild, ChannelPlan("councils", "forum", tags=tags))
    return discord


async def test_in_a_forum_a_roundtable_is_a_post_with_the_tag_of_its_mode(tmp_path: Path) -> None:
    """Issue 9 point 3, E3."""
    discord = in_a_forum("Build", "Debate")
    forum = discord.channel("councils")
    async with open_harness(tmp_path, discord=discord, adjust=output(target=forum.id)) as table:
        said = await table.say("roundtable --quick --debate tea")
        thread = await table.concluded()
        assert thread.parent_id == forum.id
        assert thread.name == "🎯 tea [[DEBATE]]"
        assert thread["applied_tags"] == [forum["available_tags"][1]["id"]]
        first, card, *rest = table.said_in(thread)
        assert first.id == thread.id
        assert "asked by" in first.content
        assert not first.pings
        assert "Concluded" in card.text
        assert rest[0].webhook_id
        assert "I cannot create threads" not in card.text
        assert (await table.reply_to(said)).content.startswith(
            f"The roundtable is in <#{thread.id}>"
        )
        again = await table.say("roundtable --quick --debate Tea")
        assert "♻️" in (await table.reply_to(again)).content


@pytest.mark.parametrize(("status", "posts"), [(503, 1), (502, 2)])
async def test_a_post_whose_creation_got_lost_is_found_and_no_second_one_stays_open(
    tmp_path: Path, status: int, posts: int
) -> None:
    """After a 503 we look before we try again; after a 502 discord.py tries again by itself."""
    discord = in_a_forum()
    forum = discord.channel("councils")
    path = f"channels/{forum.id}/threads"
    discord.faults.add(Fault("status", "POST", path, status=status, after=True))
    async with open_harness(tmp_path, discord=discord, adjust=output(target=forum.id)) as table:
        await table.say("roundtable --quick --debate tea")
        await table.concluded(await table.thread(posts))
        opened = table.discord.threads()
        assert len(opened) == posts
        (used,) = [post for post in opened if not post["thread_metadata"]["archived"]]
        assert "Concluded" in table.card(used).text
        assert " · [read](https://discord.com/channels/" in table.said_in(used)[0].content


async def test_a_forum_without_the_right_to_post_is_named_with_what_is_missing(
    tmp_path: Path,
) -> None:
    """2.2#48."""
    discord = in_a_forum()
    forum = discord.channel("councils")
    assert forum.guild
    deny = OverwritePlan(BOT_ROLE, deny=("send_messages",))
    forum.overwrites.append(discord.world.overwrite(forum.guild, deny))
    async with open_harness(tmp_path, discord=discord, adjust=output(target=forum.id)) as table:
        mara, admins = discord.person("Mara"), discord.channel("ask-the-table")
        await (await discord.slash(mara.id, admins.id, "roundtable setup")).message()
        held = await table.hold("roundtable --quick --debate tea")
        assert held.thread.parent_id == discord.channel("general").id
        assert "does not give me Create Posts" in table.said_in(admins)[-1].content
        assert "does not give me" not in held.card


async def test_inside_a_forum_post_it_runs_there(table: PlaygroundHarness) -> None:
    ines, forum = table.discord.person("Ines"), table.discord.channel("forum")
    post = await table.discord.post(ines.id, forum.id, "our question", "What about tea?")
    await table.write_in(post, "roundtable --quick --debate tea")
    await table.discord.until(lambda: any("META" in m.text for m in table.said_in(post)))
    assert [thread.id for thread in table.discord.threads()] == [post.id]
    await table.session.app.run_service.idle()
    anchors = [m.content for m in table.said_in(post) if m.content.startswith("🎯 **Roundtable**")]
    assert [text.count("[read](") for text in anchors] == [1]


async def test_in_the_chat_of_a_voice_channel_it_runs_in_the_chat(tmp_path: Path) -> None:
    discord = EmbeddedDiscord()
    guild = discord.channel("general").guild
    assert guild
    voice = discord.world.add_channel(guild, ChannelPlan("stage left"))
    voice |= {"type": VOICE, "bitrate": 64_000, "user_limit": 0, "rtc_region": None}
    async with open_harness(tmp_path, discord=discord) as table:
        await table.say("roundtable --quick --debate tea", channel="stage left")
        await table.discord.until(lambda: any("META" in m.text for m in table.said_in(voice)))
        await table.session.app.run_service.idle()
        assert (
            "Voice channels have no threads, so this roundtable runs in the chat."
            in table.card(voice).text
        )
        assert "I cannot create threads" not in table.card(voice).text
        said = await table.say("roundtable status", channel="stage left")
        assert "concluded" in (await table.reply_to(said)).content


async def test_each_server_has_its_own_settings_and_its_own_roundtables(tmp_path: Path) -> None:
    """Design 11: `servers` overrides; a list shows the own server's only."""
    people = (PersonPlan("Otto"), PersonPlan("Jonas"))
    away = GuildPlan("Away", "Otto", people, (ChannelPlan("lounge"),))
    discord = EmbeddedDiscord((the_table(), away))
    lounge = discord.channel("lounge")

    def own_settings(panels: dict[str, Any]) -> None:
        trigger, place = {"channelIds": [str(lounge.id)]}, {"useThreads": False}
        panels["servers"] = {str(lounge.guild_id): {"trigger": trigger, "output": place}}

    async with open_harness(tmp_path, discord=discord, edit_panels=own_settings) as table:
        await table.say("tea or coffee?", channel="lounge", person="Otto")
        await table.discord.until(lambda: any("META" in m.text for m in table.said_in(lounge)))
        assert table.discord.threads() == []
        await table.hold("roundtable --quick --debate milk")
        lists = []
        for channel in ("lounge", "general"):
            reply = await table.reply_to(await table.say("roundtable list", channel=channel))
            lists.append(reply.content)
        assert ["coffee" in text for text in lists] == [True, False]
        assert ["milk" in text for text in lists] == [False, True]
