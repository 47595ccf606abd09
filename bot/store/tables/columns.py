"""Shorthands for tables and columns, for SQLite and Postgres alike."""

import enum
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, MetaData, Table

from bot.store.tables.types import BIG, MOMENT, Details, Document, SafeText, Word

metadata: Final = MetaData()


def table(name: str, comment: str, *items: Any, **options: Any) -> Table:
    """A table with a comment that describes it in one line."""
    return Table(name, metadata, *items, sqlite_strict=True, comment=comment, **options)


def word(name: str, words: type[enum.StrEnum]) -> Column[Any]:
    """A value of an enum."""
    listed = ", ".join(f"'{word.value}'" for word in words)
    return Column(name, Word(words), CheckConstraint(f"{name} IN ({listed})"), nullable=False)


def text(name: str, *, nullable: bool = False, **options: Any) -> Column[Any]:
    """Text from people, models or servers, cleaned when it is stored."""
    return Column(name, SafeText, nullable=nullable, **options)


def big(name: str, *, nullable: bool = False, default: int | None = None) -> Column[Any]:
    """A 64-bit integer, such as a Discord id."""
    return Column(name, BIG, nullable=nullable, server_default=_as_text(default))


def count(name: str, *, nullable: bool = False, default: int | None = None) -> Column[Any]:
    """An integer."""
    return Column(name, Integer, nullable=nullable, server_default=_as_text(default))


def flag(name: str) -> Column[Any]:
    """A boolean, stored as 1 or 0."""
    return Column(name, Integer, CheckConstraint(f"{name} IN (0, 1)"), nullable=False)


def dollars(name: str) -> Column[Any]:
    """An amount in dollars, 0 by default."""
    return Column(name, MOMENT, nullable=False, server_default="0")


def moment(name: str, *, nullable: bool = False) -> Column[Any]:
    """A time in seconds since 1970."""
    return Column(name, MOMENT, nullable=nullable)


def json(name: str, **options: Any) -> Column[Any]:
    """A JSON document."""
    return Column(name, Document, nullable=False, **options)


def details(name: str) -> Column[Any]:
    """A JSON document that is read as empty if it is damaged, so that lists stay readable."""
    return Column(name, Details, nullable=False)


def number() -> Column[Any]:
    """An autoincrement primary key."""
    return Column("id", BIG, primary_key=True, autoincrement=True)


def name() -> Column[Any]:
    """A primary key made by the bot."""
    return Column("id", SafeText, primary_key=True)


def discord_id(name: str) -> Column[Any]:
    """A primary key given by Discord."""
    return Column(name, BIG, primary_key=True, autoincrement=False)


def run(*, nullable: bool = False) -> Column[Any]:
    """A foreign key to the run."""
    return Column("run_id", SafeText, ForeignKey("runs.id"), nullable=nullable)


def only_run() -> Column[Any]:
    """A foreign key to the run that is also the primary key: one row per run."""
    return Column("run_id", SafeText, ForeignKey("runs.id"), primary_key=True)


def _as_text(default: int | None) -> str | None:
    return None if default is None else str(default)
