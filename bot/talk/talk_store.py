"""What talk reads from the store and keeps there, each in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.panels import PanelsConfig
from bot.store import Store, followups, inbound, runs
from bot.store.followups import FollowUp
from bot.store.inbound import InboundMessage
from bot.store.runs import Run
from bot.store.seats import Seat
from bot.talk import scene
from bot.talk.admission import admit_question
from bot.talk.hearing import Heard
from bot.talk.scene import Scene


@dataclass(frozen=True, slots=True)
class TalkStore:
    """The runs people talk about, what they asked, and which panelist wrote what."""

    store: Store

    async def scene_of(self, heard: Heard) -> Scene | None:
        """The run a message can be about."""
        return await self.store.read(lambda conn: scene.scene_of(conn, heard))

    async def scene_of_run(self, run_id: str) -> Scene | None:
        """A run and its panel."""
        return await self.store.read(lambda conn: scene.scene_of_run(conn, run_id))

    async def seat_behind(self, message_id: int) -> Seat | None:
        """The panelist who wrote a message, also long ago and in several parts."""
        return await self.store.read(lambda conn: scene.seat_behind(conn, message_id))

    async def newest_run(self, thread_id: int) -> Run | None:
        """The newest run of a thread."""
        return await self.store.read(lambda conn: runs.by_thread(conn, thread_id))

    async def message(self, message_id: int) -> InboundMessage | None:
        """A person's message, if it was kept."""
        return await self.store.read(lambda conn: inbound.get(conn, message_id))

    async def unanswered(self, since: float) -> tuple[FollowUp, ...]:
        """The questions that are still without an answer."""
        return await self.store.read(lambda conn: scene.to_take_up(conn, since))

    async def admit(self, heard: Heard, asked: FollowUp, config: PanelsConfig) -> bool:
        """Admit a question and keep it; False when it was heard before, raises if refused."""
        now = self.store.now()

        def work(conn: Connection) -> bool:
            if followups.was_heard(conn, asked.message.message_id):
                return False
            admit_question(conn, heard, config, now)
            return followups.hear(conn, asked, now)

        return await self.store.write(work)

    async def note(self, message: InboundMessage) -> bool:
        """Keep what reaches the panel with its next round; False when it was heard before."""
        now = self.store.now()
        return await self.store.write(lambda conn: inbound.remember(conn, message, now))

    async def close(self, message_ids: Sequence[int], reason: str, *, answered: bool) -> None:
        """Note that questions are answered, or that they will not be."""
        now = self.store.now()
        await self.store.write(
            lambda conn: followups.close(conn, message_ids, reason, now, answered=answered)
        )

    async def purge_thread(self, thread_id: int) -> None:
        """Forget what was said in a thread."""
        await self.store.write(lambda conn: scene.purge_thread(conn, thread_id))
