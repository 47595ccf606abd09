"""Shows a discussion in a thread: participants as personas, through the same outbox as panels."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from bot.approvals.issue_comment import IssueComments
from bot.errors import UsageError
from bot.meeting.dependencies import Dependencies
from bot.meeting.run_thread import opening_of
from bot.messages.discussions import DiscussionText
from bot.record.run_rows import place_of
from bot.stage.port import THE_BOT, Place, Post, Speaker, place_url
from bot.store import EventType
from bot.store.log.journal import Journal
from bot.store.repositories.discussions import Discussion
from bot.store.repositories.runs import RunRepository
from bot.store.repositories.speeches import COORDINATOR, Said
from bot.store.vocabulary import Actor, Status

_log = logging.getLogger(__name__)

_MODE = "discussion"


class DiscussionThread:
    """Shows discussions that have a channel."""

    def __init__(self, deps: Dependencies, linking: IssueComments) -> None:
        self._deps = deps
        self._linking = linking

    async def place(self, channel: str) -> tuple[int, int]:
        """The server and the channel to speak in; raises UserError where the bot may not."""
        if not channel:
            return 0, 0
        if not (channel.isascii() and channel.isdigit() and len(channel) <= 20):
            raise UsageError(DiscussionText.NO_CHANNEL_ID)
        guild_id = await self._deps.stage.server_of(int(channel))
        if guild_id is None:
            raise UsageError(DiscussionText.NO_SUCH_CHANNEL)
        destination = await self._deps.stage.choose(guild_id, int(channel))
        return guild_id, destination.channel_id

    async def opened(self, discussion: Discussion) -> Discussion:
        """Create the thread, once, also after a restart."""
        run = discussion.run
        if not run.output_channel_id:
            return discussion

        async def work() -> Place:
            return await self._deps.stage.open(opening_of(run, _MODE))

        def record(conn: Connection, place: Place) -> Mapping[str, Any]:
            now = self._deps.store.now()
            RunRepository(conn).set_place(run.id, place.anchor_id, place.thread_id, now)
            return {}

        journal = Journal(self._deps.store, run.id, Actor.ORCHESTRATOR)
        await journal.once(EventType.PLACE_OPENED, "place", work, record)
        placed = await self._deps.store.read(lambda conn: RunRepository(conn).require(run.id))
        shown = replace(discussion, run=placed)
        await self._say(shown, Post("rules", THE_BOT, _rules(shown)))
        return shown

    async def said(self, discussion: Discussion, speech: Said) -> None:
        """Show a speech in the thread under its speaker's name."""
        if discussion.run.output_channel_id:
            shown = discussion if discussion.run.anchor_id else await self.opened(discussion)
            speaker = _speaker(discussion, speech.participant)
            await self._say(shown, Post(f"speech:{speech.id}", speaker, speech.content))

    async def ended(self, discussion: Discussion) -> None:
        """Say how it ended, and the conclusion when there is one."""
        if not discussion.run.output_channel_id:
            return
        key = "ended:conclusion" if discussion.conclusion else "ended"
        await self._say(discussion, Post(key, THE_BOT, _ending(discussion)))
        if discussion.conclusion and discussion.run.status is Status.CONCLUDED:
            try:
                await self._linking.ask_for(discussion.run)
            except Exception:
                # Its end must not fail, or it would leave no file.
                _log.exception("%s: its approval could not be shown", discussion.run.id)

    def url(self, discussion: Discussion) -> str | None:
        """The link to the thread."""
        return place_url(place_of(discussion.run)) if discussion.run.output_channel_id else None

    async def _say(self, discussion: Discussion, post: Post) -> None:
        try:
            await self._deps.stage.say(discussion.run.id, place_of(discussion.run), post)
        except Exception:
            # The speech is stored, so a deleted thread must not end the discussion.
            _log.exception("%s: %s could not be shown", discussion.run.id, post.key)


def _speaker(discussion: Discussion, profile: str) -> Speaker:
    if profile == COORDINATOR:
        return Speaker(DiscussionText.coordinator_name(discussion.created_by), seat=COORDINATOR)
    for person in discussion.participants:
        if person.profile == profile:
            name = DiscussionText.participant_name(person.role, person.display_name)
            return Speaker(name, seat=person.profile)
    return Speaker(profile, seat=profile)


def _rules(discussion: Discussion) -> str:
    roles = [person.role for person in discussion.participants]
    rounds, held_by = discussion.max_rounds, discussion.created_by
    return DiscussionText.opening_post(roles, rounds, held_by, discussion.link)


def _ending(discussion: Discussion) -> str:
    concluded = discussion.run.status is Status.CONCLUDED
    reason = discussion.run.status_reason
    return DiscussionText.ending_post(reason, discussion.conclusion, concluded=concluded)


class NoThread:
    """A view that shows nothing."""

    async def place(self, channel: str) -> tuple[int, int]:
        """There are no channels without a running bot."""
        if channel:
            raise UsageError(DiscussionText.CHANNEL_NEEDS_BOT)
        return 0, 0

    async def opened(self, discussion: Discussion) -> Discussion:
        """There is no thread to open."""
        return discussion

    async def said(self, discussion: Discussion, speech: Said) -> None:
        """Nobody watches."""

    async def ended(self, discussion: Discussion) -> None:
        """Nobody watches."""

    def url(self, discussion: Discussion) -> str | None:  # noqa: ARG002 (others have one)
        """There is no place."""
        return None
