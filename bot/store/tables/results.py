"""What a run produced, how it was reviewed, and what a person must allow."""

from sqlalchemy import Index, UniqueConstraint

from bot.store.tables.columns import (
    big,
    count,
    json,
    moment,
    name,
    only_run,
    run,
    table,
    text,
    word,
)
from bot.store.vocabulary import (
    Actor,
    ApprovalStatus,
    ArtifactKind,
    ReviewType,
    SideEffect,
    Verdict,
)

artifacts = table(
    "artifacts",
    "What a run produced, with its content.",
    name(),
    run(),
    count("attempt"),
    word("kind", ArtifactKind),
    text("name"),
    text("content"),
    text("sha256"),
    big("size"),
    word("produced_by", Actor),
    moment("created_at"),
    UniqueConstraint("run_id", "attempt", "kind", "name"),
)

files = table(
    "files",
    "The name of a run's files outside the database; it holds words of the topic, so erasable.",
    only_run(),
    text("stem", unique=True),
)

reviews = table(
    "reviews",
    "Verdicts and findings of the reviewers; they never move a phase.",
    name(),
    run(),
    count("attempt"),
    word("review_type", ReviewType),
    text("reviewer"),
    word("verdict", Verdict),
    text("summary"),
    json("findings"),
    moment("created_at"),
    UniqueConstraint("run_id", "attempt", "review_type", "reviewer"),
)

approvals = table(
    "approvals",
    "Side effects that wait for a person, and what the person decided.",
    name(),
    run(),
    text("requested_action"),
    word("side_effect_kind", SideEffect),
    text("idempotency_key", unique=True),
    word("status", ApprovalStatus),
    text("requested_by"),
    text("resolved_by", nullable=True),
    text("note"),
    moment("created_at"),
    moment("resolved_at", nullable=True),
    text("effect", server_default=""),
    json("details", server_default="{}"),
    text("rollback_hint", server_default=""),
    count("attempt", default=0),
    count("gates", default=0),
)

decisions = table(
    "decisions",
    "What became of a concluded roundtable: when to ask, what happened, what replaced it.",
    only_run(),
    big("guild_id"),
    moment("look_at", nullable=True),
    moment("pause", nullable=True),
    moment("claimed_until", nullable=True),
    count("asked", default=0),
    text("answer", server_default=""),
    count("answers", default=0),
    count("told", default=0),
    big("answered_by", nullable=True),
    moment("answered_at", nullable=True),
    json("facts", server_default="{}"),
    text("superseded_by", server_default=""),
)
Index("decisions_by_server", decisions.c.guild_id, decisions.c.answered_at)
Index("decisions_by_time", decisions.c.look_at)
