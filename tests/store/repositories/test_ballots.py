"""Ballots in the store: one vote for a person and ballot, counted without names, forgettable."""

from sqlalchemy import Connection

from bot.store import BallotTime, EventType, Store
from bot.store.log import events
from bot.store.repositories.ballots import BallotRepository, Turnout, Vote
from bot.store.repositories.runs import Run
from bot.store.vocabulary import Actor

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
            BallotRepository(conn).cast(Vote(run.id, when, person, choice), float(number))

    await store.write(vote)
    assert await store.write(lambda c: BallotRepository(c).set_confidence(run.id, BEFORE, 2, 80))
    assert not await store.write(
        lambda c: BallotRepository(c).set_confidence(run.id, BEFORE, 3, 80)
    )
    before = await store.read(lambda c: BallotRepository(c).marks(run.id, BEFORE))
    assert (dict(before.choices), before.confidences) == ({"coffee": 1, "tea": 1}, (80,))
    assert await store.read(lambda c: BallotRepository(c).turnout(run.id)) == Turnout(
        twice=2, changed=1
    )
    assert await store.write(lambda c: BallotRepository(c).forget(1)) == 2
    assert await store.read(lambda c: BallotRepository(c).of_person(run.id, AFTER, 1)) is None
    await store.write(lambda c: BallotRepository(c).erase_run(run.id))
    after = await store.read(lambda c: BallotRepository(c).marks(run.id, AFTER))
    assert not after.choices


async def test_a_second_ballot_is_owed_a_result_until_that_was_told(store: Store, run: Run) -> None:
    def note(conn: Connection, type_: EventType, key: str, **payload: float) -> None:
        events.append(conn, run.id, type_, key, Actor.ORCHESTRATOR, payload, 1.0)

    await store.write(lambda c: note(c, EventType.BALLOT_OPENED, BEFORE))
    assert await store.read(lambda conn: BallotRepository(conn).untold()) == {}
    await store.write(lambda c: note(c, EventType.BALLOT_OPENED, AFTER, closes_at=60.0))
    assert await store.read(lambda conn: BallotRepository(conn).untold()) == {run.id: 60.0}
    assert await store.read(lambda c: BallotRepository(c).untold("rt_00000000")) == {}
    await store.write(lambda c: note(c, EventType.BALLOT_TOLD, "result"))
    assert await store.read(lambda conn: BallotRepository(conn).untold()) == {}


async def test_only_who_joined_the_record_has_a_vote_kept(store: Store, run: Run) -> None:
    """Issue 24, 6: individuals only who opted in, and forgettable."""
    guild = run.guild_id

    def vote(conn: Connection) -> int:
        ballots = BallotRepository(conn)
        assert ballots.join(guild, 1, 1.0)
        assert not ballots.join(guild, 1, 2.0)
        assert ballots.join(guild, 2, 1.0)
        assert ballots.join(guild + 1, 3, 1.0)
        for when, person, choice in (
            (BEFORE, 1, "tea"),
            (AFTER, 1, "coffee"),
            (BEFORE, 2, "tea"),
            (AFTER, 3, "tea"),
        ):
            ballots.cast(Vote(run.id, when, person, choice), 1.0)
        return ballots.keep_members(run.id, guild, ("tea", "coffee"))

    assert await store.write(vote) == 2
    await store.write(lambda c: BallotRepository(c).erase_run(run.id))
    kept = await store.read(lambda c: BallotRepository(c).kept(guild))
    assert sorted(kept) == [(run.id, 1, 1), (run.id, 2, 0)], "the last vote, by its number"
    assert await store.write(lambda c: BallotRepository(c).forget(1)) == 1
    assert not await store.read(lambda c: BallotRepository(c).joined(1))
    assert await store.write(lambda c: BallotRepository(c).leave(guild, 2))
    assert not await store.write(lambda c: BallotRepository(c).leave(guild, 2))
    assert await store.read(lambda c: BallotRepository(c).kept(guild)) == ()
    await store.write(lambda c: BallotRepository(c).forget_server(guild + 1))
    assert not await store.read(lambda c: BallotRepository(c).joined(3))
