"""The shapes that tables and columns have, for SQLite and Postgres alike."""

import enum
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, MetaData, Table

from bot.store.tables.types import BIG, MOMENT, Details, Document, SafeText, Word

metadata: Final = MetaData()


def table(name: str, comment: str, *items: Any, **options: Any) -> Table:
    """A table; its comment is its one line."""
    return Table(name, metadata, *items, sqlite_strict=True, comment=comment, **options)


def word(name: str, words: type[enum.StrEnum]) -> Column[Any]:
    """One word of a closed set."""
    listed = ", ".join(f"'{word.value}'" for word in words)
    return Column(name, Word(words), CheckConstraint(f"{name} IN ({listed})"), nullable=False)


def text(name: str, *, nullable: bool = False, **options: Any) -> Column[Any]:
    """Text from anywhere."""
    return Column(name, SafeText, nullable=nullable, **options)


def big(name: str, *, nullable: bool = False, default: int | None = None) -> Column[Any]:
    """A large whole number, such as an id of Discord's."""
    return Column(name, BIG, nullable=nullable, server_default=_as_text(default))


def count(name: str, *, nullable: bool = False, default: int | None = None) -> Column[Any]:
    """A small whole number."""
    return Column(name, Integer, nullable=nullable, server_default=_as_text(default))


def flag(name: str) -> Column[Any]:
    """Yes or no, as SQLite has it: 1 or 0."""
    return Column(name, Integer, CheckConstraint(f"{name} IN (0, 1)"), nullable=False)


def dollars(name: str) -> Column[Any]:
    """An amount of money, nothing at first."""
    return Column(name, MOMENT, nullable=False, server_default="0")


def moment(name: str, *, nullable: bool = False) -> Column[Any]:
    """A moment in seconds since 1970."""
    return Column(name, MOMENT, nullable=nullable)


def json(name: str, **options: Any) -> Column[Any]:
    """A document."""
    return Column(name, Document, nullable=False, **options)


def details(name: str) -> Column[Any]:
    """A document that is read as empty where it is damaged, so that lists can be read."""
    return Column(name, Details, nullable=False)


def number() -> Column[Any]:
    """The key of rows that are counted."""
    return Column("id", BIG, primary_key=True, autoincrement=True)


def name() -> Column[Any]:
    """The key of rows that have an id of ours."""
    return Column("id", SafeText, primary_key=True)


def discord_id(name: str) -> Column[Any]:
    """The key of rows that have an id of Discord's."""
    return Column(name, BIG, primary_key=True, autoincrement=False)


def run(*, nullable: bool = False) -> Column[Any]:
    """The run a row belongs to."""
    return Column("run_id", SafeText, ForeignKey("runs.id"), nullable=nullable)


def only_run() -> Column[Any]:
    """The run a row belongs to, of which each has one at most."""
    return Column("run_id", SafeText, ForeignKey("runs.id"), primary_key=True)


def _as_text(default: int | None) -> str | None:
    return None if default is None else str(default)
