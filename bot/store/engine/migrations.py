"""Schema migrations: numbered steps, all missing ones applied in one transaction at the start.

On Postgres processes of older versions may be up meanwhile. So a step either only adds, and they go
on, or it contracts: takes away what nobody uses any more. Such a step waits until none of them is
up, and works without it until then.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sqlalchemy import Connection, Table, func, inspect, select, update
from sqlalchemy.schema import CreateColumn

from bot.errors import UnavailableError
from bot.messages.store import StoreText
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
    inbox_by_guild,
    kept_votes,
    metadata,
    participants,
    processes,
    published_panels,
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
    workers,
)

_POSTGRES: Final = "postgresql"
_ONE_AT_A_TIME: Final = (
    "SELECT pg_advisory_xact_lock(hashtext(coalesce(current_schema(), '') || ' migrations'))"
)
_OLDEST_UP: Final = """
    SELECT min(schema) FROM processes WHERE seen_at > extract(epoch FROM clock_timestamp()) - 30
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One migration; the first one creates all of today's tables in a fresh database."""

    number: int
    apply: Callable[[Connection], None]
    contracts: bool = False
    """Whether processes that do not know the step cannot work after it; a step that adds a table,
    or a column with a default, leaves them alone."""


def _create_everything(conn: Connection) -> None:
    adapt_to(conn.dialect.name)
    metadata.create_all(conn, checkfirst=False)
    _dialect_of(conn).forbid_changes(conn, events)
    _dialect_of(conn).create_queue(conn)


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


def _share_work(conn: Connection) -> None:
    """Several workers hold servers, each server as a job of a queue."""
    if "guild_id" not in {column["name"] for column in inspect(conn).get_columns(inbox.name)}:
        _add_columns(conn, inbox, "guild_id", "taken_at")
        inbox_by_guild.create(conn)
    metadata.create_all(conn, tables=[workers])
    _dialect_of(conn).create_queue(conn)


def _share_limits(conn: Connection) -> None:
    """Processes of one token keep to Discord's limits together and resume each other's shards."""
    metadata.create_all(conn, tables=[request_turns, processes, published_panels])
    _add_columns(conn, shards, "session_id", "seq", "resume_url")
    _add_columns(conn, schema_version, "contracts")


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
    # A gateway that does not know it would not say whose an event is.
    Step(16, _share_work, contracts=True),
    Step(17, _share_limits),
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


def migrate(conn: Connection, now: float, steps: Sequence[Step] | None = None) -> None:
    """Bring the database to the newest version within the caller's transaction.

    A fresh database gets today's tables from the first step alone; an older one gets the steps it
    lacks, but none that contracts while a process is up that does not know it.
    """
    steps = STEPS if steps is None else steps
    if conn.dialect.name == _POSTGRES:
        conn.exec_driver_sql(_ONE_AT_A_TIME)
    applied = _applied(conn)
    _require_known(conn, applied, steps)
    oldest = _oldest_up(conn)
    missing = [
        step
        for step in steps
        if step.number not in applied and not (step.contracts and oldest < step.number)
    ]
    for step in missing if applied else missing[:1]:
        step.apply(conn)
    rows = [{"version": step.number, "contracts": int(step.contracts)} for step in missing]
    if rows:
        conn.execute(schema_version.insert(), [row | {"applied_at": now} for row in rows])


def require_current(conn: Connection) -> None:
    """Refuse a database of another version, for processes that may not migrate it."""
    applied = _applied(conn)
    _require_known(conn, applied, STEPS)
    if any(step.number not in applied for step in STEPS if not step.contracts):
        raise UnavailableError(StoreText.too_old(max(applied, default=0), STEPS[-1].number))


def _applied(conn: Connection) -> set[int]:
    if current_version(conn) == 0:
        return set()
    return set(conn.execute(select(schema_version.c.version)).scalars())


def _require_known(conn: Connection, applied: set[int], steps: Sequence[Step]) -> None:
    """Refuse what a newer version did, unless it only added to a database that many share."""
    found, known = max(applied, default=0), steps[-1].number
    if found <= known:
        return
    newer = schema_version.c.version > known
    contracts = select(func.max(schema_version.c.contracts)).where(newer)
    if conn.dialect.name != _POSTGRES or conn.execute(contracts).scalar_one():
        raise too_new(found, steps, _dialect_of(conn).ELSEWHERE)


def _oldest_up(conn: Connection) -> float:
    """The oldest of the migrations that are the newest to a process that is up."""
    if conn.dialect.name != _POSTGRES or not inspect(conn).has_table(processes.name):
        return math.inf
    found = conn.exec_driver_sql(_OLDEST_UP).scalar_one()
    return math.inf if found is None else float(found)


class _Dialect(Protocol):
    """What the modules of both databases provide for the migrations."""

    @property
    def ELSEWHERE(self) -> str:  # noqa: N802 (a module's constant)
        """How to choose another database, as the end of a sentence."""

    def forbid_changes(self, conn: Connection, table: Table) -> None:
        """Make a table append-only."""

    def create_queue(self, conn: Connection) -> None:
        """Make the job queue with which several workers share the servers."""


def _dialect_of(conn: Connection) -> _Dialect:
    """The module for the connection's dialect."""
    if conn.dialect.name == _POSTGRES:
        from bot.store.engine import postgres  # noqa: PLC0415 (slow, for Postgres alone)

        return postgres
    from bot.store.engine import sqlite  # noqa: PLC0415 (not needed on Postgres)

    return sqlite
