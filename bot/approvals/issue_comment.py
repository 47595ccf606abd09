"""Posts a conclusion as a comment on the linked issue, once somebody approved it (C27, 2.2#49)."""

from sqlalchemy import Connection

from bot.approvals.gate import Approvals
from bot.links.references import Reference
from bot.meeting.dependencies import Dependencies
from bot.messages.conclusion import SharingText
from bot.record.masking import read_masked_record
from bot.record.record import place_of
from bot.reports.conclusion import conclusion_text
from bot.stage.cleaning import clean_text
from bot.stage.port import place_url
from bot.store import ApprovalStatus, SideEffect
from bot.store.repositories.approvals import Approval, ApprovalRepository, NewApproval
from bot.store.repositories.discussions import DiscussionRepository
from bot.store.repositories.runs import Run, RunRepository

_COMMENT = "comment_on_link"


class IssueComments:
    """Asks for the comment when a linked run has concluded, and posts it when it was approved."""

    def __init__(self, tools: Dependencies, gate: Approvals) -> None:
        self._tools = tools
        self._gate = gate
        self.register()

    def register(self) -> None:
        """Make the effect known to the gate."""
        self._gate.register(_COMMENT, self._carry_out)

    async def ask_for(self, run: Run) -> None:
        """Ask in the thread of a linked run whether its conclusion may be posted there."""
        link = await self._tools.store.read(lambda conn: _link_of(conn, run))
        if not link:
            return
        key = f"link:{run.id}"
        known = await self._tools.store.read(lambda conn: ApprovalRepository(conn).find(key))
        if known is not None and known.status is not ApprovalStatus.PENDING:
            # A discussion may be ended twice; what was decided is not asked or done again.
            return
        reference = Reference.of(link, self._tools.config(run.guild_id).links)
        await self._gate.request(
            NewApproval(
                run_id=run.id,
                requested_action=SharingText.comment_on(reference.url),
                side_effect_kind=SideEffect.WRITE_EXTERNAL,
                idempotency_key=key,
                requested_by=str(run.starter_id),
                effect=_COMMENT,
                details={"url": reference.url},
                rollback_hint=SharingText.UNDO_COMMENT,
                attempt=run.attempt,
            )
        )

    async def _carry_out(self, approval: Approval) -> str:
        run = await self._tools.store.read(
            lambda conn: RunRepository(conn).require(approval.run_id)
        )
        links = self._tools.config(run.guild_id).links
        reference = Reference.of(approval.details["url"], links)
        text = await self._text(run)
        # Both import httpx, which is slow to import, and few link issues.
        from bot.http.bounded import BoundedClient  # noqa: PLC0415
        from bot.links.comments import Comments  # noqa: PLC0415

        async with BoundedClient(trust_env=False) as client:
            comments = Comments(links, self._tools.secret, client)
            return await comments.post_once(reference, f"roundtable:{run.id}", text)

    async def _text(self, run: Run) -> str:
        found = await self._tools.store.read(lambda conn: DiscussionRepository(conn).get(run.id))
        if found is not None:
            said = found.conclusion or SharingText.discussion_ended(run.status_reason)
        else:
            said = conclusion_text(await read_masked_record(self._tools.store, run.id))
        return SharingText.signed(clean_text(said), place_url(place_of(run)))


def _link_of(conn: Connection, run: Run) -> str:
    """The issue a run is linked to, or nothing."""
    found = DiscussionRepository(conn).get(run.id)
    return found.link if found is not None else str(run.request.get("link") or "")
