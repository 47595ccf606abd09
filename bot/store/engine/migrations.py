"""Schema migrations: numbered steps, all missing ones applied in one transaction at the start."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sqlalchemy import Connection, Table, func, inspect, select, update
from sqlalchemy.schema import CreateColumn

from bot.errors import UnavailableError
from bot.messages.operations import StoreText
from bot.store.tables import (
    adapt_to,
    approvals,
    ballots,
    budgets,
    calls,
    decisions,
    designs,
    discussions,
    events,
    findings,
    identifies,
    inbox,
    kept_votes,
    metadata,
    participants,
    record_members,
    request_turns,
    runs,
    runs_by_topic,
    schema_version,
    server_settings,
    server_states,
    servers,
    shards,
    speeches,
    starts,
    terms,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One migration; the first one creates all of today's tables in a fresh database."""

    number: int
    apply: Callable[[Connection], None]


def _create_everything(conn: Connection) -> None:
    adapt_to(conn.dialect.name)
    metadata.create_all(conn, checkfirst=False)
    _dialect_of(conn).forbid_changes(conn, events)


def _add_columns(conn: Connection, table: Table, *names: str) -> None:
    """Add columns as the table declares them; each needs a default for existing rows.

    A table that an earlier step of the same upgrade created has them.
    """
    known = {column["name"] for column in inspect(conn).get_columns(table.name)}
    for name in (name for name in names if name not in known):
        declared = CreateColumn(table.c[name]).compile(dialect=conn.dialect)
        conn.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {declared}")


def _name_effects(conn: Connection) -> None:
    _add_columns(conn, approvals, "effect", "details", "rollback_hint", "attempt", "gates")


def _create_discussions(conn: Connection) -> None:
    metadata.create_all(conn, tables=[discussions, participants, speeches, findings])


def _keep_a_ledger(conn: Connection) -> None:
    """Calls get the person who pays for them; existing ones are charged to their run's starter."""
    _add_columns(conn, calls, "person_id", "guild_id", "charged_usd", "charged_tokens")
    run = runs.c.id == calls.c.run_id
    conn.execute(
        update(calls).values(
            person_id=select(runs.c.starter_id).where(run).scalar_subquery(),
            guild_id=select(runs.c.guild_id).where(run).scalar_subquery(),
            charged_usd=func.coalesce(calls.c.cost_usd, 0.0),
        )
    )
    for index in sorted(calls.indexes, key=lambda index: str(index.name)):
        index.create(conn)
    budgets.create(conn)


def _create_ballots(conn: Connection) -> None:
    metadata.create_all(conn, tables=[ballots])


def _create_servers(conn: Connection) -> None:
    metadata.create_all(conn, tables=[servers])


def _make_words_erasable(conn: Connection) -> None:
    metadata.create_all(conn, tables=[designs])


def _find_topics(conn: Connection) -> None:
    """Every start looks up open runs by topic, so that needs an index."""
    runs_by_topic.create(conn)


def _count_terms(conn: Connection) -> None:
    """A process that lost the lock must find out whether another one has held it since."""
    metadata.create_all(conn, tables=[terms])


def _name_runs(conn: Connection) -> None:
    """Lists show a cleaned title; existing runs get theirs when they are first listed."""
    _add_columns(conn, runs, "title")


def _remember_starts(conn: Connection) -> None:
    """A cooldown also counts retries, which create no run."""
    metadata.create_all(conn, tables=[starts])


def _keep_settings(conn: Connection) -> None:
    """Admins set their server up in chat; every change is a row."""
    metadata.create_all(conn, tables=[server_settings])


def _keep_decisions(conn: Connection) -> None:
    """Decisions come back: what happened is asked for and kept."""
    metadata.create_all(conn, tables=[decisions])


def _keep_members_votes(conn: Connection) -> None:
    """People may have their own votes in the record."""
    metadata.create_all(conn, tables=[record_members, kept_votes])


def _connect_machines(conn: Connection) -> None:
    """Gateways hand what they hear to a worker on another machine."""
    metadata.create_all(conn, tables=[inbox, server_states, shards, identifies])


def _share_limits(conn: Connection) -> None:
    """Processes of one token keep to Discord's limits together and resume each other's shards."""
    metadata.create_all(conn, tables=[request_turns])
    _add_columns(conn, shards, "session_id", "seq", "resume_url")


STEPS: Final = (
    Step(1, _create_everything),
    Step(2, _name_effects),
    Step(3, _create_discussions),
    Step(4, _keep_a_ledger),
    Step(5, _create_ballots),
    Step(6, _create_servers),
    Step(7, _make_words_erasable),
    Step(8, _find_topics),
    Step(9, _count_terms),
    Step(10, _name_runs),
    Step(11, _remember_starts),
    Step(12, _keep_settings),
    Step(13, _keep_decisions),
    Step(14, _keep_members_votes),
    Step(15, _connect_machines),
    Step(16, _share_limits),
)


def current_version(conn: Connection) -> int:
    """The newest migration applied to the database, 0 for a fresh one."""
    if not inspect(conn).has_table(schema_version.name):
        return 0
    newest: int | None = conn.execute(select(func.max(schema_version.c.version))).scalar_one()
    return newest or 0


def too_new(found: int, steps: Sequence[Step], elsewhere: str) -> UnavailableError:
    """The error for a database that a newer version of the bot has written."""
    return UnavailableError(StoreText.too_new(found, steps[-1].number, elsewhere))


def migrate(conn: Connection, now: float, steps: Sequence[Step] = STEPS) -> None:
    """Bring the database to the newest version within the caller's transaction.

    A fresh database gets today's tables from the first step alone; an older one gets the steps it
    lacks.
    """
    found = current_version(conn)
    if found > steps[-1].number:
        raise too_new(found, steps, _dialect_of(conn).ELSEWHERE)
    for step in steps[:1] if found == 0 else steps[found:]:
        step.apply(conn)
    missing = [{"version": step.number, "applied_at": now} for step in steps[found:]]
    if missing:
        conn.execute(schema_version.insert(), missing)


def require_current(conn: Connection) -> None:
    """Refuse a database of another version, for processes that may not migrate it."""
    found = current_version(conn)
    if found > STEPS[-1].number:
        raise too_new(found, STEPS, _dialect_of(conn).ELSEWHERE)
    if found < STEPS[-1].number:
        raise UnavailableError(StoreText.too_old(found, STEPS[-1].number))


class _Dialect(Protocol):
    """What the modules of both databases provide for the migrations."""

    @property
    def ELSEWHERE(self) -> str:  # noqa: N802 (a module's constant)
        """How to choose another database, as the end of a sentence."""

    def forbid_changes(self, conn: Connection, table: Table) -> None:
        """Make a table append-only."""


def _dialect_of(conn: Connection) -> _Dialect:
    """The module for the connection's dialect."""
    if conn.dialect.name == "postgresql":
        from bot.store.engine import postgres  # noqa: PLC0415 (slow, for Postgres alone)

        return postgres
    from bot.store.engine import sqlite  # noqa: PLC0415 (not needed on Postgres)

    return sqlite
