"""What goes out to people and what comes in from them."""

from typing import Final

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint

from bot.store.tables.columns import (
    big,
    count,
    discord_id,
    json,
    moment,
    number,
    run,
    table,
    text,
    word,
)
from bot.store.vocabulary import InboundKind, PostKind, PostState, TurnVoice

NONCE_LIMIT: Final = 25

posts = table(
    "posts",
    "The outbox: every part of every post, and whether it is out.",
    run(),
    text("key"),
    count("part"),
    count("position"),
    big("target_id"),
    word("kind", PostKind),
    json("speaker"),
    text("body"),
    json("attachments"),
    text("nonce", unique=True),
    word("state", PostState),
    big("message_id", nullable=True),
    moment("created_at"),
    moment("attempted_at", nullable=True),
    moment("sent_at", nullable=True),
    text("error"),
    PrimaryKeyConstraint("run_id", "key", "part"),
    CheckConstraint(f"length(nonce) <= {NONCE_LIMIT}"),
)
Index("posts_by_target", posts.c.target_id, posts.c.state)
Index("posts_by_message", posts.c.message_id)

inbound = table(
    "inbound",
    "Messages of people that were seen, by Discord id; the content can be erased.",
    discord_id("message_id"),
    big("channel_id"),
    big("guild_id"),
    big("author_id"),
    run(nullable=True),
    word("kind", InboundKind),
    text("content"),
    moment("created_at"),
    moment("seen_at"),
)
Index("inbound_by_run", inbound.c.run_id)
Index("inbound_by_author", inbound.c.author_id)

turns = table(
    "turns",
    "A seat's session: what it heard and said, in order.",
    run(),
    text("seat"),
    count("ordinal"),
    word("voice", TurnVoice),
    text("author"),
    text("text"),
    big("message_id", nullable=True),
    moment("created_at"),
    PrimaryKeyConstraint("run_id", "seat", "ordinal"),
)
Index("turns_by_message", turns.c.message_id)

starts = table(
    "starts",
    "When a person last started or retried a roundtable in a server, and which.",
    big("guild_id"),
    big("person_id"),
    run(),
    moment("at"),
    PrimaryKeyConstraint("guild_id", "person_id"),
)

servers = table(
    "servers",
    "What is remembered about a Discord server: its admins' channel, a pause, since when left.",
    discord_id("guild_id"),
    big("admin_channel_id", nullable=True),
    big("paused_by", nullable=True),
    moment("paused_at", nullable=True),
    moment("left_at", nullable=True),
)

server_settings = table(
    "server_settings",
    "What admins stored for a server above panels.json: one row per change, the newest holds.",
    number(),
    big("guild_id"),
    json("settings"),
    big("changed_by"),
    moment("changed_at"),
    sqlite_autoincrement=True,
)
Index("server_settings_by_guild", server_settings.c.guild_id, server_settings.c.id)
