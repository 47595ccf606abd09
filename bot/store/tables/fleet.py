"""What gateways tell workers on other machines; empty where there is one process."""

from typing import Final

from sqlalchemy import Index, func

from bot.store.tables.columns import (
    big,
    count,
    discord_id,
    flag,
    moment,
    name,
    number,
    table,
    text,
)

DATABASE_NOW: Final = func.extract("epoch", func.clock_timestamp())
"""In epoch seconds. Several machines write these tables, so every time is the database's."""

inbox = table(
    "inbox",
    "Events of Discord that a gateway heard and no worker has dealt with yet, by Discord's ids.",
    number(),
    text("key", nullable=True, unique=True),
    text("event"),
    big("author_id"),
    text("payload"),
    moment("received_at"),
    big("guild_id", default=0),
    moment("taken_at", nullable=True),
)
inbox_by_guild = Index("inbox_by_guild", inbox.c.guild_id, inbox.c.id)

workers = table(
    "workers",
    "The processes behind the workers of the job queue, by their number there.",
    discord_id("id"),
    text("process"),
)

server_states = table(
    "server_states",
    "What Discord said of a server's channels, roles and threads since its shard identified.",
    number(),
    big("guild_id"),
    text("event"),
    text("payload"),
)
Index("server_states_by_guild", server_states.c.guild_id)

shards = table(
    "shards",
    "The shards of the bot: when each was last connected, its session, and what it misses.",
    discord_id("shard"),
    count("of"),
    flag("known"),
    moment("alive_at"),
    moment("away_since"),
    text("session_id", server_default=""),
    big("seq", default=0),
    text("resume_url", server_default=""),
)

processes = table(
    "processes",
    "Gateways and workers that are up: role, version, newest migration they know, panels.json.",
    name(),
    text("role"),
    text("version"),
    count("schema"),
    text("panels"),
    moment("seen_at"),
)

published_panels = table(
    "published_panels",
    "Every panels.json that a worker of a fleet found; the newest is used by all of them.",
    number(),
    text("digest"),
    text("document"),
    text("process"),
    moment("published_at"),
)

request_turns = table(
    "request_turns",
    "When the next request of all processes may go out, by what Discord counts.",
    name(),
    moment("next_at"),
    moment("stopped_until"),
)

identifies = table(
    "identifies",
    "When the next shard of each of Discord's rate limit keys may identify.",
    discord_id("key"),
    moment("next_at"),
)
