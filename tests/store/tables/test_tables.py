"""The tables refuse what must not be stored, on SQLite and in the shape Postgres gets."""

import pytest
from sqlalchemy import Connection, insert
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.schema import CreateIndex, CreateTable

from bot.store import Store
from bot.store.repositories.runs import Run
from bot.store.tables import adapt_to, events, metadata, runs
from tests.store.conftest import sql


async def test_a_wrong_type_is_refused(store: Store, run: Run) -> None:
    with pytest.raises(DBAPIError):
        await store.write(sql("UPDATE runs SET attempt = 'three'"))


@pytest.mark.parametrize("statement", ["UPDATE events SET payload = '{}'", "DELETE FROM events"])
async def test_the_log_is_append_only(store: Store, run: Run, statement: str) -> None:
    with pytest.raises(DBAPIError, match="events is append-only"):
        await store.write(sql(statement))


def add_event(conn: Connection, row: dict[str, str]) -> None:
    conn.execute(insert(events), row | {"payload": {}, "created_at": 1.0})


async def test_an_event_key_exists_once(store: Store, run: Run) -> None:
    row = {"run_id": run.id, "type": "task.created", "key": "run", "actor": "orchestrator"}
    with pytest.raises(IntegrityError, match=r"(?i)unique"):
        await store.write(lambda conn: add_event(conn, row))


@pytest.mark.parametrize(
    ("column", "word"), [("phase", "retrying"), ("mode", "quiz"), ("phase", "")]
)
async def test_a_word_outside_its_set_is_refused(
    store: Store, run: Run, column: str, word: str
) -> None:
    """2.2#30: `retrying` is not a phase."""
    with pytest.raises(IntegrityError, match=r"(?i)check"):
        await store.write(sql(f"UPDATE runs SET {column} = ?", word))


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: str(table.name))
def test_every_table_has_its_one_line(table: object) -> None:
    """design.md 11."""
    comment = getattr(table, "comment", None)
    assert comment
    assert comment.endswith(".")


def test_postgres_gets_native_types_and_the_same_partial_index() -> None:
    adapt_to("postgresql")
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy
    ddl = "".join(str(CreateTable(t).compile(dialect=dialect)) for t in metadata.sorted_tables)
    assert "payload JSONB NOT NULL" in ddl
    assert "guild_id BIGINT NOT NULL" in ddl
    assert "created_at DOUBLE PRECISION NOT NULL" in ddl
    assert "id BIGSERIAL NOT NULL" in ddl
    (unique,) = (index for index in runs.indexes if index.unique)
    assert str(CreateIndex(unique).compile(dialect=dialect)).endswith("WHERE finished_at IS NULL")
