"""What forgetting may change in a run, for any message at any time."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from bot.meeting.synthesis import read_synthesis
from bot.prompting.round_answers import Critique
from bot.prompting.summary import Point, RoundSummary
from bot.record.answer_codec import read_critique, read_opening, read_validation, summary_to_dict
from bot.record.loader import record_of
from bot.record.run_rows import load_run_rows
from bot.store import Store
from bot.store.erasure import erase
from bot.store.erasure.quotes import GROUPS, TEXTS, phrases_of, without_quotes
from bot.store.erasure.repeated import HEARD, MADE
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.tables import metadata
from bot.store.tables.types import Document
from bot.types.mode import Mode
from tests.e2e.scripted_models import ScriptedModels, scripted_playground

FILES = "files"

PROSE = {(table.name, name) for table, names, _ in (*HEARD, *MADE) for name in names}
FIGURES = {("artifacts", "sha256"), ("artifacts", "size")}
MESSAGE = 10**18
STRUCTURE = (
    "ballot changed claim confidence consensus critiques cut disagreement from how missing "
    "new_points peer readable revision role scores target value verdict"
)
Rows = dict[tuple[Any, ...], dict[str, Any]]


class UndoError(Exception):
    """Ends a transaction without keeping anything."""


async def held(home: Path) -> None:
    """A whole roundtable with a vote, summaries and a conclusion, of which nothing is rehearsed."""
    async with scripted_playground(home, ScriptedModels(ballots={"Judge": "coffee"})) as table:
        await table.hold("roundtable --vote tea in the morning or coffee?", person="Ines")


def everything(conn: Connection) -> Rows:
    """Every row but the message's, by its key."""
    found: Rows = {}
    for table in metadata.sorted_tables:
        keys = [column.name for column in table.primary_key.columns]
        for row in conn.execute(select(table)).mappings():
            if row.get("message_id") != MESSAGE:
                found[table.name, *(row[key] for key in keys)] = dict(row)
    return found


def bones(value: Any, *, prose: bool = False) -> Any:
    """A document without its prose: names, numbers, and texts that say what something is."""
    if isinstance(value, dict):
        return {
            name: dict.fromkeys(part, "")
            if name in GROUPS and isinstance(part, dict)
            else bones(part, prose=name in TEXTS)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [bones(part, prose=prose) for part in value]
    return "" if prose and isinstance(value, str) else value


def made_at(table: str, row: Mapping[str, Any]) -> float | None:
    return row.get("started_at" if table in ("calls", "attempts") else "created_at")


def phrases_in(rows: Rows) -> list[str]:
    """Everything that stands anywhere, to be posted by whoever wants to do harm."""

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value[:400]
        elif isinstance(value, dict):
            yield " ".join(value)
            for part in value.values():
                yield from texts(part)
        elif isinstance(value, list):
            for part in value:
                yield from texts(part)

    found = {text for row in rows.values() for value in row.values() for text in texts(value)}
    return sorted(text for text in found if " " in text or len(text) > 11)


def test_no_message_that_is_deleted_changes_what_is_older_or_gives_a_record_its_shape(
    tmp_path: Path,
) -> None:
    with asyncio.Runner() as runner:
        runner.run(held(tmp_path))
        store = runner.run(Store.open(tmp_path / "roundtable.db"))
        before = runner.run(store.read(everything))
        (run_id,) = (key[1] for key in before if key[0] == "runs")
        record = record_of(runner.run(store.read(lambda conn: load_run_rows(conn, run_id))), 0.0)
        moments = sorted(row["created_at"] for key, row in before.items() if key[0] == "answers")
        texts = st.lists(st.sampled_from(phrases_in(before)) | st.text(max_size=40), max_size=6)

        def check(said: str, seen: float, conn: Connection) -> None:
            message = InboundMessage(MESSAGE, 20, 1, 7, said, seen, run_id=run_id)
            InboundRepository(conn).remember(message, seen)
            erase.erase_message(conn, MESSAGE)
            unharmed(before, everything(conn), seen)
            again = record_of(load_run_rows(conn, run_id), 0.0)
            assert (again.options, again.tallies) == (record.options, record.tallies)
            assert (again.seats, again.flips) == (record.seats, record.flips)
            raise UndoError

        @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
        @given(texts, st.sampled_from([0.0, *moments]))
        def holds(said: list[str], seen: float) -> None:
            with suppress(UndoError):
                runner.run(store.write(lambda conn: check("\n".join(said), seen, conn)))

        holds()
        runner.run(store.close())


def unharmed(before: Rows, after: Rows, seen: float) -> None:
    assert after.keys() == before.keys()
    for key, old in before.items():
        new, moment = after[key], made_at(key[0], old)
        if moment is not None and moment < seen:
            assert new == old
        for name, value in old.items():
            if (key[0], name) in FIGURES or value == new[name]:
                continue
            assert (key[0], name) in PROSE, (key, name)
            if isinstance(metadata.tables[key[0]].c[name].type, Document):
                assert bones(new[name]) == bones(value)
            json.dumps(new[name])


def test_every_field_of_an_answer_is_known_to_be_prose_or_structure() -> None:
    """Whoever adds a field decides here whether a quote may be taken out of it."""
    critique = read_critique("", "Ada", ["Bob"], Mode.VOTE, ["tea"], "").parsed
    opening = read_opening("", Mode.VOTE, ["tea"]).parsed
    summary = summary_to_dict(RoundSummary("", (Point("", ()),)))
    found = {**critique, **opening, **summary}
    found |= {**read_validation("").parsed, **read_synthesis("").parsed}
    found |= {"critiques": [asdict(Critique("", "", "", ""))], "scores": [{"peer": "", "how": ""}]}
    known = {*TEXTS, *GROUPS, FILES, *STRUCTURE.split()}
    assert fields_of(found) <= known
    assert not {*TEXTS, *GROUPS} & set(STRUCTURE.split())


def fields_of(value: Any) -> set[str]:
    if isinstance(value, list):
        return {name for part in value for name in fields_of(part)}
    if not isinstance(value, dict):
        return set()
    return {*value, *(name for part in value.values() for name in fields_of(part))}


def test_labels_numbers_and_ballots_stay_where_quotes_are_taken_out() -> None:
    said = "GOAL a lamp for my grandmother Frodeline\nBALLOT tea 70 it is for Frodeline alone"
    text = (
        "**GOAL:** a lamp for my grandmother Frodeline\n"
        "1. a lamp for my\n2. grandmother Frodeline, who reads\n"
        "[BALLOT: tea | 70 | it is for Frodeline alone]"
    )
    assert without_quotes(text, phrases_of([said])) == (
        "**GOAL:** [forgotten]\n"
        "1. [forgotten]\n2. [forgotten], who reads\n"
        "[BALLOT: tea | 70 | [forgotten]]"
    )


def test_scripts_without_blanks_are_quoted_by_fifteen_letters() -> None:
    said = "我的祖母去年冬天在瓷砖上滑倒了很疼"
    phrases = phrases_of([said])
    assert without_quotes(f"你说：{said}。", phrases) == "你说：[forgotten]。"
    assert without_quotes("我的祖母去年冬天在这里。", phrases) == "我的祖母去年冬天在这里。"
