"""Every table, once, for SQLite and Postgres alike; each table's comment is its one line."""

import enum
from typing import Any, Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from bot.request.modes import Mode
from bot.store.actors import Actor
from bot.store.types import BIG, MOMENT, Document, SafeText, Word
from bot.store.vocabulary import (
    ApprovalStatus,
    ArtifactKind,
    AttemptStatus,
    BallotTime,
    CallStatus,
    FindingKind,
    InboundKind,
    Phase,
    PostKind,
    PostState,
    ReviewType,
    SeatStatus,
    SideEffect,
    TalkOrder,
    TurnVoice,
    Verdict,
)

metadata: Final = MetaData()

NONCE_LIMIT: Final = 25


def _table(name: str, comment: str, *items: Any, **options: Any) -> Table:
    return Table(name, metadata, *items, sqlite_strict=True, comment=comment, **options)


def _word(name: str, words: type[enum.StrEnum]) -> Column[Any]:
    listed = ", ".join(f"'{word.value}'" for word in words)
    return Column(name, Word(words), CheckConstraint(f"{name} IN ({listed})"), nullable=False)


def _text(name: str, **options: Any) -> Column[Any]:
    return Column(name, SafeText, nullable=False, **options)


def _big(name: str, nullable: bool = False, default: int | None = None) -> Column[Any]:
    fallback = None if default is None else str(default)
    return Column(name, BIG, nullable=nullable, server_default=fallback)


def _dollars(name: str) -> Column[Any]:
    return Column(name, MOMENT, nullable=False, server_default="0")


def _count(name: str, default: int | None = None) -> Column[Any]:
    fallback = None if default is None else str(default)
    return Column(name, Integer, nullable=False, server_default=fallback)


def _moment(name: str, nullable: bool = False) -> Column[Any]:
    return Column(name, MOMENT, nullable=nullable)


def _json(name: str) -> Column[Any]:
    return Column(name, Document, nullable=False)


def _number() -> Column[Any]:
    return Column("id", BIG, primary_key=True, autoincrement=True)


def _name() -> Column[Any]:
    return Column("id", SafeText, primary_key=True)


def _run(nullable: bool = False) -> Column[Any]:
    return Column("run_id", SafeText, ForeignKey("runs.id"), nullable=nullable)


schema_version = _table(
    "schema_version",
    "Which migrations were applied, and when.",
    Column("version", Integer, primary_key=True, autoincrement=False),
    _moment("applied_at"),
)

runs = _table(
    "runs",
    "One row per roundtable: where it lives, what was asked, in which phase it is.",
    _name(),
    _big("guild_id"),
    _big("trigger_channel_id"),
    _big("trigger_message_id", nullable=True),
    _big("output_channel_id"),
    _big("anchor_id", nullable=True),
    _big("thread_id", nullable=True),
    _big("starter_id"),
    _word("mode", Mode),
    _text("topic"),
    _text("topic_key"),
    _count("generation", default=0),
    _word("phase", Phase),
    _count("attempt", default=0),
    _json("request"),
    _big("seed"),
    _text("status_reason"),
    _moment("created_at"),
    _moment("updated_at"),
    _moment("finished_at", nullable=True),
)
_one_open_run_per_topic = Index(
    "one_open_run_per_topic",
    runs.c.guild_id,
    runs.c.output_channel_id,
    runs.c.mode,
    runs.c.topic_key,
    runs.c.generation,
    unique=True,
    sqlite_where=runs.c.finished_at.is_(None),
)
Index("runs_by_thread", runs.c.thread_id)
Index("runs_by_starter", runs.c.starter_id)

events = _table(
    "events",
    "The append-only log that is the truth about a run; holds no text a person wrote.",
    _number(),
    _run(),
    _text("type"),
    _text("key"),
    _word("actor", Actor),
    _json("payload"),
    _moment("created_at"),
    UniqueConstraint("run_id", "type", "key"),
    sqlite_autoincrement=True,
)

seats = _table(
    "seats",
    "Who sits at the table: one panelist's model, role and session.",
    _run(),
    _text("seat"),
    _count("ordinal"),
    _count("stage", default=1),
    _text("role"),
    _text("model"),
    _text("provider"),
    _text("wire_model"),
    _text("family"),
    _text("fallback"),
    _text("perspective"),
    _text("task"),
    _text("session_key", unique=True),
    _word("status", SeatStatus),
    _moment("last_activity", nullable=True),
    Column("external_session_ref", SafeText, nullable=True),
    PrimaryKeyConstraint("run_id", "seat"),
)

attempts = _table(
    "attempts",
    "One row per execution of a run's workflow.",
    _name(),
    _run(),
    _count("ordinal"),
    _text("runtime"),
    _word("status", AttemptStatus),
    _text("error_summary"),
    _moment("started_at"),
    _moment("finished_at", nullable=True),
    UniqueConstraint("run_id", "ordinal"),
)

calls = _table(
    "calls",
    "Every call to a model: what was asked of whom, how it ended, what it cost (null = unknown).",
    _number(),
    _run(),
    _big("person_id", default=0),
    _big("guild_id", default=0),
    _text("key"),
    _text("purpose"),
    Column("seat", SafeText, nullable=True),
    _count("attempt"),
    _text("provider"),
    _text("model"),
    _text("answered_model"),
    _big("input_tokens", nullable=True),
    _big("output_tokens", nullable=True),
    _big("cached_tokens", nullable=True),
    _moment("cost_usd", nullable=True),
    _dollars("charged_usd"),
    _big("charged_tokens", default=0),
    _word("status", CallStatus),
    _text("error_kind"),
    _text("error_text"),
    _moment("started_at"),
    _moment("finished_at"),
    UniqueConstraint("run_id", "key", "attempt"),
    sqlite_autoincrement=True,
)
Index("calls_by_person", calls.c.person_id, calls.c.finished_at)
Index("calls_by_server", calls.c.guild_id, calls.c.finished_at)

budgets = _table(
    "budgets",
    "Money and tokens set aside for work under way, and what it has used of them.",
    _run(),
    _text("name"),
    _big("person_id"),
    _big("guild_id"),
    _dollars("reserved_usd"),
    _dollars("spent_usd"),
    _big("reserved_tokens", default=0),
    _big("spent_tokens", default=0),
    _dollars("cap_usd"),
    _moment("closed_at", nullable=True),
    PrimaryKeyConstraint("run_id", "name"),
)
Index("budgets_by_person", budgets.c.person_id, budgets.c.closed_at)
Index("budgets_by_server", budgets.c.guild_id, budgets.c.closed_at)

answers = _table(
    "answers",
    "What a model answered, whole, with what was read out of it.",
    _run(),
    _text("key"),
    _text("seat"),
    _count("round"),
    _text("text"),
    _text("digest"),
    _text("stance"),
    _json("parsed"),
    Column("late", Integer, CheckConstraint("late IN (0, 1)"), nullable=False),
    _moment("created_at"),
    PrimaryKeyConstraint("run_id", "key"),
)

posts = _table(
    "posts",
    "The outbox: every part of every post, and whether it is out.",
    _run(),
    _text("key"),
    _count("part"),
    _count("position"),
    _big("target_id"),
    _word("kind", PostKind),
    _json("speaker"),
    _text("body"),
    _json("attachments"),
    Column("nonce", SafeText, nullable=False, unique=True),
    _word("state", PostState),
    _big("message_id", nullable=True),
    _moment("created_at"),
    _moment("attempted_at", nullable=True),
    _moment("sent_at", nullable=True),
    _text("error"),
    PrimaryKeyConstraint("run_id", "key", "part"),
    CheckConstraint(f"length(nonce) <= {NONCE_LIMIT}"),
)
Index("posts_by_target", posts.c.target_id, posts.c.state)
Index("posts_by_message", posts.c.message_id)

inbound = _table(
    "inbound",
    "Messages of people that were seen, by Discord id; the content can be erased.",
    Column("message_id", BIG, primary_key=True, autoincrement=False),
    _big("channel_id"),
    _big("guild_id"),
    _big("author_id"),
    _run(nullable=True),
    _word("kind", InboundKind),
    _text("content"),
    _moment("created_at"),
    _moment("seen_at"),
)
Index("inbound_by_run", inbound.c.run_id)
Index("inbound_by_author", inbound.c.author_id)

turns = _table(
    "turns",
    "A seat's session: what it heard and said, in order.",
    _run(),
    _text("seat"),
    _count("ordinal"),
    _word("voice", TurnVoice),
    _text("author"),
    _text("text"),
    _big("message_id", nullable=True),
    _moment("created_at"),
    PrimaryKeyConstraint("run_id", "seat", "ordinal"),
)
Index("turns_by_message", turns.c.message_id)

artifacts = _table(
    "artifacts",
    "What a run produced, with its content.",
    _name(),
    _run(),
    _count("attempt"),
    _word("kind", ArtifactKind),
    _text("name"),
    _text("content"),
    _text("sha256"),
    _big("size"),
    _word("produced_by", Actor),
    _moment("created_at"),
    UniqueConstraint("run_id", "attempt", "kind", "name"),
)

files = _table(
    "files",
    "The name of a run's files outside the database; it holds words of the topic, so erasable.",
    Column("run_id", SafeText, ForeignKey("runs.id"), primary_key=True),
    Column("stem", SafeText, nullable=False, unique=True),
)

reviews = _table(
    "reviews",
    "Verdicts and findings of the reviewers; they never move a phase.",
    _name(),
    _run(),
    _count("attempt"),
    _word("review_type", ReviewType),
    _text("reviewer"),
    _word("verdict", Verdict),
    _text("summary"),
    _json("findings"),
    _moment("created_at"),
    UniqueConstraint("run_id", "attempt", "review_type", "reviewer"),
)

approvals = _table(
    "approvals",
    "Side effects that wait for a person, and what the person decided.",
    _name(),
    _run(),
    _text("requested_action"),
    _word("side_effect_kind", SideEffect),
    _text("idempotency_key", unique=True),
    _word("status", ApprovalStatus),
    _text("requested_by"),
    Column("resolved_by", SafeText, nullable=True),
    _text("note"),
    _moment("created_at"),
    _moment("resolved_at", nullable=True),
    _text("effect", server_default=""),
    Column("details", Document, nullable=False, server_default="{}"),
    _text("rollback_hint", server_default=""),
    _count("attempt", 0),
    _count("gates", 0),
)

ballots = _table(
    "ballots",
    "How people voted, for as long as their vote is open; counted and erased when it closes.",
    _run(),
    _word("ballot", BallotTime),
    _big("person_id"),
    _text("choice"),
    Column("confidence", Integer, nullable=True),
    _moment("cast_at"),
    PrimaryKeyConstraint("run_id", "ballot", "person_id"),
    CheckConstraint("confidence BETWEEN 0 AND 100"),
)
Index("ballots_by_person", ballots.c.person_id)

discussions = _table(
    "discussions",
    "A run whose speeches come from other programs: its rules, its round, how it ended.",
    Column("run_id", SafeText, ForeignKey("runs.id"), primary_key=True),
    _text("context"),
    _text("created_by"),
    _count("max_rounds"),
    _count("current_round"),
    _word("speech_order", TalkOrder),
    Column("output_path", SafeText, nullable=True),
    _text("link"),
    _text("conclusion"),
    CheckConstraint("max_rounds >= 1"),
)

participants = _table(
    "participants",
    "Who may speak in a discussion, in the order they were named.",
    _run(),
    _text("profile"),
    _count("ordinal"),
    _text("role"),
    _text("perspective"),
    _text("display_name"),
    _count("priority", default=0),
    Column("active", Integer, CheckConstraint("active IN (0, 1)"), nullable=False),
    Column("wants_end", Integer, CheckConstraint("wants_end IN (0, 1)"), nullable=False),
    PrimaryKeyConstraint("run_id", "profile"),
)

speeches = _table(
    "speeches",
    "What was said in a discussion, in order.",
    _number(),
    _run(),
    _count("round"),
    _text("participant"),
    _text("content"),
    Column("reply_to", BIG, ForeignKey("speeches.id"), nullable=True),
    _moment("created_at"),
    sqlite_autoincrement=True,
)
Index("speeches_by_run", speeches.c.run_id, speeches.c.id)
Index("speeches_by_round", speeches.c.run_id, speeches.c.round)

findings = _table(
    "findings",
    "What a round of a discussion agreed on, disputed and brought up.",
    _run(),
    _count("round"),
    _word("kind", FindingKind),
    _count("ordinal"),
    _text("text"),
    _json("made_by"),
    PrimaryKeyConstraint("run_id", "round", "kind", "ordinal"),
)

designs = _table(
    "designs",
    "The words of a run's frozen design, which quote its topic: erasable, so not in the log.",
    Column("run_id", SafeText, ForeignKey("runs.id"), primary_key=True),
    _json("texts"),
)

servers = _table(
    "servers",
    "What is remembered about a Discord server: its admins' channel, a pause, since when left.",
    Column("guild_id", BIG, primary_key=True, autoincrement=False),
    _big("admin_channel_id", nullable=True),
    _big("paused_by", nullable=True),
    _moment("paused_at", nullable=True),
    _moment("left_at", nullable=True),
)


def adapt_to(dialect: str) -> None:
    """Say what only this database needs to hear; naming Postgres loads its whole dialect."""
    if dialect == "postgresql":
        options = _one_open_run_per_topic.dialect_options["postgresql"]
        options["where"] = runs.c.finished_at.is_(None)
