"""The operations that only look: read, status, summarize, list; none of them asks a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection

from bot.council.discussions import telling
from bot.council.discussions.document import document_text
from bot.council.discussions.meetings import Meetings, Seen
from bot.council.discussions.ports import Showing
from bot.council.discussions.rules import convergence_history, next_speaker, waiting_for
from bot.council.discussions.table import Tables
from bot.council.discussions.views import History, Listed, Listing, RawSummary, State, Status
from bot.council.tools import Kit
from bot.errors import UsageError
from bot.messages.discussions import DiscussionText
from bot.store import InboundKind, discussions, findings, inbound, speeches
from bot.store.runs import Run
from bot.store.speeches import Said
from bot.store.vocabulary import FindingKind
from bot.store.vocabulary import Status as StoredStatus

MOST_LISTED = 200
MOST_MEETINGS = 50
MOST_READ = 200


@dataclass(frozen=True, slots=True)
class Page:
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


EVERYTHING = Page()
NOTHING = Page(limit=0)


class Looking:
    """Reads discussions for programs, and meetings for those who may read them."""

    def __init__(
        self, tools: Kit, showing: Showing, tables: Tables, meetings: Meetings | None = None
    ) -> None:
        self._tools = tools
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
        limit = max(1, min(limit, MOST_READ))
        page = Page(since_round, participant, after, limit + 1)
        seen = await self._see(discussion_id, page)
        discussion = seen.discussion
        shown = telling.speeches_out(seen.said[:limit], telling.roles_of(discussion))
        floor = telling.floor_out(seen.heard)
        return History(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            status=telling.status_of(discussion),
            current_round=discussion.current_round,
            speeches=shown,
            from_the_floor=floor,
            formatted_history=telling.formatted(shown, floor),
            next_after=shown[-1].speech_id if len(seen.said) > limit else None,
        )

    async def status(self, discussion_id: str) -> State:
        """Where it stands (C8)."""
        await self._tables.settle(discussion_id)
        seen = await self._see(discussion_id, NOTHING)
        discussion = seen.discussion
        spoken = await self._tables.spoken(discussion)
        history = convergence_history(seen.findings)
        latest = seen.findings[max(seen.findings)] if seen.findings else ()
        active = discussion.run.status is StoredStatus.ACTIVE
        return State(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            status=telling.status_of(discussion),
            reason=discussion.run.status_reason,
            current_round=discussion.current_round,
            max_rounds=discussion.max_rounds,
            next_speaker=next_speaker(discussion, spoken) if active else None,
            waiting_for=list(waiting_for(discussion.active, spoken)) if active else [],
            convergence_score=telling.score_of(history),
            consensus_points=telling.texts(latest, FindingKind.CONSENSUS),
            disagreement_points=telling.texts(latest, FindingKind.DISAGREEMENT),
            new_points=telling.texts(latest, FindingKind.NEW_POINT),
            history=telling.measures_out(history),
            thread_url=self._showing.url(discussion),
            link=discussion.link or None,
        )

    async def summarize(self, discussion_id: str, *, compact: bool = True) -> RawSummary:
        """The raw data of a conclusion; no model is called (C9)."""
        seen = await self._see(discussion_id, EVERYTHING)
        discussion = seen.discussion
        speeches = telling.speeches_out(seen.said, telling.roles_of(discussion))
        rounds = telling.rounds_out(speeches, seen.findings)
        floor = telling.floor_out(seen.heard)
        return RawSummary(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            context=discussion.context,
            status=telling.status_of(discussion),
            participants=telling.participants_out(discussion),
            convergence_score=telling.score_of(convergence_history(seen.findings)),
            rounds=telling.compacted(rounds) if compact else rounds,
            from_the_floor=floor[-telling.COMPACT_FLOOR :] if compact else floor,
            advice=DiscussionText.WRITE_CONCLUSION,
        )

    async def _see(self, discussion_id: str, page: Page) -> Seen:
        found = await self._tools.store.read(lambda conn: _stored(conn, discussion_id, page))
        if found is None and self._meetings is not None:
            found = await self._meetings.see(discussion_id)
            found = found and replace(found, said=page.of(found.said))
        if found is None:
            raise UsageError(DiscussionText.NOT_FOUND)
        return found

    async def formatted(self, discussion_id: str) -> str:
        """The last words of every participant by round, as a prompt can take them."""
        summary = await self.summarize(discussion_id)
        said = [speech for entry in summary.rounds for speech in entry.speeches]
        return telling.formatted(said, summary.from_the_floor)

    async def minutes(self, discussion_id: str) -> str:
        """The discussion as one Markdown file, whether it is over or not."""
        seen = await self._see(discussion_id, EVERYTHING)
        return document_text(seen.discussion, seen.said, seen.findings)

    async def list(self, status: Status | None = None, limit: int = 50) -> Listing:
        """The newest discussions (C11), and meetings the reader may read."""
        held = await self._tools.store.read(lambda conn: discussions.listed(conn, MOST_LISTED))
        met = await self._meetings.listed(MOST_MEETINGS) if self._meetings else []
        lines = [
            *(_line("discussion", run, rounds) for run, rounds in held),
            *(_line("meeting", run, rounds) for run, rounds in met),
        ]
        wanted = [line for line in lines if status in (None, line.status)]
        newest = sorted(wanted, key=lambda line: line.created_at, reverse=True)
        return Listing(discussions=newest[: max(1, min(limit, MOST_LISTED))])


def _line(kind: Literal["discussion", "meeting"], run: Run, rounds: Mapping[str, int]) -> Listed:
    return Listed(
        discussion_id=run.id,
        kind=kind,
        topic=run.topic,
        status=run.status.value,
        created_at=telling.moment(run.created_at),
        current_round=rounds["current_round"],
        max_rounds=rounds["max_rounds"],
    )


def _stored(conn: Connection, run_id: str, page: Page) -> Seen | None:
    discussion = discussions.get(conn, run_id)
    if discussion is None:
        return None
    said = speeches.page(
        conn,
        run_id,
        since_round=page.since_round,
        participant=page.participant,
        after=page.after,
        limit=page.limit,
    )
    heard = inbound.of_run(conn, run_id, InboundKind.FLOOR)
    return Seen(discussion, said, heard, findings.by_round(conn, run_id))
