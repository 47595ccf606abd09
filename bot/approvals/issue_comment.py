"""Posts a conclusion as a comment on the linked issue, once somebody approved it (C27, 2.2#49)."""

from collections.abc import Callable

from sqlalchemy import Connection

from bot.approvals.gate import Approvals
from bot.errors import UsageError
from bot.links.references import Reference
from bot.meeting.dependencies import Dependencies
from bot.messages.approvals import ApprovalText, LinkText, SharingText
from bot.panels.sections import Links
from bot.record.masking import read_masked_record
from bot.record.run_rows import place_of
from bot.reports.conclusion import conclusion_text
from bot.stage.cleaning import clean_text
from bot.stage.port import place_url
from bot.store import ApprovalStatus, EventType, Journal, SideEffect, Store
from bot.store.repositories.approvals import Approval, ApprovalRepository, NewApproval
from bot.store.repositories.discussions import Discussion, DiscussionRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor, Status
from bot.types import SecretLookup

_COMMENT = "comment_on_link"


class IssueComments:
    """Asks for the comment when a linked run has concluded, and posts it when it was approved."""

    def __init__(self, deps: Dependencies, gate: Approvals) -> None:
        self._deps = deps
        self._gate = gate
        self.register()

    def register(self) -> None:
        """Make the effect known to the gate."""
        self._gate.register(_COMMENT, self._carry_out)

    async def ask_for(self, run: Run) -> None:
        """Ask in the thread of a linked run whether its conclusion may be posted there."""
        link = await self._deps.store.read(lambda conn: _link_of(conn, run))
        if not link:
            return
        reference = Reference.of(link, self._deps.config(run.guild_id).links)
        wanted = _request_for(run, reference.url)
        known = await self._deps.store.read(
            lambda conn: ApprovalRepository(conn).find(wanted.idempotency_key)
        )
        if known is not None and known.status is not ApprovalStatus.PENDING:
            # A discussion may be ended twice; what was decided is not asked or done again.
            return
        await self._gate.request(wanted)

    async def _carry_out(self, approval: Approval) -> str:
        run = await self._deps.store.read(lambda conn: RunRepository(conn).require(approval.run_id))
        links = self._deps.config(run.guild_id).links
        text = await _text(self._deps.store, run)
        url = approval.details["url"]
        return await _post(links, self._deps.secret, run.id, url, text)


async def approve_comment(
    store: Store, links: Links, secret: SecretLookup, run_id: str, agree: Callable[[str, str], bool]
) -> str:
    """Post the conclusion of a linked discussion without a channel, if the operator agrees.

    `agree` is shown the issue and the comment. Returns the sentence for the operator.
    """
    found = await store.read(lambda conn: DiscussionRepository(conn).get(run_id))
    if found is None:
        raise UsageError(LinkText.no_discussion(run_id))
    if fault := _not_for_the_operator(found):
        raise UsageError(fault)
    wanted = _request_for(found.run, Reference.of(found.link, links).url)
    journal, key = Journal(store, run_id, Actor.ORCHESTRATOR), wanted.idempotency_key
    if (done := await journal.recorded(EventType.EFFECT_DONE, key)) is not None:
        return ApprovalText.done_already(done["where"])
    text = await _text(store, found.run)
    if not agree(found.link, text):
        return LinkText.NOTHING_POSTED
    approval = await store.write(lambda conn: _granted(conn, wanted, store.now()))
    payload = await journal.once(
        EventType.EFFECT_DONE,
        key,
        lambda: _post(links, secret, run_id, found.link, text),
        lambda _, where: {"id": approval.id, "where": where},
    )
    return ApprovalText.approved_and_done(payload["where"])


def _not_for_the_operator(found: Discussion) -> str:
    if not found.link:
        return LinkText.NO_LINK
    if found.run.output_channel_id:
        return LinkText.APPROVED_IN_THREAD
    if found.run.status is not Status.CONCLUDED or not found.conclusion:
        return LinkText.NO_CONCLUSION
    return ""


def _granted(conn: Connection, wanted: NewApproval, now: float) -> Approval:
    """The request and the operator's yes in one transaction, so that it never waits for a card."""
    asked = ApprovalRepository(conn).request(wanted, Actor.ORCHESTRATOR, now)
    yes, who = ApprovalStatus.APPROVED, LinkText.OPERATOR
    ApprovalRepository(conn).resolve(asked.id, yes, who, "", Actor.HUMAN, now)
    return asked


def _request_for(run: Run, url: str) -> NewApproval:
    return NewApproval(
        run_id=run.id,
        requested_action=SharingText.comment_on(url),
        side_effect_kind=SideEffect.WRITE_EXTERNAL,
        idempotency_key=f"link:{run.id}",
        requested_by=str(run.starter_id),
        effect=_COMMENT,
        details={"url": url},
        rollback_hint=SharingText.UNDO_COMMENT,
        attempt=run.attempt,
    )


async def _post(links: Links, secret: SecretLookup, run_id: str, url: str, text: str) -> str:
    # Both import httpx, which is slow to import, and few link issues.
    from bot.http.bounded import BoundedClient  # noqa: PLC0415
    from bot.links.comments import Comments  # noqa: PLC0415

    async with BoundedClient(trust_env=False) as client:
        comments = Comments(links, secret, client)
        return await comments.post_once(Reference.of(url, links), f"roundtable:{run_id}", text)


async def _text(store: Store, run: Run) -> str:
    found = await store.read(lambda conn: DiscussionRepository(conn).get(run.id))
    if found is not None:
        said = found.conclusion or SharingText.discussion_ended(run.status_reason)
    else:
        said = conclusion_text(await read_masked_record(store, run.id))
    origin = place_url(place_of(run)) if run.output_channel_id else run.id
    return SharingText.signed(clean_text(said), origin)


def _link_of(conn: Connection, run: Run) -> str:
    """The issue a run is linked to, or nothing."""
    found = DiscussionRepository(conn).get(run.id)
    return found.link if found is not None else str(run.request.get("link") or "")
