"""The operations that only look: read, status, summarize, list; none of them asks a model."""

from collections.abc import Sequence

from sqlalchemy import Connection

from bot.council.discussions import telling
from bot.council.discussions.document import document_text
from bot.council.discussions.ports import Showing
from bot.council.discussions.rules import convergence_history, next_speaker, waiting_for
from bot.council.discussions.table import Tables
from bot.council.discussions.views import History, Listed, Listing, RawSummary, State, Status
from bot.council.tools import Kit
from bot.store import InboundKind, discussions, inbound
from bot.store.discussions import Said
from bot.store.inbound import InboundMessage
from bot.store.vocabulary import FindingKind
from bot.store.vocabulary import Status as StoredStatus

MOST_LISTED = 200
MOST_READ = 200
Heard = tuple[Sequence[Said], Sequence[InboundMessage]]


class Looking:
    """Reads discussions for programs."""

    def __init__(self, tools: Kit, showing: Showing, tables: Tables) -> None:
        self._tools = tools
        self._showing = showing
        self._tables = tables

    async def read(
        self,
        discussion_id: str,
        since_round: int | None = None,
        participant: str | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> History:
        """A page of the history (C7)."""
        discussion = await self._tables.require(discussion_id)
        limit = max(1, min(limit, MOST_READ))

        def work(conn: Connection) -> Heard:
            said = discussions.page(
                conn,
                discussion_id,
                since_round=since_round,
                participant=participant,
                after=after,
                limit=limit + 1,
            )
            return said, inbound.of_run(conn, discussion_id, InboundKind.FLOOR)

        said, heard = await self._tools.store.read(work)
        shown = telling.speeches_out(said[:limit], telling.roles_of(discussion))
        floor = telling.floor_out(heard)
        return History(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            status=telling.status_of(discussion),
            current_round=discussion.current_round,
            speeches=shown,
            from_the_floor=floor,
            formatted_history=telling.formatted(shown, floor),
            next_after=shown[-1].speech_id if len(said) > limit else None,
        )

    async def status(self, discussion_id: str) -> State:
        """Where it stands (C8)."""
        async with self._tools.store.working_on.holding(discussion_id):
            discussion = await self._tables.settled(await self._tables.require(discussion_id))
        spoken, findings = await self._tables.progress(discussion)
        history = convergence_history(findings)
        latest = findings[max(findings)] if findings else ()
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
        discussion = await self._tables.require(discussion_id)

        def work(conn: Connection) -> Heard:
            said = discussions.page(conn, discussion_id)
            return said, inbound.of_run(conn, discussion_id, InboundKind.FLOOR)

        said, heard = await self._tools.store.read(work)
        _, findings = await self._tables.progress(discussion)
        speeches = telling.speeches_out(said, telling.roles_of(discussion))
        rounds = telling.rounds_out(speeches, findings)
        floor = telling.floor_out(heard)
        return RawSummary(
            discussion_id=discussion_id,
            topic=discussion.run.topic,
            context=discussion.context,
            status=telling.status_of(discussion),
            participants=telling.participants_out(discussion),
            convergence_score=telling.score_of(convergence_history(findings)),
            rounds=telling.compacted(rounds) if compact else rounds,
            from_the_floor=floor[-telling.COMPACT_FLOOR :] if compact else floor,
            advice=(
                "Write the conclusion in Markdown and hand it to roundtable_end; points and the"
                " transcript are added to the file by themselves."
            ),
        )

    async def formatted(self, discussion_id: str) -> str:
        """The last words of every participant by round, as a prompt can take them."""
        summary = await self.summarize(discussion_id)
        said = [speech for entry in summary.rounds for speech in entry.speeches]
        return telling.formatted(said, summary.from_the_floor)

    async def minutes(self, discussion_id: str) -> str:
        """The discussion as one Markdown file, whether it is over or not."""
        discussion = await self._tables.require(discussion_id)
        said = await self._tools.store.read(lambda conn: discussions.page(conn, discussion_id))
        _, findings = await self._tables.progress(discussion)
        return document_text(discussion, said, findings)

    async def list(self, status: Status | None = None, limit: int = 50) -> Listing:
        """The newest discussions (C11)."""
        found = await self._tools.store.read(lambda conn: discussions.listed(conn, MOST_LISTED))
        lines = [
            Listed(
                discussion_id=run.id,
                kind="discussion",
                topic=run.topic,
                status=run.status.value,
                created_at=telling.moment(run.created_at),
                **rounds,
            )
            for run, rounds in found
        ]
        wanted = [line for line in lines if status in (None, line.status)]
        return Listing(discussions=wanted[: max(1, min(limit, MOST_LISTED))])
