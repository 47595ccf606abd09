"""What a run is, who sits in it, and what was asked, answered and paid."""

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint, UniqueConstraint

from bot.store.tables.columns import (
    big,
    count,
    details,
    dollars,
    flag,
    json,
    moment,
    name,
    number,
    only_run,
    run,
    table,
    text,
    word,
)
from bot.store.vocabulary import Actor, AttemptStatus, BallotTime, CallStatus, Phase, SeatStatus
from bot.types.mode import Mode

runs = table(
    "runs",
    "One row per roundtable: where it lives, what was asked, in which phase it is.",
    name(),
    big("guild_id"),
    big("trigger_channel_id"),
    big("trigger_message_id", nullable=True),
    big("output_channel_id"),
    big("anchor_id", nullable=True),
    big("thread_id", nullable=True),
    big("starter_id"),
    word("mode", Mode),
    text("topic"),
    text("topic_key"),
    count("generation", default=0),
    word("phase", Phase),
    count("attempt", default=0),
    details("request"),
    big("seed"),
    text("status_reason"),
    moment("created_at"),
    moment("updated_at"),
    moment("finished_at", nullable=True),
    text("title", server_default=""),
)
one_open_run_per_topic = Index(
    "one_open_run_per_topic",
    runs.c.guild_id,
    runs.c.output_channel_id,
    runs.c.mode,
    runs.c.topic_key,
    runs.c.generation,
    unique=True,
    sqlite_where=runs.c.finished_at.is_(None),
)
runs_by_topic = Index(
    "runs_by_topic",
    runs.c.guild_id,
    runs.c.output_channel_id,
    runs.c.mode,
    runs.c.topic_key,
)
Index("runs_by_thread", runs.c.thread_id)
Index("runs_by_starter", runs.c.starter_id)

events = table(
    "events",
    "The append-only log that is the truth about a run; holds no text a person wrote.",
    number(),
    run(),
    text("type"),
    text("key"),
    word("actor", Actor),
    json("payload"),
    moment("created_at"),
    UniqueConstraint("run_id", "type", "key"),
    sqlite_autoincrement=True,
)

seats = table(
    "seats",
    "Who sits at the table: one panelist's model, role and session.",
    run(),
    text("seat"),
    count("ordinal"),
    count("stage", default=1),
    text("role"),
    text("model"),
    text("provider"),
    text("wire_model"),
    text("family"),
    text("fallback"),
    text("perspective"),
    text("task"),
    text("session_key", unique=True),
    word("status", SeatStatus),
    moment("last_activity", nullable=True),
    text("external_session_ref", nullable=True),
    PrimaryKeyConstraint("run_id", "seat"),
)

designs = table(
    "designs",
    "The words of a run's frozen design, which quote its topic: erasable, so not in the log.",
    only_run(),
    json("texts"),
)

attempts = table(
    "attempts",
    "One row per execution of a run's workflow.",
    name(),
    run(),
    count("ordinal"),
    text("runtime"),
    word("status", AttemptStatus),
    text("error_summary"),
    moment("started_at"),
    moment("finished_at", nullable=True),
    UniqueConstraint("run_id", "ordinal"),
)

calls = table(
    "calls",
    "Every call to a model: what was asked of whom, how it ended, what it cost (null = unknown).",
    number(),
    run(),
    big("person_id", default=0),
    big("guild_id", default=0),
    text("key"),
    text("purpose"),
    text("seat", nullable=True),
    count("attempt"),
    text("provider"),
    text("model"),
    text("answered_model"),
    big("input_tokens", nullable=True),
    big("output_tokens", nullable=True),
    big("cached_tokens", nullable=True),
    moment("cost_usd", nullable=True),
    dollars("charged_usd"),
    big("charged_tokens", default=0),
    word("status", CallStatus),
    text("error_kind"),
    text("error_text"),
    moment("started_at"),
    moment("finished_at"),
    UniqueConstraint("run_id", "key", "attempt"),
    sqlite_autoincrement=True,
)
Index("calls_by_person", calls.c.person_id, calls.c.finished_at)
Index("calls_by_server", calls.c.guild_id, calls.c.finished_at)

budgets = table(
    "budgets",
    "Money and tokens set aside for work under way, and what it has used of them.",
    run(),
    text("name"),
    big("person_id"),
    big("guild_id"),
    dollars("reserved_usd"),
    dollars("spent_usd"),
    big("reserved_tokens", default=0),
    big("spent_tokens", default=0),
    dollars("cap_usd"),
    moment("closed_at", nullable=True),
    PrimaryKeyConstraint("run_id", "name"),
)
Index("budgets_by_person", budgets.c.person_id, budgets.c.closed_at)
Index("budgets_by_server", budgets.c.guild_id, budgets.c.closed_at)

answers = table(
    "answers",
    "What a model answered, whole, with what was read out of it.",
    run(),
    text("key"),
    text("seat"),
    count("round"),
    text("text"),
    text("digest"),
    text("stance"),
    json("parsed"),
    flag("late"),
    moment("created_at"),
    PrimaryKeyConstraint("run_id", "key"),
)

ballots = table(
    "ballots",
    "How people voted, for as long as their vote is open; counted and erased when it closes.",
    run(),
    word("ballot", BallotTime),
    big("person_id"),
    text("choice"),
    count("confidence", nullable=True),
    moment("cast_at"),
    PrimaryKeyConstraint("run_id", "ballot", "person_id"),
    CheckConstraint("confidence BETWEEN 0 AND 100"),
)
Index("ballots_by_person", ballots.c.person_id)

record_members = table(
    "record_members",
    "People who want their own votes in the record of a server, until they leave it.",
    big("guild_id"),
    big("person_id"),
    moment("joined_at"),
    PrimaryKeyConstraint("guild_id", "person_id"),
)

kept_votes = table(
    "kept_votes",
    "The last vote of people who joined the record, by the number of the option.",
    run(),
    big("guild_id"),
    big("person_id"),
    count("option"),
    PrimaryKeyConstraint("run_id", "person_id"),
)
