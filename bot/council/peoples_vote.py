"""People's votes while they are open, and their end at the time the store names."""

import asyncio
import logging
from dataclasses import asdict
from typing import Final

from sqlalchemy import Connection

from bot.council.ballot_posts import result_post, second_ballot
from bot.council.ballots import AFTER, BEFORE, cast_vote, count, options_of, set_confidence
from bot.council.dedup import place_of
from bot.council.keeping_files import export_or_say_why_not
from bot.council.meeting import Meeting
from bot.council.people_counts import Counted, PeoplesVotes
from bot.council.reading import read_record
from bot.council.tools import Tools
from bot.council.unmasking import unmask
from bot.store import Actor, BallotTime, EventType, ballots, events, runs
from bot.store.runs import Run

log = logging.getLogger(__name__)

FIRST_PAUSE: Final = 30.0
MOST_TRIES: Final = 8
"""What cannot be posted by then, in over an hour, is left to the next start."""


class PeoplesVote:
    """Takes votes, and ends each second ballot when its time is up."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def vote(self, run_id: str, when: BallotTime, number: int, person_id: int) -> str:
        """Take a vote; returns what it is for."""
        store = self._tools.store
        return await store.write(
            lambda conn: cast_vote(conn, run_id, when, number, person_id, store.now())
        )

    async def be_sure(self, run_id: str, when: BallotTime, percent: int, person_id: int) -> str:
        """Store a person's confidence in their vote; returns their choice."""
        store = self._tools.store
        return await store.write(
            lambda conn: set_confidence(conn, run_id, when, percent, person_id, store.now())
        )

    async def watch(self, run_id: str | None = None) -> None:
        """Close the second ballots, or that of one run, when they are due, at once if they are."""
        due = await self._tools.store.read(lambda conn: ballots.untold(conn, run_id))
        for found, closes_at in due.items():
            if found not in self._waiting:
                task = asyncio.create_task(self._close_at(found, closes_at), name=f"vote {found}")
                self._waiting[found] = task
                task.add_done_callback(lambda _, run=found: self._waiting.pop(run, None))  # type: ignore[misc]

    async def settled(self) -> None:
        """Wait until no second ballot is open."""
        while self._waiting:
            await asyncio.wait(self._waiting.values())

    async def give_up(self) -> None:
        """Count in the store alone what an earlier process left open, because its place is gone."""
        for run_id in await self._tools.store.read(ballots.untold):
            run = await self._tools.store.read(lambda conn, r=run_id: runs.require(conn, r))  # type: ignore[misc]
            await self._count(run)
            await self._note_told(run_id)

    async def close(self) -> None:
        """Leave every ballot as it is; the next start closes it."""
        tasks = list(self._waiting.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _close_at(self, run_id: str, closes_at: float) -> None:
        left = closes_at - self._tools.store.now()
        if left > 0:
            await self._tools.sleep(left)
        for attempt in range(MOST_TRIES):
            try:
                await self._settle(run_id)
            except Exception:
                log.exception("the vote of %s could not be closed; retrying", run_id)
            else:
                return
            await self._tools.sleep(FIRST_PAUSE * 2**attempt)

    async def _settle(self, run_id: str) -> None:
        """Count, say the result and take the masks off; each of it once, whenever that ends."""
        store, stage = self._tools.store, self._tools.stage
        run = await store.read(lambda conn: runs.require(conn, run_id))
        people = await self._count(run)
        place = place_of(run)
        if run.topic and not await stage.is_gone(place):  # an erased run has no topic
            options = await store.read(lambda conn: options_of(conn, run))
            await stage.revise(run_id, place, second_ballot(run_id, options, 0.0, people.after))
            record = await read_record(store, run_id)
            await stage.say(run_id, place, result_post(options, record.tallies, people))
        meeting = Meeting(run, self._tools)
        await unmask(meeting)
        await export_or_say_why_not(meeting)
        await self._note_told(run_id)

    async def _count(self, run: Run) -> PeoplesVotes:
        """Close the second ballot and erase who voted for what."""
        now = self._tools.store.now()

        def work(conn: Connection) -> PeoplesVotes:
            for when in (BEFORE, AFTER):
                closed, payload = EventType.BALLOT_CLOSED, asdict(count(conn, run, when))
                events.append(conn, run.id, closed, when, Actor.ORCHESTRATOR, payload, now)
            ballots.erase_run(conn, run.id)
            return PeoplesVotes(_counted(conn, run.id, BEFORE), _counted(conn, run.id, AFTER))

        return await self._tools.store.write(work)

    async def _note_told(self, run_id: str) -> None:
        now, told = self._tools.store.now(), EventType.BALLOT_TOLD
        await self._tools.store.write(
            lambda conn: events.append(conn, run_id, told, "result", Actor.ORCHESTRATOR, {}, now)
        )


def _counted(conn: Connection, run_id: str, when: BallotTime) -> Counted:
    return Counted.of(events.find(conn, run_id, EventType.BALLOT_CLOSED, when) or {"votes": ()})
