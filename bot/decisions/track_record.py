"""The record of one server: how often panels, models and people were right, shown and exported."""

import asyncio
import csv
import io
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection

from bot.access.readers import Reader, Readers
from bot.decisions.outcomes import MIXED, RIGHT, UNKNOWN, WRONG
from bot.measures.track import Hits, ResolvedVote, TrackRecord
from bot.meeting.dependencies import Dependencies
from bot.messages.decisions import RecordText
from bot.record.loader import DamagedRunError, naming_damaged_run
from bot.record.masking import read_masked_record
from bot.store import BallotTime
from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.decisions import Decision, DecisionRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.types.reply import PictureFile, ReplyText, TextFile

_MOST_MODELS: Final = 12
_MOST_MEMBERS: Final = 20
_MOST_EXPORTED: Final = 200
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_COLUMNS: Final = (
    *("id", "concluded_at", "resolved_at", "mode", "topic", "options", "answer", "panel"),
    *("panel_right", "plain_majority", "sure", "people_before", "people_after"),
)


class ServerRecords:
    """Shows each server its own decisions, and nobody another server's."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._readers = Readers(deps.store, deps.stage, deps.sleep)

    async def show(self, reader: Reader) -> ReplyText:
        """The figures and the calibration picture; they hold no words of any decision."""
        known, record = await self._record(reader.guild_id)
        if not known:
            return ReplyText(RecordText.NOTHING)
        text = "\n".join(_lines(known, record))
        points = [(one.said, one.right, one.votes) for one in record.bins]
        if not points:
            return ReplyText(text)
        async with self._deps.drawing:
            png = await asyncio.to_thread(_draw, points)
        picture = PictureFile(RecordText.PICTURE, png, RecordText.in_words(points))
        return ReplyText(text, pictures=(picture,))

    async def export(self, reader: Reader) -> ReplyText:
        """The decisions that the reader can read, as CSV for people and JSON for programs."""
        known, record = await self._record(reader.guild_id)
        if not known:
            return ReplyText(RecordText.NOTHING)
        rows = [row async for row in self._rows(reader, known)]
        missing = len(known) - len(rows)
        text = "\n".join(
            [RecordText.EXPORTED, *([RecordText.left_out(missing)] if missing else [])]
        )
        summary = json.dumps(_summary(known, record, rows), ensure_ascii=False, indent=2)
        files = (TextFile("record.csv", _csv(rows)), TextFile("record.json", f"{summary}\n"))
        return ReplyText(text, files)

    async def join(self, reader: Reader) -> ReplyText:
        """Keep a person's own votes in this server from now on."""
        guild_id, person_id, now = reader.guild_id, reader.asker.id, self._deps.store.now()
        new = await self._deps.store.write(
            lambda conn: BallotRepository(conn).join(guild_id, person_id, now)
        )
        return ReplyText(RecordText.JOINED if new else RecordText.JOINED_BEFORE)

    async def leave(self, reader: Reader) -> ReplyText:
        """Remove a person's own votes in this server."""
        guild_id, person_id = reader.guild_id, reader.asker.id
        left = await self._deps.store.write(
            lambda conn: BallotRepository(conn).leave(guild_id, person_id)
        )
        return ReplyText(RecordText.LEFT if left else RecordText.NOT_JOINED)

    async def _record(self, guild_id: int) -> tuple[tuple[Decision, ...], TrackRecord]:
        """What is resolved; rehearsals are examples, and count only where there is nothing else."""
        return await self._deps.store.scan(lambda conn: _read(conn, guild_id))

    async def _rows(
        self, reader: Reader, known: Sequence[Decision]
    ) -> AsyncIterator[dict[str, Any]]:
        newest = {one.run_id: one for one in known[-_MOST_EXPORTED:]}
        found = await self._deps.store.read(lambda conn: _runs(conn, tuple(newest)))
        for run in await self._readers.readable(reader, found):
            try:
                with naming_damaged_run(run.id):
                    yield await self._row(run, newest[run.id])
            except DamagedRunError:
                continue

    async def _row(self, run: Run, known: Decision) -> dict[str, Any]:
        record = await read_masked_record(self._deps.store, run.id)
        options, facts = list(record.options), known.facts
        people = record.people
        return {
            "id": run.id,
            "concluded_at": _iso(run.finished_at),
            "resolved_at": _iso(known.answered_at),
            "mode": run.mode.value,
            "topic": run.topic,
            "options": options,
            "answer": _named(options, known.option) or known.answer,
            "panel": _named(options, facts.get("panel")),
            "panel_right": known.panel_right if known.option is not None else None,
            "plain_majority": _named(options, facts.get("plain")),
            "sure": facts.get("said"),
            "people_before": _by_option(options, people.before.votes if people else ()),
            "people_after": _by_option(options, people.after.votes if people else ()),
            "models": {
                model: _named(options, number) for model, number in facts.get("models", {}).items()
            },
        }


def _read(conn: Connection, guild_id: int) -> tuple[tuple[Decision, ...], TrackRecord]:
    every = DecisionRepository(conn).resolved(guild_id)
    real = tuple(one for one in every if not one.facts.get("rehearsal"))
    known, ballots = real or every, BallotRepository(conn)
    before, after = (ballots.counted(guild_id, when) for when in BallotTime)
    members: dict[str, dict[int, int]] = {}
    for run_id, person_id, option in ballots.kept(guild_id):
        members.setdefault(run_id, {})[person_id] = option
    votes = tuple(
        ResolvedVote(
            one.option,
            one.facts["panel"],
            one.facts["plain"],
            one.facts.get("said"),
            one.facts["models"],
            before.get(one.run_id, ()),
            after.get(one.run_id, ()),
            members.get(one.run_id, {}),
        )
        for one in known
        if one.option is not None
    )
    return known, TrackRecord(votes)


def _runs(conn: Connection, run_ids: Sequence[str]) -> tuple[Run, ...]:
    found = (RunRepository(conn).get(run_id) for run_id in run_ids)
    return tuple(run for run in found if run is not None)


def _lines(known: Sequence[Decision], record: TrackRecord) -> Iterator[str]:
    answers = Counter(one.answer for one in known)
    counting = len(known) - answers[UNKNOWN]
    yield f"{RecordText.HEAD}: {RecordText.known(counting)}"
    if all(one.facts.get("rehearsal") for one in known):
        yield RecordText.REHEARSED
    yield from _vote_lines(record)
    if any(answers[word] for word in (RIGHT, WRONG, MIXED)):
        yield RecordText.advice(answers[RIGHT], answers[WRONG], answers[MIXED])
    if answers[UNKNOWN]:
        yield RecordText.unknown(answers[UNKNOWN])
    yield RecordText.FOOT


def _vote_lines(record: TrackRecord) -> Iterator[str]:
    if not record.votes:
        return
    yield RecordText.votes(len(record.votes))
    for who, hits in ((RecordText.PANEL, record.panel), (RecordText.PLAIN, record.plain)):
        yield _hits(who, hits)
    for when in BallotTime:
        most, ballots = record.people(after=when is BallotTime.AFTER)
        if most.held:
            yield RecordText.people(when, (most.right, most.held), (ballots.right, ballots.held))
    judged, brier = record.judged, record.brier
    if brier is not None:
        right = sum(hit for _, hit in judged)
        yield RecordText.sure(
            sum(said for said, _ in judged) / len(judged), right, len(judged), brier
        )
    models, members = record.models, record.members
    if models:
        yield RecordText.by_model()
        yield from (_hits(f"`{name}`", hits) for name, hits in list(models.items())[:_MOST_MODELS])
    if len(models) > _MOST_MODELS:
        yield RecordText.more(len(models) - _MOST_MODELS)
    if members:
        yield RecordText.members()
        yield from (_hits(f"<@{one}>", hits) for one, hits in list(members.items())[:_MOST_MEMBERS])


def _hits(who: str, hits: Hits) -> str:
    return RecordText.hits(who, hits.right, hits.held)


def _summary(
    known: Sequence[Decision], record: TrackRecord, rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    answers = Counter(one.answer for one in known if not one.answer.isdigit())
    groups = {when.value: record.people(after=when is BallotTime.AFTER) for when in BallotTime}
    return {
        "resolved": len(known),
        "rehearsal": all(bool(one.facts.get("rehearsal")) for one in known),
        "votes": len(record.votes),
        "other_conclusions": dict(answers),
        "panel": asdict(record.panel),
        "plain_majority": asdict(record.plain),
        "models": {name: asdict(hits) for name, hits in record.models.items()},
        "people": {
            when: {"majority": asdict(most), "ballots": asdict(ballots)}
            for when, (most, ballots) in groups.items()
        },
        "members": {str(one): asdict(hits) for one, hits in record.members.items()},
        "brier": record.brier,
        "calibration": [asdict(one) for one in record.bins],
        "decisions": list(rows),
    }


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a column for each model; no cell is a formula for a spreadsheet."""
    models = sorted({model for row in rows for model in row["models"]})
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow([*_COLUMNS, *map(_cell, models)])
    for row in rows:
        cells = [row[name] for name in _COLUMNS] + [row["models"].get(name) for name in models]
        table.writerow(list(map(_cell, cells)))
    return written.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        value = [f"{option}: {votes}" for option, votes in value.items()]
    text = " | ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def _named(options: Sequence[str], number: int | None) -> str | None:
    return options[number] if number is not None and number < len(options) else None


def _by_option(options: Sequence[str], votes: Sequence[int]) -> dict[str, int]:
    return dict(zip(options, votes, strict=False))


def _iso(moment: float | None) -> str | None:
    if moment is None:
        return None
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


def _draw(points: Sequence[tuple[float, float, int]]) -> bytes:
    # Pillow is slow to import, and needed for this picture only.
    from bot.pictures.calibration import draw_calibration  # noqa: PLC0415

    return draw_calibration(points)
