"""An embedded Discord whose servers spread over the shards of a bot."""

import math
import time

from bot.playground.faults import Limits, SessionStarts
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import ChannelPlan, GuildPlan, PersonPlan


def _servers(count: int) -> list[GuildPlan]:
    people = (PersonPlan("Mara"), PersonPlan("Jonas"))
    return [
        GuildPlan(f"server {number}", "Mara", people, (ChannelPlan("general"),))
        for number in range(count)
    ]


def discord_of(count: int, starts: SessionStarts, limits: Limits | None = None) -> EmbeddedDiscord:
    """So many servers, each made a millisecond later, so that they take the shards in turn."""
    moment: list[float | None] = [math.floor(time.time() * 1000) - count + 0.5]
    first, *others = _servers(count)

    def clock() -> float:
        return time.time() if moment[0] is None else moment[0] / 1000

    server = EmbeddedDiscord([first], clock=clock, starts=starts, limits=limits)
    for plan in others:
        moment[0] = (moment[0] or 0.0) + 1
        server.world.add_guild(plan)
    moment[0] = None
    return server


def shard_of(guild_id: int, shards: int) -> int:
    """Discord's formula."""
    return (guild_id >> 22) % shards
