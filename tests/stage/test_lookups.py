"""What the stage finds out from Discord: threads by title, who owns one, who can read what."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import discord
import pytest

from bot.panels import Output
from bot.playground.faults import Fault
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import ChannelPlan, OverwritePlan, PersonPlan
from bot.stage.discord_stage import DiscordStage, StageSettings
from bot.stage.port import Destination, Place
from bot.store import Store
from tests.playground.conftest import SmallBot

TITLE = "🎯 Tea or coffee? [[VOTE]]"


@dataclass(frozen=True)
class StageHarness:
    """The stage on the embedded Discord, with a channel to look at."""

    stage: DiscordStage
    bot: SmallBot
    server: EmbeddedDiscord
    channel: discord.TextChannel

    @property
    def destination(self) -> Destination:
        return Destination(self.channel.guild.id, self.channel.id)

    def place(self, thread: discord.Thread) -> Place:
        return Place(self.channel.guild.id, self.channel.id, thread.id)

    async def open(self, title: str) -> discord.Thread:
        return await self.channel.create_thread(name=title, type=discord.ChannelType.public_thread)

    async def found(self, title: str, since: float = 0.0) -> int | None:
        place = await self.stage.find_thread(self.destination, title, since)
        return place.thread_id if place else None


@pytest.fixture
async def harness(
    bot: SmallBot, server: EmbeddedDiscord, store: Store
) -> AsyncIterator[StageHarness]:
    settings = StageSettings(lambda _: Output(), face_url=lambda role: f"https://faces/{role}")
    stage = DiscordStage(bot, store, settings)
    yield StageHarness(stage, bot, server, bot.text_channel("general"))
    await stage.close()


@pytest.mark.parametrize(
    ("title", "same"),
    [
        ("🎯 tea or  COFFEE [[VOTE]]", True),
        ("Tea or coffee? [[VOTE]]", True),
        ("🎯 Tea or coffee? [[DEBATE]]", False),
        ("🎯 Tea or milk? [[VOTE]]", False),
        ("Tea or coffee?", False),
    ],
    ids=["case-and-punctuation", "no-mark", "another-mode", "another-topic", "no-mode"],
)
async def test_a_thread_is_found_by_topic_and_mode(
    harness: StageHarness, title: str, same: bool
) -> None:
    """E24 E25 E27: case and punctuation do not make another title; another mode does."""
    thread = await harness.open(TITLE)
    assert await harness.found(title) == (thread.id if same else None)


async def test_an_old_an_archived_and_another_channels_thread_are_not_found(
    harness: StageHarness,
) -> None:
    """E24 E25 E27."""
    thread = await harness.open(TITLE)
    created = discord.utils.snowflake_time(thread.id).timestamp()
    assert await harness.found(TITLE, since=created + 1) is None
    elsewhere = Destination(harness.channel.guild.id, harness.bot.text_channel("decisions").id)
    assert await harness.stage.find_thread(elsewhere, TITLE, 0.0) is None
    await thread.edit(archived=True)
    assert await harness.found(TITLE) is None


async def test_only_the_25_newest_threads_are_compared(harness: StageHarness) -> None:
    """E24."""
    old = await harness.open(TITLE)
    for number in range(24):
        await harness.open(f"thread {number}")
    assert await harness.found(TITLE) == old.id
    await harness.open("one more")
    assert await harness.found(TITLE) is None


async def test_the_newest_of_two_threads_with_a_title_is_found(harness: StageHarness) -> None:
    """E24."""
    await harness.open(TITLE)
    second = await harness.open(TITLE)
    assert await harness.found(TITLE) == second.id


async def test_an_archived_thread_is_not_alive_but_not_gone_either(harness: StageHarness) -> None:
    thread = await harness.open(TITLE)
    place = harness.place(thread)
    assert await harness.stage.is_alive(place)
    await thread.edit(archived=True)
    await harness.bot.hear("thread_update")
    assert not await harness.stage.is_alive(place)
    assert not await harness.stage.is_gone(place)
    harness.server.world.channels.pop(thread.id)
    assert await harness.stage.is_gone(place)


async def test_a_channel_that_the_bot_may_not_see_is_not_gone(harness: StageHarness) -> None:
    """A lost permission can be given back, so nothing is moved elsewhere."""
    thread = await harness.open(TITLE)
    fault = Fault("status", "GET", f"channels/{thread.id}", status=403)
    harness.server.faults.add(fault)
    assert not await harness.stage.is_gone(harness.place(thread))


async def test_a_thread_belongs_to_who_opened_it_and_a_channel_to_nobody(
    harness: StageHarness,
) -> None:
    thread = await harness.open(TITLE)
    me = harness.channel.guild.me.id
    assert await harness.stage.owner_of(thread.id) == me
    assert await harness.stage.owner_of(harness.channel.id) is None
    assert await harness.stage.owner_of(404) is None
    assert await harness.stage.server_of(thread.id) == harness.channel.guild.id
    assert await harness.stage.server_of(404) is None


async def test_who_cannot_see_a_channel_cannot_read_its_threads(harness: StageHarness) -> None:
    guild = harness.server.world.guilds[harness.channel.guild.id]
    closed = harness.server.world.add_channel(
        guild,
        ChannelPlan(
            "closed",
            overwrites=(
                OverwritePlan("@everyone", deny=("view_channel",)),
                OverwritePlan("Roundtable", allow=("view_channel",)),
            ),
        ),
    )
    await harness.bot.hear("guild_channel_create")
    hidden = harness.bot.text_channel("closed")
    thread = await hidden.create_thread(name=TITLE, type=discord.ChannelType.public_thread)
    places = (harness.channel.id, closed.id, thread.id, 404)
    jonas, mara = (harness.server.person(name).id for name in ("Jonas", "Mara"))
    readable = harness.stage.readable
    assert await readable(jonas, guild.id, places) == {harness.channel.id}
    assert await readable(mara, guild.id, places) == {harness.channel.id, closed.id, thread.id}
    assert not await harness.stage.may_read(jonas, guild.id, thread.id)


async def test_who_left_the_server_reads_nothing(harness: StageHarness) -> None:
    guild_id = harness.channel.guild.id
    assert not await harness.stage.may_read(4_040_404, guild_id, harness.channel.id)
    assert not await harness.stage.may_read(4_040_404, 404, harness.channel.id)
    guild = harness.server.world.guilds[guild_id]
    noor = harness.server.world.join(guild, PersonPlan("Noor"))
    assert await harness.stage.may_read(noor.id, guild_id, harness.channel.id)


async def test_a_thread_is_open_to_the_readers_of_its_channel_alone(harness: StageHarness) -> None:
    one, other = await harness.open("one"), await harness.open("other")
    decisions = harness.bot.text_channel("decisions")
    assert await harness.stage.open_to(one.id, other.id)
    assert await harness.stage.open_to(one.id, harness.channel.id)
    assert not await harness.stage.open_to(one.id, decisions.id)
    assert not await harness.stage.open_to(404, harness.channel.id)


async def test_a_channel_in_which_the_bot_cannot_post_says_why(harness: StageHarness) -> None:
    guild_id = harness.channel.guild.id
    forum = discord.utils.get(harness.bot.get_all_channels(), name="forum")
    assert isinstance(forum, discord.ForumChannel)
    assert await harness.stage.fault_of(guild_id, harness.channel.id) == ""
    assert await harness.stage.fault_of(guild_id, forum.id)
    assert await harness.stage.fault_of(guild_id, 404)
    assert await harness.stage.fault_of(404, harness.channel.id)
