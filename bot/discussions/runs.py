"""Runs that people started, for agents whose user may read them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.access.readers import Reader, Readers
from bot.measures.convergence import shared_points
from bot.meeting.dependencies import Dependencies
from bot.messages.discussions import DiscussionText
from bot.prompting.summary import Point
from bot.record.masking import mask_of, read_masked_record
from bot.record.record import RunRecord
from bot.record.run_rows import place_of
from bot.store import InboundKind
from bot.store.repositories.discussions import Discussion, DiscussionRepository, Participant
from bot.store.repositories.findings import Finding
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.speeches import Said
from bot.store.vocabulary import FindingKind, Status, TalkOrder


@dataclass(frozen=True, slots=True)
class VisibleRun:
    """Everything the tools tell about a discussion or a meeting."""

    discussion: Discussion
    said: Sequence[Said]
    heard: Sequence[InboundMessage]
    findings: dict[int, tuple[Finding, ...]]
    record: RunRecord | None = None
    """Of a meeting, what its minutes are made of."""


class RunsForAgents:
    """Reads meetings for one Discord user, whose rights are looked up each time."""

    def __init__(self, deps: Dependencies, reader_id: int | None) -> None:
        self._deps = deps
        self._reader_id = reader_id
        self._readers = Readers(deps.store, deps.stage, deps.sleep)

    async def see(self, run_id: str) -> VisibleRun | None:
        """The meeting, or None when there is none that this reader may read."""
        run = await self._deps.store.read(lambda conn: _meeting(conn, run_id))
        if run is None or not await self._readable((run,)):
            return None
        record = await read_masked_record(self._deps.store, run_id)
        heard = await self._deps.store.read(lambda conn: _heard(conn, run))
        return VisibleRun(
            _as_discussion(run, record), _said(record), heard, _findings(record), record
        )

    async def listed(self, limit: int, status: Status | None) -> list[tuple[Run, dict[str, int]]]:
        """The newest meetings this reader may read, of one status or of all."""
        newest = await self._deps.store.scan(
            lambda conn: RunListRepository(conn).newest_meetings(limit, status)
        )
        found = []
        for run in await self._readable(newest):
            record = await read_masked_record(self._deps.store, run.id)
            found.append((run, _rounds(record)))
        return found

    async def _readable(self, found: Sequence[Run]) -> list[Run]:
        """Checked by the same rules as people's own commands, server by server."""
        if self._reader_id is None:
            return []
        seen: set[str] = set()
        for guild_id in dict.fromkeys(run.guild_id for run in found):
            here = [run for run in found if run.guild_id == guild_id]
            reader = Reader(Asker(self._reader_id), guild_id, place_of(here[0]).target_id)
            seen |= {run.id for run in await self._readers.readable(reader, here)}
        return [run for run in found if run.id in seen]


def _meeting(conn: Connection, run_id: str) -> Run | None:
    return (
        None
        if DiscussionRepository(conn).get(run_id) is not None
        else RunRepository(conn).get(run_id)
    )


def _heard(conn: Connection, run: Run) -> list[InboundMessage]:
    """What people said; where they name a masked panelist, with its other name."""
    mask = mask_of(conn, run)
    heard = InboundRepository(conn).of_run(run.id, InboundKind.FLOOR)
    return [replace(message, content=mask.text(message.content)) for message in heard]


def _rounds(record: RunRecord) -> dict[str, int]:
    planned = max(record.rounds_planned, 1)
    return {"current_round": max(record.rounds_held, 1), "max_rounds": planned}


def _as_discussion(run: Run, record: RunRecord) -> Discussion:
    people = tuple(
        Participant(seat.slug, seat.role, seat.perspective, seat.model) for seat in record.seats
    )
    return Discussion(
        run=run,
        context="",
        created_by=DiscussionText.A_PERSON,
        **_rounds(record),
        speech_order=TalkOrder.FIXED,
        output_path=None,
        link=str(run.request.get("link") or ""),
        conclusion=record.conclusion.text,
        participants=people,
    )


def _said(record: RunRecord) -> tuple[Said, ...]:
    spoken = [speech for speech in record.speeches if speech.spoke]
    return tuple(
        Said(number, speech.round, speech.seat.slug, speech.text, None, speech.at)
        for number, speech in enumerate(spoken, 1)
    )


def _findings(record: RunRecord) -> dict[int, tuple[Finding, ...]]:
    slugs = {seat.role: seat.slug for seat in record.seats}

    def found(kind: FindingKind, points: Sequence[Point]) -> list[Finding]:
        return [
            Finding(kind, point.text, tuple(slugs[role] for role in point.roles if role in slugs))
            for point in points
        ]

    rounds = [measure.round for measure in record.convergence]
    # A last round whose findings are missing or unreadable has no score, nor has the run then.
    found_in = {
        number: (
            *found(FindingKind.CONSENSUS, shared_points(summary)),
            *found(FindingKind.DISAGREEMENT, summary.disagreement),
            *found(FindingKind.NEW_POINT, summary.new_points),
        )
        if summary.parsed
        else ()
        for number, summary in zip(rounds, record.summaries, strict=False)
    }
    if record.rounds_held:
        found_in.setdefault(record.rounds_held, ())
    return found_in
