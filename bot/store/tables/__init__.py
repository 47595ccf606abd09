"""Every table, for SQLite and Postgres alike; its comment describes it in one line."""

from sqlalchemy import Column, Integer

from bot.store.tables.agents import discussions, findings, participants, speeches
from bot.store.tables.columns import count, metadata, moment, number, table, text
from bot.store.tables.fleet import (
    identifies,
    inbox,
    inbox_by_guild,
    processes,
    published_panels,
    request_turns,
    server_states,
    shards,
    workers,
)
from bot.store.tables.meetings import (
    answers,
    attempts,
    ballots,
    budgets,
    calls,
    designs,
    events,
    kept_votes,
    one_open_run_per_topic,
    record_members,
    runs,
    runs_by_topic,
    seats,
)
from bot.store.tables.people import (
    NONCE_LIMIT,
    inbound,
    posts,
    server_settings,
    servers,
    starts,
    turns,
)
from bot.store.tables.results import approvals, artifacts, decisions, files, reviews

__all__ = [
    "NONCE_LIMIT",
    "adapt_to",
    "answers",
    "approvals",
    "artifacts",
    "attempts",
    "ballots",
    "budgets",
    "calls",
    "decisions",
    "designs",
    "discussions",
    "events",
    "files",
    "findings",
    "identifies",
    "inbound",
    "inbox",
    "inbox_by_guild",
    "kept_votes",
    "metadata",
    "participants",
    "posts",
    "processes",
    "published_panels",
    "record_members",
    "request_turns",
    "reviews",
    "runs",
    "runs_by_topic",
    "schema_version",
    "seats",
    "server_settings",
    "server_states",
    "servers",
    "shards",
    "speeches",
    "starts",
    "terms",
    "turns",
    "workers",
]

schema_version = table(
    "schema_version",
    "Which migrations were applied, when, and whether older processes cannot work since.",
    Column("version", Integer, primary_key=True, autoincrement=False),
    moment("applied_at"),
    count("contracts", default=0),
)

terms = table(
    "terms",
    "Which process held a database on Postgres, one row for each start; the newest holds it.",
    number(),
    text("process"),
)


def adapt_to(dialect: str) -> None:
    """Add the options that only this dialect needs; naming Postgres imports its whole dialect."""
    if dialect == "postgresql":
        options = one_open_run_per_topic.dialect_options["postgresql"]
        options["where"] = runs.c.finished_at.is_(None)
