"""People's votes while they are open, and their end at the time the store names."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from sqlalchemy import Connection

from bot.errors import UsageError
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.meeting.finish import unmask
from bot.messages.votes import BallotText
from bot.record.attempts import was_retried
from bot.record.loader import read_record
from bot.record.run_rows import PeopleCount, PeopleVotes, place_of
from bot.reports.ballots import first_ballot, result_post, second_ballot, shown
from bot.reports.files import export_or_report
from bot.request.options import known_options
from bot.store import BallotTime, EventType
from bot.store.log import events
from bot.store.repositories.ballots import BallotRepository, Vote
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import DesignRepository
from bot.store.vocabulary import Actor
from bot.types.mode import Mode

_log = logging.getLogger(__name__)

_BEFORE, _AFTER = BallotTime.BEFORE, BallotTime.AFTER
_FIRST_PAUSE: Final = 30.0
_MOST_TRIES: Final = 8
"""What cannot be posted by then, in over an hour, is left to the next start."""


def _options_of(conn: Connection, run: Run) -> tuple[str, ...]:
    """What people can vote for: as frozen in the design, before that as it was named."""
    design = events.find(conn, run.id, EventType.RUN_DESIGNED, "design")
    if design is None:
        return known_options(run.topic, run.request.get("options") or ())
    return tuple((design | DesignRepository(conn).of_run(run.id))["options"])


async def open_first_ballot(ctx: RunContext) -> None:
    """Show the first ballot as soon as its options are known; the post goes out once."""
    if ctx.run.mode is not Mode.VOTE:
        return
    store, run = ctx.deps.store, ctx.run
    options, closed = await store.read(
        lambda conn: (_options_of(conn, run), events.find(conn, run.id, *_closed(_BEFORE)))
    )
    if not options or closed is not None:
        return
    await ctx.journal.once(EventType.BALLOT_OPENED, _BEFORE, _nothing, lambda *_: {})
    post = first_ballot(run.id, ctx.place, options)
    await ctx.say(post)
    if await store.read(lambda conn: was_retried(conn, run.id)):
        # The ballot was switched off when the run ended.
        await ctx.deps.stage.revise(run.id, ctx.place, post)


async def close_unfinished(ctx: RunContext) -> None:
    """Switch the first ballot off when its run ends without a conclusion."""
    store, run = ctx.deps.store, ctx.run
    opened, closed = await store.read(
        lambda conn: (
            events.find(conn, run.id, EventType.BALLOT_OPENED, _BEFORE),
            events.find(conn, run.id, *_closed(_BEFORE)),
        )
    )
    if opened is not None and closed is None:
        post = replace(first_ballot(run.id, ctx.place, ()), text=BallotText.NOT_COUNTED)
        await ctx.deps.stage.revise(run.id, ctx.place, post)


async def close_first_ballot(ctx: RunContext) -> None:
    """Count what people thought before they read the conclusion, which is ready now."""
    if ctx.run.mode is not Mode.VOTE:
        return
    run = ctx.run

    def record(conn: Connection, _: None) -> Mapping[str, Any]:
        return asdict(_count(conn, run, _BEFORE))

    payload = await ctx.journal.once(*_closed(_BEFORE), _nothing, record)
    post = first_ballot(run.id, ctx.place, ctx.designed.options, PeopleCount.of(payload))
    await ctx.deps.stage.revise(run.id, ctx.place, post)


async def open_second_ballot(ctx: RunContext) -> None:
    """Let people vote again for as long as panels.json says."""
    if ctx.run.mode is not Mode.VOTE:
        return
    closes_at = ctx.deps.store.now() + 60 * ctx.config.ballots.second_minutes

    def record(_: Connection, __: None) -> Mapping[str, Any]:
        return {"closes_at": closes_at}

    payload = await ctx.journal.once(EventType.BALLOT_OPENED, _AFTER, _nothing, record)
    post = second_ballot(ctx.run.id, ctx.designed.options, payload["closes_at"])
    await ctx.say(post)


def _cast_vote(
    conn: Connection, run_id: str, when: BallotTime, number: int, person_id: int, now: float
) -> str:
    """Take a person's vote while the ballot is open; returns what they voted for."""
    run = _open_run(conn, run_id, when, now)
    options = _options_of(conn, run)
    if number >= len(options):
        raise UsageError(BallotText.NO_BALLOT)
    choice = options[number]
    known = BallotRepository(conn).of_person(run_id, when, person_id)
    if known is None or known.choice != choice:
        BallotRepository(conn).cast(Vote(run_id, when, person_id, choice), now)
    return shown(choice)


def _set_confidence(
    conn: Connection, run_id: str, when: BallotTime, confidence: int, person_id: int, now: float
) -> str:
    """Note how sure a person is of the vote they have cast; returns what they voted for."""
    _open_run(conn, run_id, when, now)
    BallotRepository(conn).set_confidence(run_id, when, person_id, confidence)
    known = BallotRepository(conn).of_person(run_id, when, person_id)
    if known is None:
        raise UsageError(BallotText.NO_VOTE)
    return shown(known.choice)


def _count(conn: Connection, run: Run, when: BallotTime) -> PeopleCount:
    """Count a ballot, without names."""
    marks = BallotRepository(conn).marks(run.id, when)
    sure = marks.confidences
    both = BallotRepository(conn).turnout(run.id)
    return PeopleCount(
        votes=tuple(marks.choices[option] for option in _options_of(conn, run)),
        confidence=round(sum(sure) / len(sure)) if sure else None,
        twice=both.twice,
        changed=both.changed,
    )


def _open_run(conn: Connection, run_id: str, when: BallotTime, now: float) -> Run:
    """The run, unless its ballot is closed."""
    run = RunRepository(conn).get(run_id)
    if run is None:
        raise UsageError(BallotText.NO_BALLOT)
    if events.find(conn, run_id, *_closed(when)) is not None:
        raise UsageError(
            BallotText.FIRST_IS_CLOSED if when is _BEFORE else BallotText.SECOND_IS_CLOSED
        )
    opened = events.find(conn, run_id, EventType.BALLOT_OPENED, when)
    if opened is None:
        raise UsageError(BallotText.NO_BALLOT)
    if when is _AFTER and now >= opened["closes_at"]:
        raise UsageError(BallotText.SECOND_IS_CLOSED)
    if when is _BEFORE and run.finished_at is not None:
        raise UsageError(BallotText.NO_CONCLUSION)
    return run


def _closed(when: BallotTime) -> tuple[EventType, str]:
    return EventType.BALLOT_CLOSED, when


async def _nothing() -> None:
    """Opening and counting are done in the store alone."""


class PeopleVoting:
    """Takes votes, and ends each second ballot when its time is up."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._servers: dict[str, int] = {}

    async def vote(self, run_id: str, when: BallotTime, number: int, person_id: int) -> str:
        """Take a vote; returns what it is for."""
        store = self._deps.store
        return await store.write(
            lambda conn: _cast_vote(conn, run_id, when, number, person_id, store.now())
        )

    async def be_sure(self, run_id: str, when: BallotTime, percent: int, person_id: int) -> str:
        """Store a person's confidence in their vote; returns their choice."""
        store = self._deps.store
        return await store.write(
            lambda conn: _set_confidence(conn, run_id, when, percent, person_id, store.now())
        )

    async def watch(self, run_id: str | None = None, server: int | None = None) -> None:
        """Close the second ballots, of a run or a server, when due, at once if they are."""

        def work(conn: Connection) -> tuple[dict[str, float], dict[str, int]]:
            due = BallotRepository(conn).untold(run_id, server)
            return due, {run: RunRepository(conn).require(run).guild_id for run in due}

        due, servers = await self._deps.store.read(work)
        for found, closes_at in due.items():
            if found not in self._waiting:
                self._servers[found] = servers[found]
                task = asyncio.create_task(self._close_at(found, closes_at), name=f"vote {found}")
                self._waiting[found] = task
                task.add_done_callback(lambda done, run=found: self._let_go(run, done))  # type: ignore[misc]

    def _let_go(self, run_id: str, done: "asyncio.Task[None]") -> None:
        if self._waiting.get(run_id) is done:
            del self._waiting[run_id]
            self._servers.pop(run_id, None)

    async def let_go(self, server: int) -> None:
        """Leave the ballots of a server to another process."""
        here = [run for run, where in self._servers.items() if where == server]
        tasks = [self._waiting.pop(run) for run in here if run in self._waiting]
        for run in here:
            del self._servers[run]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def close_now(self, run: Run) -> bool:
        """Close the second ballot of a run before its time; False when none is open."""
        if not await self._deps.store.read(lambda conn: BallotRepository(conn).untold(run.id)):
            return False
        await self._count(run)  # from now on closed, whatever happens
        waiting = self._waiting.pop(run.id, None)
        if waiting is not None:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await self.watch(run.id)
        return True

    async def settled(self) -> None:
        """Wait until no second ballot is open."""
        while self._waiting:
            await asyncio.wait(self._waiting.values())

    async def abandon(self) -> None:
        """Count in the store alone what an earlier process left open, because its place is gone."""
        for run_id in await self._deps.store.read(lambda conn: BallotRepository(conn).untold()):
            run = await self._deps.store.read(
                lambda conn, r=run_id: RunRepository(conn).require(r)  # type: ignore[misc]
            )
            await self._count(run)
            await self._note_told(run_id)

    async def close(self) -> None:
        """Leave every ballot as it is; the next start closes it."""
        tasks = list(self._waiting.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _close_at(self, run_id: str, closes_at: float) -> None:
        left = closes_at - self._deps.store.now()
        if left > 0:
            await self._deps.sleep(left)
        for attempt in range(_MOST_TRIES):
            try:
                await self._settle(run_id)
            except Exception:
                _log.exception("the vote of %s could not be closed; retrying", run_id)
            else:
                return
            await self._deps.sleep(_FIRST_PAUSE * 2**attempt)

    async def _settle(self, run_id: str) -> None:
        """Count, say the result and take the masks off; each of it once, whenever that ends."""
        store, stage = self._deps.store, self._deps.stage
        run = await store.read(lambda conn: RunRepository(conn).require(run_id))
        people = await self._count(run)
        place = place_of(run)
        if run.topic and not await stage.is_gone(place):  # an erased run has no topic
            options = await store.read(lambda conn: _options_of(conn, run))
            await stage.revise(run_id, place, second_ballot(run_id, options, 0.0, people.after))
            record = await read_record(store, run_id)
            await stage.say(run_id, place, result_post(options, record.tallies, people))
        ctx = RunContext(run, self._deps)
        await unmask(ctx)
        await export_or_report(ctx)
        await self._note_told(run_id)

    async def _count(self, run: Run) -> PeopleVotes:
        """Close the second ballot and erase who voted for what."""
        now = self._deps.store.now()

        def work(conn: Connection) -> PeopleVotes:
            kept = BallotRepository(conn).keep_members(run.id, run.guild_id, _options_of(conn, run))
            for when in (_BEFORE, _AFTER):
                counted = replace(_count(conn, run, when), kept=kept)
                closed, payload = EventType.BALLOT_CLOSED, asdict(counted)
                events.append(conn, run.id, closed, when, Actor.ORCHESTRATOR, payload, now)
            BallotRepository(conn).erase_run(run.id)
            return PeopleVotes(_counted(conn, run.id, _BEFORE), _counted(conn, run.id, _AFTER))

        return await self._deps.store.write(work)

    async def _note_told(self, run_id: str) -> None:
        now, told = self._deps.store.now(), EventType.BALLOT_TOLD
        await self._deps.store.write(
            lambda conn: events.append(conn, run_id, told, "result", Actor.ORCHESTRATOR, {}, now)
        )


def _counted(conn: Connection, run_id: str, when: BallotTime) -> PeopleCount:
    return PeopleCount.of(events.find(conn, run_id, EventType.BALLOT_CLOSED, when) or {"votes": ()})
