"""What gateways tell workers on other machines; empty where there is one process."""

from sqlalchemy import Index

from bot.store.tables.columns import big, count, discord_id, flag, moment, number, table, text

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
    "The shards of the bot: when each was last connected, and since when it misses events.",
    discord_id("shard"),
    count("of"),
    flag("known"),
    moment("alive_at"),
    moment("away_since"),
)

identifies = table(
    "identifies",
    "When the next shard of each of Discord's rate limit keys may identify.",
    discord_id("key"),
    moment("next_at"),
)
