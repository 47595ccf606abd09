"""Permissions: computed as discord.py computes them, enforced for the bot and for people."""

from dataclasses import replace

import discord
import pytest

from bot.playground.errors import NotPermitted
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import (
    BOT_PERMISSIONS,
    ChannelPlan,
    GuildPlan,
    OverwritePlan,
    PersonPlan,
    RolePlan,
    the_table,
)
from tests.playground.conftest import SmallBot, connected

BOT_ROLE = "Roundtable"
EVERYONE = "@everyone"


def bits(*names: str) -> int:
    return discord.Permissions(**dict.fromkeys(names, True)).value


def without(*permissions: str) -> GuildPlan:
    """The table, where #general denies the bot something."""
    denied = OverwritePlan(BOT_ROLE, deny=permissions)
    return replace(the_table(), channels=(ChannelPlan("general", overwrites=(denied,)),))


def layered() -> GuildPlan:
    """A table whose channels have overwrites of every kind."""
    table = the_table()
    mixed = (
        OverwritePlan(EVERYONE, deny=("send_messages", "add_reactions")),
        OverwritePlan("Scribe", allow=("send_messages",), deny=("attach_files",)),
        OverwritePlan("Jonas", allow=("attach_files",), deny=("embed_links",)),
    )
    return replace(
        table,
        roles=(*table.roles, RolePlan("Scribe", ("manage_messages",))),
        people=(PersonPlan("Mara"), PersonPlan("Jonas", ("Scribe",)), PersonPlan("Ines")),
        channels=(ChannelPlan("general", overwrites=mixed), *table.channels[1:]),
    )


def test_the_invite_asks_for_what_the_examples_name() -> None:
    """examples.md 37"""
    assert bits(*BOT_PERMISSIONS) == 309774634048


async def test_both_sides_compute_the_same_permissions() -> None:
    """discord.md 1.4#10"""
    async with EmbeddedDiscord([layered()]) as server, connected(server) as bot:
        voice = discord.Permissions.voice().value
        for channel in bot.get_all_channels():
            for member in bot.guilds[0].members:
                ours = server.world.channel(channel.id).permissions(member.id)
                theirs = channel.permissions_for(member).value
                visible = theirs if theirs & bits("view_channel") else 0
                assert ours & ~voice == visible & ~voice, (channel.name, member.name)


@pytest.mark.parametrize(("denied", "code"), [("view_channel", 50001), ("send_messages", 50013)])
async def test_the_bot_may_not_send_without_permission(denied: str, code: int) -> None:
    async with EmbeddedDiscord([without(denied)]) as server, connected(server) as bot:
        with pytest.raises(discord.Forbidden) as caught:
            await bot.text_channel("general").send("hello")
        assert caught.value.code == code


async def test_in_threads_another_permission_counts() -> None:
    """discord.md 2.4"""
    plan = without("send_messages_in_threads")
    async with EmbeddedDiscord([plan]) as server, connected(server) as bot:
        thread = await (await bot.text_channel("general").send("a")).create_thread(name="t")
        with pytest.raises(discord.Forbidden):
            await thread.send("hello")


async def test_each_power_has_its_permission() -> None:
    powers = ("create_public_threads", "manage_webhooks", "add_reactions", "attach_files")
    plan = without(*powers, "embed_links", "read_message_history")
    async with EmbeddedDiscord([plan]) as server, connected(server) as bot:
        channel = bot.text_channel("general")
        sent = await channel.send("hello", embed=discord.Embed(title="stripped"))
        assert sent.embeds == []
        for refused in (
            sent.create_thread(name="t"),
            channel.create_webhook(name="w"),
            sent.add_reaction("👍"),
            channel.send(file=discord.File(__file__)),
            channel.fetch_message(sent.id),
        ):
            with pytest.raises(discord.Forbidden) as caught:
                await refused
            assert caught.value.code == 50013
        assert [m async for m in channel.history()] == []


async def test_a_message_the_bot_cannot_see_is_not_heard() -> None:
    async with EmbeddedDiscord([without("view_channel")]) as server, connected(server) as bot:
        mara = server.person("Mara").id
        await server.say(mara, server.channel("general").id, "behind closed doors")
        await server.dm(mara, "out loud")
        await bot.hear("message")
        assert bot.texts() == ["out loud"]


async def test_people_cannot_speak_where_they_cannot_see(server: EmbeddedDiscord) -> None:
    with pytest.raises(NotPermitted, match="no such channel"):
        await server.say(server.person("Jonas").id, server.channel("off-limits").id, "hello?")


async def test_people_are_told_which_permission_they_lack() -> None:
    server = EmbeddedDiscord([layered()])
    with pytest.raises(NotPermitted, match="Send Messages in #general"):
        await server.say(server.person("Ines").id, server.channel("general").id, "may I?")
    await server.say(server.person("Jonas").id, server.channel("general").id, "I may")


async def test_a_second_server_is_a_world_of_its_own() -> None:
    club = GuildPlan("The Club", "Ines", (PersonPlan("Ines"),), (ChannelPlan("lounge"),))
    async with EmbeddedDiscord([the_table(), club]) as server, connected(server) as bot:
        assert {guild.name for guild in bot.guilds} == {"The Table", "The Club"}
        await server.say(server.person("Ines").id, server.channel("lounge").id, "hello")
        (heard,) = await bot.hear("message")
        assert heard.guild.name == "The Club"
        with pytest.raises(NotPermitted):
            await server.say(server.person("Mara").id, server.channel("lounge").id, "let me in")


async def test_people_and_channels_can_come_later(server: EmbeddedDiscord, bot: SmallBot) -> None:
    guild = next(iter(server.world.guilds.values()))
    server.world.join(guild, PersonPlan("Noor"))
    server.world.add_channel(guild, ChannelPlan("late"))
    await bot.hear("member_join")
    await bot.hear("guild_channel_create")
    await server.say(server.person("Noor").id, server.channel("late").id, "finally")
    assert (await bot.hear("message"))[0].author.name == "Noor"
