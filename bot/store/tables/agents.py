"""Discussions: runs whose speeches come from other programs."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, PrimaryKeyConstraint

from bot.store.tables.columns import (
    count,
    flag,
    json,
    moment,
    number,
    only_run,
    run,
    table,
    text,
    word,
)
from bot.store.tables.types import BIG
from bot.store.vocabulary import FindingKind, TalkOrder

discussions = table(
    "discussions",
    "A run whose speeches come from other programs: its rules, its round, how it ended.",
    only_run(),
    text("context"),
    text("created_by"),
    count("max_rounds"),
    count("current_round"),
    word("speech_order", TalkOrder),
    text("output_path", nullable=True),
    text("link"),
    text("conclusion"),
    CheckConstraint("max_rounds >= 1"),
)

participants = table(
    "participants",
    "Who may speak in a discussion, in the order they were named.",
    run(),
    text("profile"),
    count("ordinal"),
    text("role"),
    text("perspective"),
    text("display_name"),
    count("priority", default=0),
    flag("active"),
    flag("wants_end"),
    PrimaryKeyConstraint("run_id", "profile"),
)

speeches = table(
    "speeches",
    "What was said in a discussion, in order.",
    number(),
    run(),
    count("round"),
    text("participant"),
    text("content"),
    Column("reply_to", BIG, ForeignKey("speeches.id"), nullable=True),
    moment("created_at"),
    sqlite_autoincrement=True,
)
Index("speeches_by_run", speeches.c.run_id, speeches.c.id)
Index("speeches_by_round", speeches.c.run_id, speeches.c.round)

findings = table(
    "findings",
    "What a round of a discussion agreed on, disputed and brought up.",
    run(),
    count("round"),
    word("kind", FindingKind),
    count("ordinal"),
    text("text"),
    json("made_by"),
    PrimaryKeyConstraint("run_id", "round", "kind", "ordinal"),
)
