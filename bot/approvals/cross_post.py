"""Posts a conclusion in another channel than its own, once somebody approved it (2.2#32)."""

from bot.access.admission import Asker
from bot.approvals.card import who_may_approve
from bot.approvals.gate import Approvals, free_key
from bot.errors import NotAllowedError, UnavailableError, UsageError
from bot.meeting.dependencies import Dependencies
from bot.messages.approvals import SharingText
from bot.record.masking import read_masked_record
from bot.record.run_rows import place_of
from bot.reports.conclusion import conclusion_text
from bot.search.results import known_urls
from bot.stage.port import THE_BOT, Place, Post
from bot.store import SideEffect, Status
from bot.store.repositories.approvals import Approval, NewApproval
from bot.store.repositories.runs import Run, RunRepository

_POST_CONCLUSION = "post_conclusion"


class CrossPosts:
    """Entry point of `roundtable post`, and the effect behind it."""

    def __init__(self, deps: Dependencies, gate: Approvals) -> None:
        self._deps = deps
        self.gate = gate
        self.register()

    def register(self) -> None:
        """Make the effect known to the gate."""
        self.gate.register(_POST_CONCLUSION, self._carry_out)

    async def ask(self, run: Run, channel_id: int, asker: Asker) -> str:
        """Post where that needs no approval, else ask for one; returns what to tell the person."""
        await self._check(run, channel_id, asker)
        if channel_id in {run.trigger_channel_id, run.output_channel_id}:
            return SharingText.posted(await self._post(run, channel_id))
        name = f"post:{run.id}:{channel_id}"
        key = await self._deps.store.read(lambda conn: free_key(conn, run.id, name))
        asked = await self.gate.request(
            NewApproval(
                run_id=run.id,
                requested_action=SharingText.post_it(channel_id),
                side_effect_kind=SideEffect.NOTIFY,
                idempotency_key=key,
                requested_by=str(asker.id),
                effect=_POST_CONCLUSION,
                details={"channel_id": channel_id},
                rollback_hint=SharingText.UNDO_POST,
                attempt=run.attempt,
            )
        )
        if asked.done:
            return SharingText.posted_before(asked.done)
        who = who_may_approve(self._deps.config(run.guild_id).trigger)
        return SharingText.asked_in(place_of(run).target_id, who)

    async def _check(self, run: Run, channel_id: int, asker: Asker) -> None:
        if run.status is not Status.CONCLUDED:
            raise UsageError(SharingText.NOT_CONCLUDED)
        stage, own = self._deps.stage, place_of(run).target_id
        for place in (own, channel_id):
            if not await stage.may_read(asker.id, run.guild_id, place):
                raise NotAllowedError(SharingText.NOT_READABLE)
        fault = await stage.fault_of(run.guild_id, channel_id)
        if fault:
            raise UnavailableError(SharingText.cannot_post(channel_id, fault))

    async def _carry_out(self, approval: Approval) -> str:
        run = await self._deps.store.read(lambda conn: RunRepository(conn).require(approval.run_id))
        return await self._post(run, approval.details["channel_id"])

    async def _post(self, run: Run, channel_id: int) -> str:
        """One post key per channel, so that the conclusion is posted there once."""
        record = await read_masked_record(self._deps.store, run.id)
        post = Post(
            key=f"shared:{channel_id}",
            speaker=THE_BOT,
            text=conclusion_text(record),
            known_urls=known_urls(record.findings) if record.findings else frozenset(),
        )
        place = Place(run.guild_id, channel_id)
        links = await self._deps.stage.say(run.id, place, post)
        return links[0].url
