"""The read-only operations: read, status, summarize, list; no model is called."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeVar

from sqlalchemy import Connection

from bot.discussions.document import document_text
from bot.discussions.ports import DiscussionView
from bot.discussions.rules import (
    convergence_history,
    next_speaker,
    voice_names,
    waiting_for,
)
from bot.discussions.runs import RunsForAgents, VisibleRun
from bot.discussions.table import DiscussionRounds
from bot.discussions.views import (
    FloorOut,
    History,
    Listed,
    Listing,
    ParticipantIn,
    RawSummary,
    RoundMeasure,
    RoundOut,
    SpeechOut,
    State,
    Status,
)
from bot.errors import UsageError
from bot.measures.convergence import Convergence, latest_score
from bot.meeting.dependencies import CoreDependencies
from bot.messages.discussions import DiscussionText
from bot.reports.minutes import minutes_text
from bot.store import InboundKind
from bot.store.repositories.discussions import Discussion, DiscussionRepository, Participant
from bot.store.repositories.findings import Finding, FindingRepository
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.runs import Run
from bot.store.repositories.speeches import COORDINATOR, Said, SpeechRepository
from bot.store.vocabulary import FindingKind
from bot.store.vocabulary import Status as StoredStatus

_COMPACT_BYTES = 16_000
"""What participants and coordinators get of the history, the newest first."""
_FLOOR_BYTES = 3_000
"""How much of it people's words may take."""
MOST_LISTED = 200
_MOST_MEETINGS = 50

_Entry = TypeVar("_Entry", SpeechOut, FloorOut)


def _moment(seconds: float) -> str:
    """A point in time for programs."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def status_of(discussion: Discussion) -> Status:
    """Active, concluded or cancelled (2.2#29)."""
    return discussion.run.status.value


def _roles_of(discussion: Discussion) -> dict[str, str]:
    """The role of every profile, the coordinator's too."""
    return {COORDINATOR: DiscussionText.COORDINATOR} | {
        p.profile: p.role for p in discussion.participants
    }


def _speeches_out(said: Iterable[Said], roles: Mapping[str, str]) -> list[SpeechOut]:
    """Speeches as the tools return them."""
    return [
        SpeechOut(
            speech_id=speech.id,
            round=speech.round,
            participant=speech.participant,
            role=roles.get(speech.participant, speech.participant),
            content=speech.content,
            reply_to=speech.reply_to,
            at=_moment(speech.created_at),
        )
        for speech in said
    ]


def _floor_out(heard: Iterable[InboundMessage]) -> list[FloorOut]:
    """What people wrote; nobody's name or id goes out to programs."""
    return [
        FloorOut(content=message.content, at=_moment(message.created_at))
        for message in heard
        if message.content
    ]


def _formatted(
    speeches: Sequence[SpeechOut],
    floor: Sequence[FloorOut],
    people: Iterable[Participant | ParticipantIn],
) -> str:
    """The history as a participant's prompt takes it (C17)."""
    lines: list[str] = []
    names = voice_names((person.profile, person.role) for person in people)
    for number in dict.fromkeys(speech.round for speech in speeches):
        lines.append("## Opening" if number == 0 else f"## Round {number}")
        lines += [
            f"[{s.speech_id}] {names.get(s.participant, s.role)}"
            f"{f' (to [{s.reply_to}])' if s.reply_to else ''}: {s.content}"
            for s in speeches
            if s.round == number
        ]
    if floor:
        lines += ["## From the floor", *(f"- {entry.content}" for entry in floor)]
    return "\n\n".join(lines)


def _measures_out(history: Sequence[Convergence]) -> list[RoundMeasure]:
    """The convergence of every round."""
    return [RoundMeasure.of(entry) for entry in history]


def _texts(found: Iterable[Finding], kind: FindingKind) -> list[str]:
    """The points of one kind."""
    return [finding.text for finding in found if finding.kind is kind]


def _rounds_out(
    speeches: Sequence[SpeechOut], findings: Mapping[int, Sequence[Finding]]
) -> list[RoundOut]:
    """Everything that was said, grouped by round."""
    numbers = sorted({speech.round for speech in speeches} | set(findings))
    return [
        RoundOut(
            round=number,
            speeches=[speech for speech in speeches if speech.round == number],
            consensus=_texts(findings.get(number, ()), FindingKind.CONSENSUS),
            disagreement=_texts(findings.get(number, ()), FindingKind.DISAGREEMENT),
            new_points=_texts(findings.get(number, ()), FindingKind.NEW_POINT),
        )
        for number in numbers
    ]


def _compacted(rounds: Sequence[RoundOut], room: int) -> list[RoundOut]:
    """The rounds with the newest speeches that fit the limit together."""
    newest = sorted(
        (speech for entry in rounds for speech in entry.speeches),
        key=lambda speech: speech.speech_id,
        reverse=True,
    )
    kept = {speech.speech_id: speech for speech in _fitting(newest, room)}
    return [_with_these(entry, kept) for entry in rounds]


def _with_these(entry: RoundOut, kept: Mapping[int, SpeechOut]) -> RoundOut:
    speeches = [kept[s.speech_id] for s in entry.speeches if s.speech_id in kept]
    left_out = len(entry.speeches) - len(speeches)
    return entry.model_copy(update={"speeches": speeches, "left_out": left_out})


def _fitting(newest: Iterable[_Entry], room: int) -> list[_Entry]:
    """What fits the room, newest first; no entry takes more than half of it."""
    kept, longest = list[_Entry](), room // 2
    for entry in newest:
        short = _shortened(entry, longest)
        room -= _size(short)
        if room < 0:
            break
        kept.append(short)
    return kept


def _shortened(entry: _Entry, longest: int) -> _Entry:
    while (size := _size(entry)) > longest:
        # A letter takes one to four bytes, and some are escaped, so one cut may not be enough.
        end = min(len(entry.content) * longest // size, len(entry.content) - 3)
        entry = entry.model_copy(update={"content": f"{entry.content[:end].rstrip()} …"})
    return entry


def _size(entry: SpeechOut | FloorOut) -> int:
    """What an entry takes in an answer of the tools."""
    return len(entry.model_dump_json().encode())


@dataclass(frozen=True, slots=True)
class _Page:
    """Which speeches are wanted."""

    since_round: int | None = None
    participant: str | None = None
    after: int = 0
    limit: int | None = None

    def of(self, said: Sequence[Said]) -> Sequence[Said]:
        """Those speeches among all."""
        wanted = [
            speech
            for speech in said
            if speech.id > self.after
            and speech.round >= (self.since_round or 0)
            and self.participant in (None, speech.participant)
        ]
        return wanted if self.limit is None else wanted[: self.limit]


_EVERYTHING = _Page()
_NOTHING = _Page(limit=0)


class DiscussionQueries:
    """Reads discussions for programs, and meetings for those who may read them."""

    def __init__(
        self,
        deps: CoreDependencies,
        showing: DiscussionView,
        tables: DiscussionRounds,
        meetings: RunsForAgents | None = None,
    ) -> None:
        self._deps = deps
        self._showing = showing
        self._tables = tables
        self._meetings = meetings

    async def read(
        self,
        discussion_id: str,
        since_round: int | None = None,
        participant: str | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> History:
        """A page of the history (C7)."""
        limit = max(1, min(limit, MOST_LISTED))
        page = _Page(since_round, participant, after, limit + 1)
        seen = await self._see(discussion_id, page)
        discussion = seen.discussion
        shown = _speeches_out(seen.said[:limit], _roles_of(discussion))
        floor = _floor_out(seen.heard)[-limit:]
        return History(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            status=status_of(discussion),
            current_round=discussion.current_round,
            speeches=shown,
            from_the_floor=floor,
            formatted_history=_formatted(shown, floor, discussion.participants),
            next_after=shown[-1].speech_id if len(seen.said) > limit else None,
        )

    async def status(self, discussion_id: str) -> State:
        """Where it stands (C8); looking at it changes nothing and calls nobody."""
        seen = await self._see(discussion_id, _NOTHING)
        discussion = seen.discussion
        spoken = await self._tables.spoken(discussion)
        history = convergence_history(seen.findings)
        latest = seen.findings[max(seen.findings)] if seen.findings else ()
        active = discussion.run.status is StoredStatus.ACTIVE
        return State(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            status=status_of(discussion),
            reason=discussion.run.status_reason,
            current_round=discussion.current_round,
            max_rounds=discussion.max_rounds,
            next_speaker=next_speaker(discussion, spoken) if active else None,
            waiting_for=list(waiting_for(discussion.active, spoken)) if active else [],
            convergence_score=latest_score(history),
            consensus_points=_texts(latest, FindingKind.CONSENSUS),
            disagreement_points=_texts(latest, FindingKind.DISAGREEMENT),
            new_points=_texts(latest, FindingKind.NEW_POINT),
            history=_measures_out(history),
            thread_url=self._showing.url(discussion),
            link=discussion.link or None,
        )

    async def summarize(self, discussion_id: str, *, compact: bool = True) -> RawSummary:
        """The raw data of a conclusion; no model is called (C9)."""
        seen = await self._see(discussion_id, _EVERYTHING)
        discussion = seen.discussion
        speeches = _speeches_out(seen.said, _roles_of(discussion))
        rounds = _rounds_out(speeches, seen.findings)
        floor = _floor_out(seen.heard)
        if compact:
            floor = _fitting(floor[::-1], _FLOOR_BYTES)[::-1]
            rounds = _compacted(rounds, _COMPACT_BYTES - sum(map(_size, floor)))
        return RawSummary(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            context=discussion.context,
            status=status_of(discussion),
            participants=[ParticipantIn.of(person) for person in discussion.participants],
            convergence_score=latest_score(convergence_history(seen.findings)),
            rounds=rounds,
            from_the_floor=floor,
            advice=DiscussionText.WRITE_CONCLUSION,
        )

    async def _see(self, discussion_id: str, page: _Page) -> VisibleRun:
        found = await self._deps.store.read(lambda conn: _stored(conn, discussion_id, page))
        if found is None and self._meetings is not None:
            found = await self._meetings.see(discussion_id)
            found = found and replace(found, said=page.of(found.said))
        if found is None:
            raise UsageError(DiscussionText.NOT_FOUND)
        return found

    async def formatted(self, discussion_id: str) -> str:
        """The newest speeches that fit, by round, as a prompt can take them."""
        summary = await self.summarize(discussion_id)
        said = [speech for entry in summary.rounds for speech in entry.speeches]
        history = _formatted(said, summary.from_the_floor, summary.participants)
        left_out = sum(entry.left_out for entry in summary.rounds)
        return f"{DiscussionText.left_out(left_out)}\n\n{history}" if left_out else history

    async def minutes(self, discussion_id: str) -> str:
        """The discussion as one Markdown file, whether it is over or not."""
        seen = await self._see(discussion_id, _EVERYTHING)
        if seen.record is not None:
            return minutes_text(seen.record)
        return document_text(seen.discussion, seen.said, seen.findings, seen.heard)

    async def list(self, status: Status | None = None, limit: int = 50) -> Listing:
        """The newest discussions (C11), and meetings the reader may read."""
        wanted = None if status is None else StoredStatus(status)
        held = await self._deps.store.read(
            lambda conn: DiscussionRepository(conn).listed(MOST_LISTED, wanted)
        )
        met = await self._meetings.listed(_MOST_MEETINGS, wanted) if self._meetings else []
        lines = [
            *(_line("discussion", run, rounds) for run, rounds in held),
            *(_line("meeting", run, rounds) for run, rounds in met),
        ]
        newest = sorted(lines, key=lambda line: line.created_at, reverse=True)
        return Listing(discussions=newest[: max(1, min(limit, MOST_LISTED))])


def _line(kind: Literal["discussion", "meeting"], run: Run, rounds: Mapping[str, int]) -> Listed:
    return Listed(
        discussion_id=run.id,
        kind=kind,
        topic=run.topic,
        status=run.status.value,
        created_at=_moment(run.created_at),
        current_round=rounds["current_round"],
        max_rounds=rounds["max_rounds"],
    )


def _stored(conn: Connection, run_id: str, page: _Page) -> VisibleRun | None:
    discussion = DiscussionRepository(conn).get(run_id)
    if discussion is None:
        return None
    said = SpeechRepository(conn).page(
        run_id,
        since_round=page.since_round,
        participant=page.participant,
        after=page.after,
        limit=page.limit,
    )
    heard = InboundRepository(conn).of_run(run_id, InboundKind.FLOOR)
    return VisibleRun(discussion, said, heard, FindingRepository(conn).by_round(run_id))
