"""Memory that each Discord server costs the bot: servers of 50 channels and 30 roles.

The real bot connects to an embedded Discord in another process, once with few servers and once with
many; the difference of its resident memory, divided by the difference of servers, is the figure.
Servers have topics, overwrites and custom emojis, as real ones have. Linux only.
"""

import asyncio
import gc
import os
import sys
import tempfile
from dataclasses import fields
from pathlib import Path

from bot.playground._basics import Wire
from bot.playground.model import Guild
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import ChannelPlan, GuildPlan, OverwritePlan, PersonPlan, RolePlan

FEW, MANY = 20, 320
LIMIT_KB = 150
CHANNELS, ROLES, EMOJIS = 50, 30, 40
# The plan's two own roles, everybody's and the bot's, count as well.
_NAMED_ROLES = ROLES - 2
_CHILD = "--bot"


class FullGuild(Guild):
    """A server with what Discord sends beside what our bot asks for."""

    def wire(self) -> Wire:
        """The server object with emojis and a few texts."""
        emojis = [
            {"id": str(self.id + n), "name": f"emoji_{n}", "roles": [], "animated": False}
            for n in range(EMOJIS)
        ]
        texts = {"description": "A place to talk about everything that we build together."}
        return super().wire() | texts | {"emojis": emojis, "features": ["COMMUNITY", "NEWS"]}


def plan(number: int) -> GuildPlan:
    """A server of the size that is measured."""
    roles = tuple(
        RolePlan(f"role {n} of server {number}", ("view_channel",)) for n in range(_NAMED_ROLES)
    )
    closed = tuple(
        OverwritePlan(role.name, allow=("send_messages",), deny=("attach_files",))
        for role in roles[:3]
    )
    channels = tuple(
        ChannelPlan(
            f"channel-{n}-{number}",
            topic=f"What we say about {n} in {number}. " * 2,
            overwrites=closed,
        )
        for n in range(CHANNELS)
    )
    return GuildPlan(f"server {number}", "Mara", (PersonPlan("Mara"),), channels, roles)


def filled(count: int) -> EmbeddedDiscord:
    """An embedded Discord with so many servers, and one in which the bot can speak."""
    server = EmbeddedDiscord([plan(number) for number in range(count)])
    world = server.world
    for number, guild in tuple(world.guilds.items()):
        full = FullGuild(**{each.name: getattr(guild, each.name) for each in fields(guild)})
        world.guilds[number] = full
        for channel in world.channels_of(guild):
            channel.guild = full
    return server


def resident_kb() -> float:
    """The resident memory of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


async def be_the_bot(home: str) -> None:
    """Connect as the bot does, and print how many servers there are and what they cost."""
    from bot.app import Options, open_app
    from bot.front.live import connected
    from bot.playground.redirect import redirect_discord_py
    from bot.settings import load_settings

    settings = load_settings(None, {"ROUNDTABLE_HOME": home})
    api, gateway, token = os.environ["API"], os.environ["GATEWAY"], os.environ["TOKEN"]
    with redirect_discord_py(api, gateway):
        async with open_app(settings, Options()) as app, connected(app, token):
            channels = sum(len(guild.channels) for guild in app.bot.guilds)
            assert channels == CHANNELS * len(app.bot.guilds)
            assert all(len(guild.roles) == ROLES for guild in app.bot.guilds)
            print(len(app.bot.guilds), resident_kb())


async def memory_with(count: int) -> float:
    """The bot's resident memory in kB with so many servers."""
    with tempfile.TemporaryDirectory() as home:
        async with filled(count) as server:
            names = {"API": server.api_url, "GATEWAY": server.gateway_url, "TOKEN": server.token}
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, __file__, _CHILD, home),
                env=os.environ | names,
                stdout=asyncio.subprocess.PIPE,
            )
            output, _ = await child.communicate()
    servers, kilobytes = output.split()
    assert int(servers) == count
    return float(kilobytes)


async def main() -> int:
    """Measure both and print the figure."""
    few, many = await memory_with(FEW), await memory_with(MANY)
    each = (many - few) / (MANY - FEW)
    print(f"the bot in {FEW} servers:  {few / 1024:6.1f} MB")
    print(f"the bot in {MANY} servers: {many / 1024:6.1f} MB")
    print(f"memory per server in kB: {each:.1f} (limit {LIMIT_KB})")
    return 0 if each <= LIMIT_KB else 1


if __name__ == "__main__":
    if _CHILD in sys.argv:
        asyncio.run(be_the_bot(sys.argv[-1]))
    else:
        sys.exit(asyncio.run(main()))
