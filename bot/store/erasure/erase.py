"""Erases what people wrote: one message, one person, one run or one server.

The log stays, because it holds no text of people; ids stay, because limits are counted by them.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, bindparam, select, update

from bot.store import tables as t
from bot.store.erasure.derived import Said, built_on, heard_in_call, said_by, take_back, unname
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.inbound import InboundRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.seats import DesignRepository
from bot.store.repositories.turns import TurnRepository
from bot.store.tables.types import Document
from bot.store.vocabulary import TurnVoice

# Every column that can hold text of people, or of models about it, by run.
WORDS: Final[tuple[tuple[Table, tuple[str, ...]], ...]] = (
    (t.seats, ("perspective", "task")),
    (t.calls, ("error_text",)),
    (t.answers, ("text", "digest", "parsed")),
    (t.posts, ("body", "attachments", "error")),
    (t.turns, ("author", "text")),
    (t.artifacts, ("content",)),
    (t.reviews, ("summary", "findings")),
    (t.approvals, ("requested_action", "note", "details", "rollback_hint")),
    (t.discussions, ("context", "link", "conclusion", "output_path")),
    (t.participants, ("role", "perspective", "display_name")),
    (t.speeches, ("content",)),
    (t.findings, ("text",)),
    (t.attempts, ("error_summary",)),
)
_LISTS: Final = frozenset({"attachments", "findings"})
_TYPED: Final = ("link", "context_from", "options", "proposed", "news")
_VOTED: Final = tuple(
    select(table.c.run_id).where(table.c.person_id == bindparam("person"))
    for table in (t.ballots, t.kept_votes)
)


@dataclass(frozen=True, slots=True)
class _Traces:
    """Where a person's text is: runs they started, and runs of others they spoke in."""

    started: tuple[str, ...]
    joined: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.started or self.joined)


def traces_of(conn: Connection, person_id: int) -> _Traces:
    """The runs that hold a person's text and that were not erased before."""
    kept = t.runs.c.topic != ""
    started = conn.execute(
        select(t.runs.c.id).where(t.runs.c.starter_id == person_id, kept)
    ).scalars()
    spoke = select(t.inbound.c.run_id).where(
        t.inbound.c.author_id == person_id,
        t.inbound.c.run_id.is_not(None),
        t.inbound.c.content != "",
    )
    decided = select(t.approvals.c.run_id).where(
        t.approvals.c.resolved_by == str(person_id), t.approvals.c.note != ""
    )
    own = tuple(sorted(started))
    others = {*conn.execute(spoke).scalars(), *conn.execute(decided).scalars()}
    for voted in _VOTED:
        others |= {*conn.execute(voted, {"person": person_id}).scalars()}
    others |= {*built_on(conn, own)}
    return _Traces(own, tuple(sorted(others - set(own))))


def erase_person(
    conn: Connection, person_id: int, now: float, usual: Sequence[str] = ()
) -> _Traces:
    """Erase everything a person wrote, and their votes; returns where it was."""
    traces = traces_of(conn, person_id)
    said = said_by_person(conn, person_id, traces.started)
    unname(conn, traces.started)
    for run_id in traces.started:
        erase_run(conn, run_id, now)
    own = t.inbound.c.author_id == person_id
    heard = t.turns.c.message_id.in_(select(t.inbound.c.message_id).where(own))
    is_heard = t.turns.c.voice == TurnVoice.HEARD
    conn.execute(update(t.turns).where(heard, is_heard).values(text="", author=""))
    conn.execute(update(t.inbound).where(own).values(content=""))
    conn.execute(t.inbox.delete().where(t.inbox.c.author_id == person_id))
    BallotRepository(conn).forget(person_id)
    DecisionRepository(conn).forget(person_id)
    decided = t.approvals.c.resolved_by == str(person_id)
    conn.execute(update(t.approvals).where(decided).values(note=""))
    _empty_minutes(conn, traces.joined)
    take_back(conn, said, usual)
    return traces


def erase_run(conn: Connection, run_id: str, now: float) -> None:
    """Erase all text of a run: request, answers and results."""
    run = conn.execute(select(t.runs).where(t.runs.c.id == run_id)).one()
    for table, names in WORDS:
        empty = {name: _empty(table.c[name]) for name in names}
        conn.execute(update(table).where(table.c.run_id == run_id).values(empty))
    _name_artifacts(conn, run_id)
    DesignRepository(conn).erase(run_id)
    BallotRepository(conn).erase_run(run_id)
    DecisionRepository(conn).forget_run(run_id)
    conn.execute(t.files.delete().where(t.files.c.run_id == run_id))
    said = _said_in(run_id, run.trigger_message_id)
    conn.execute(update(t.inbound).where(said).values(content=""))
    request = {name: None if name in _TYPED else value for name, value in run.request.items()}
    change = {
        "topic": "",
        "title": "",
        "topic_key": run_id,
        "status_reason": "",
        "request": request,
    }
    conn.execute(update(t.runs).where(t.runs.c.id == run_id).values(change | {"updated_at": now}))


def said_in_message(conn: Connection, message_id: int) -> Said | None:
    """What a message says and who can have read it; None when it is unknown."""
    row = _message(conn, message_id)
    return None if row is None else said_by(conn, row)


def erase_message(conn: Connection, message_id: int, usual: Sequence[str] = ()) -> str | None:
    """Erase a message and its repetitions; returns its run."""
    row = _message(conn, message_id)
    if row is None:
        return None
    said = said_by(conn, row)
    TurnRepository(conn).erase(message_id)
    InboundRepository(conn).erase(message_id)
    _empty_minutes(conn, [row.run_id])
    return _take_back_from(conn, row.run_id, said, usual)


def reword(
    conn: Connection, message_id: int, text: str, now: float, usual: Sequence[str] = ()
) -> str | None:
    """Erase the old text of an edited message as if it had been deleted, and store the new one.

    The new text counts as said now, so that nothing written before is a repetition of it. Returns
    the run.
    """
    row = _message(conn, message_id)
    if row is None or row.content in ("", text):
        return None
    said = said_by(conn, row)
    TurnRepository(conn).reword(message_id, text)
    InboundRepository(conn).edit(message_id, text, now)
    _empty_minutes(conn, [row.run_id])
    return _take_back_from(conn, row.run_id, said, usual)


def withdraw_from_turn(
    conn: Connection, run_id: str, call_key: str, text: str, message_id: int
) -> None:
    """Remove a question from an answer in progress after it was edited or deleted."""
    row = _message(conn, message_id)
    said = heard_in_call(conn, run_id, call_key, text, message_id)
    if row is None or (row.content and row.seen_at <= said.heard_at):
        return
    if row.content:
        TurnRepository(conn).reword(message_id, row.content)
    else:
        TurnRepository(conn).erase(message_id)
    take_back(conn, {run_id: [said]}, ())


def runs_of_server(conn: Connection, guild_id: int) -> tuple[str, ...]:
    """Every run of a server that was not erased before."""
    query = select(t.runs.c.id).where(t.runs.c.guild_id == guild_id, t.runs.c.topic != "")
    return tuple(conn.execute(query.order_by(t.runs.c.created_at)).scalars())


def runs_over_before(conn: Connection, moment: float) -> tuple[tuple[str, int], ...]:
    """Runs finished before a time that still hold text, with their servers."""
    over = (t.runs.c.finished_at < moment) & (t.runs.c.topic != "")
    query = select(t.runs.c.id, t.runs.c.guild_id).where(over).order_by(t.runs.c.finished_at)
    return tuple((row.id, row.guild_id) for row in conn.execute(query))


def erase_thread(conn: Connection, thread_id: int) -> tuple[str, ...]:
    """Erase what people said in a thread, and what seats heard there; returns its runs."""
    runs = [run.id for run in RunListRepository(conn).all_in_thread(thread_id)]
    for run_id in runs:
        InboundRepository(conn).erase_run(run_id)
        TurnRepository(conn).erase_run(run_id)
    _empty_minutes(conn, runs)
    return tuple(runs)


def erase_inbound(conn: Connection, guild_id: int, before: float | None = None) -> tuple[str, ...]:
    """Erase messages in a server that belong to no run that is kept; returns runs they are of."""
    wanted = [t.inbound.c.guild_id == guild_id, t.inbound.c.content != ""]
    if before is not None:
        open_runs = select(t.runs.c.id).where(t.runs.c.finished_at.is_(None))
        wanted.append(t.inbound.c.created_at < before)
        wanted.append(t.inbound.c.run_id.is_(None) | t.inbound.c.run_id.not_in(open_runs))
    else:
        conn.execute(t.server_states.delete().where(t.server_states.c.guild_id == guild_id))
    said_in = (*wanted, t.inbound.c.run_id.is_not(None))
    runs = conn.execute(select(t.inbound.c.run_id).where(*said_in).distinct()).scalars().all()
    conn.execute(update(t.inbound).where(*wanted).values(content=""))
    _empty_minutes(conn, runs)
    return tuple(runs)


def servers_with_words(conn: Connection) -> tuple[int, ...]:
    """Servers with any stored text."""
    query = select(t.inbound.c.guild_id).where(t.inbound.c.content != "").distinct()
    return tuple(conn.execute(query).scalars())


def _said_in(run_id: str, trigger_id: int | None) -> ColumnElement[bool]:
    """The messages of a run, including the one that started it."""
    return (t.inbound.c.run_id == run_id) | (t.inbound.c.message_id == trigger_id)


def _message(conn: Connection, message_id: int) -> Any:
    return conn.execute(select(t.inbound).where(t.inbound.c.message_id == message_id)).first()


def said_by_person(
    conn: Connection, person_id: int, started: Sequence[str]
) -> dict[str, list[Said]]:
    """What a person said, by run: messages, topics, reasons."""
    said = defaultdict[str, list[Said]](list)
    own = (t.inbound.c.author_id == person_id, t.inbound.c.run_id.is_not(None))
    for row in conn.execute(select(t.inbound).where(*own).order_by(t.inbound.c.message_id)).all():
        said[row.run_id].append(said_by(conn, row))
    runs = select(t.runs.c.id, t.runs.c.topic, t.runs.c.created_at)
    for row in conn.execute(runs.where(t.runs.c.id.in_(started))):
        said[row.id].append(Said(row.topic, row.created_at, row.created_at))
    notes = select(t.approvals.c.run_id, t.approvals.c.note, t.approvals.c.resolved_at)
    for row in conn.execute(notes.where(t.approvals.c.resolved_by == str(person_id))):
        said[row.run_id].append(Said(row.note, row.resolved_at or 0.0, row.resolved_at or 0.0))
    return said


def _take_back_from(
    conn: Connection, run_id: str | None, said: Said, usual: Sequence[str]
) -> str | None:
    if run_id is not None:
        take_back(conn, {run_id: [said]}, usual)
    return run_id


def _empty_minutes(conn: Connection, run_ids: Sequence[str | None]) -> None:
    """Empty stored minutes, which hold people's words; they are made of the record again."""
    for run_id in filter(None, run_ids):
        ArtifactRepository(conn).write_minutes_anew(run_id, "")


def _name_artifacts(conn: Connection, run_id: str) -> None:
    """Rename artifacts to their ids, because names must stay unique within an attempt."""
    nothing = {"name": t.artifacts.c.id, "sha256": hashlib.sha256(b"").hexdigest(), "size": 0}
    conn.execute(update(t.artifacts).where(t.artifacts.c.run_id == run_id).values(nothing))


def _empty(column: Any) -> Any:
    if isinstance(column.type, Document):
        return [] if column.name in _LISTS else {}
    return None if column.nullable else ""
