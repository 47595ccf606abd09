"""Ballots in the store: one vote for a person and ballot, counted without names, forgettable."""

from sqlalchemy import Connection

from bot.store import Actor, BallotTime, EventType, Store
from bot.store.log import events
from bot.store.repositories import ballots
from bot.store.repositories.ballots import Turnout, Vote
from bot.store.repositories.runs import Run

BEFORE, AFTER = BallotTime.BEFORE, BallotTime.AFTER


async def test_the_last_vote_of_a_person_counts_and_can_be_forgotten(
    store: Store, run: Run
) -> None:
    def vote(conn: Connection) -> None:
        for number, (when, person, choice) in enumerate(
            [
                (BEFORE, 1, "tea"),
                (BEFORE, 1, "coffee"),
                (BEFORE, 2, "tea"),
                (AFTER, 1, "tea"),
                (AFTER, 2, "tea"),
                (AFTER, 3, "coffee"),
            ]
        ):
            ballots.cast(conn, Vote(run.id, when, person, choice), float(number))

    await store.write(vote)
    assert await store.write(lambda c: ballots.set_confidence(c, run.id, BEFORE, 2, 80))
    assert not await store.write(lambda c: ballots.set_confidence(c, run.id, BEFORE, 3, 80))
    before = await store.read(lambda c: ballots.marks(c, run.id, BEFORE))
    assert (dict(before.choices), before.confidences) == ({"coffee": 1, "tea": 1}, (80,))
    assert await store.read(lambda c: ballots.turnout(c, run.id)) == Turnout(twice=2, changed=1)
    assert await store.write(lambda c: ballots.forget(c, 1)) == 2
    assert await store.read(lambda c: ballots.of_person(c, run.id, AFTER, 1)) is None
    await store.write(lambda c: ballots.erase_run(c, run.id))
    after = await store.read(lambda c: ballots.marks(c, run.id, AFTER))
    assert not after.choices


async def test_a_second_ballot_is_owed_a_result_until_that_was_told(store: Store, run: Run) -> None:
    def note(conn: Connection, type_: EventType, key: str, **payload: float) -> None:
        events.append(conn, run.id, type_, key, Actor.ORCHESTRATOR, payload, 1.0)

    await store.write(lambda c: note(c, EventType.BALLOT_OPENED, BEFORE))
    assert await store.read(ballots.untold) == {}
    await store.write(lambda c: note(c, EventType.BALLOT_OPENED, AFTER, closes_at=60.0))
    assert await store.read(ballots.untold) == {run.id: 60.0}
    assert await store.read(lambda c: ballots.untold(c, "rt_00000000")) == {}
    await store.write(lambda c: note(c, EventType.BALLOT_TOLD, "result"))
    assert await store.read(ballots.untold) == {}
