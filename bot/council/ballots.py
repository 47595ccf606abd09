"""People vote twice, before the conclusion and after it: opening, casting, counting."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from bot.council.ballot_posts import first_ballot, second_ballot, shown
from bot.council.meeting import Meeting
from bot.council.people_counts import Counted
from bot.errors import UsageError
from bot.messages.votes import BallotText
from bot.request import Mode
from bot.request.choices import options_in
from bot.store import BallotTime, EventType, ballots, designs, events, runs
from bot.store.ballots import Vote
from bot.store.runs import Run

BEFORE, AFTER = BallotTime.BEFORE, BallotTime.AFTER


def options_of(conn: Connection, run: Run) -> tuple[str, ...]:
    """What people can vote for: as frozen in the design, before that as the topic names it."""
    design = events.find(conn, run.id, EventType.RUN_DESIGNED, "design")
    if design is None:
        return options_in(run.topic)
    return tuple((design | designs.of_run(conn, run.id))["options"])


async def open_first_ballot(meeting: Meeting) -> None:
    """Show the first ballot as soon as its options are known; the post goes out once."""
    if meeting.run.mode is not Mode.VOTE:
        return
    store, run = meeting.tools.store, meeting.run
    options, closed = await store.read(
        lambda conn: (options_of(conn, run), events.find(conn, run.id, *_closed(BEFORE)))
    )
    if not options or closed is not None:
        return
    await meeting.journal.once(EventType.BALLOT_OPENED, BEFORE, _nothing, lambda *_: {})
    await meeting.say(first_ballot(run.id, meeting.place, options))


async def close_first_ballot(meeting: Meeting) -> None:
    """Count what people thought before they read the conclusion, which is ready now."""
    if meeting.run.mode is not Mode.VOTE:
        return
    run = meeting.run

    def record(conn: Connection, _: None) -> Mapping[str, Any]:
        return asdict(count(conn, run, BEFORE))

    payload = await meeting.journal.once(*_closed(BEFORE), _nothing, record)
    post = first_ballot(run.id, meeting.place, meeting.designed.options, Counted.of(payload))
    await meeting.tools.stage.revise(run.id, meeting.place, post)


async def open_second_ballot(meeting: Meeting) -> None:
    """Let people vote again for as long as panels.json says."""
    if meeting.run.mode is not Mode.VOTE:
        return
    closes_at = meeting.tools.store.now() + 60 * meeting.config.ballots.second_minutes

    def record(_: Connection, __: None) -> Mapping[str, Any]:
        return {"closes_at": closes_at}

    payload = await meeting.journal.once(EventType.BALLOT_OPENED, AFTER, _nothing, record)
    post = second_ballot(meeting.run.id, meeting.designed.options, payload["closes_at"])
    await meeting.say(post)


def cast_vote(
    conn: Connection, run_id: str, when: BallotTime, number: int, person_id: int, now: float
) -> str:
    """Take a person's vote while the ballot is open; returns what they voted for."""
    run = _open_run(conn, run_id, when, now)
    options = options_of(conn, run)
    if number >= len(options):
        raise UsageError(BallotText.NO_BALLOT)
    choice = options[number]
    known = ballots.of_person(conn, run_id, when, person_id)
    if known is None or known.choice != choice:
        ballots.cast(conn, Vote(run_id, when, person_id, choice), now)
    return shown(choice)


def set_confidence(
    conn: Connection, run_id: str, when: BallotTime, confidence: int, person_id: int, now: float
) -> str:
    """Note how sure a person is of the vote they have cast; returns what they voted for."""
    _open_run(conn, run_id, when, now)
    ballots.set_confidence(conn, run_id, when, person_id, confidence)
    known = ballots.of_person(conn, run_id, when, person_id)
    if known is None:
        raise UsageError(BallotText.NO_VOTE)
    return shown(known.choice)


def count(conn: Connection, run: Run, when: BallotTime) -> Counted:
    """Count a ballot, without names."""
    marks = ballots.marks(conn, run.id, when)
    sure = marks.confidences
    both = ballots.turnout(conn, run.id)
    return Counted(
        votes=tuple(marks.choices[option] for option in options_of(conn, run)),
        confidence=round(sum(sure) / len(sure)) if sure else None,
        twice=both.twice,
        changed=both.changed,
    )


def _open_run(conn: Connection, run_id: str, when: BallotTime, now: float) -> Run:
    """The run, unless its ballot is closed."""
    run = runs.get(conn, run_id)
    if run is None:
        raise UsageError(BallotText.NO_BALLOT)
    if events.find(conn, run_id, *_closed(when)) is not None:
        raise UsageError(
            BallotText.FIRST_IS_CLOSED if when is BEFORE else BallotText.SECOND_IS_CLOSED
        )
    opened = events.find(conn, run_id, EventType.BALLOT_OPENED, when)
    if opened is None:
        raise UsageError(BallotText.NO_BALLOT)
    if when is AFTER and now >= opened["closes_at"]:
        raise UsageError(BallotText.SECOND_IS_CLOSED)
    if when is BEFORE and run.finished_at is not None:
        raise UsageError(BallotText.NO_CONCLUSION)
    return run


def _closed(when: BallotTime) -> tuple[EventType, str]:
    return EventType.BALLOT_CLOSED, when


async def _nothing() -> None:
    """Opening and counting are done in the store alone."""
