"""People's votes: one for each person while the ballot is open, and none before or after."""

from types import SimpleNamespace
from typing import Any

import pytest

from bot.errors import UsageError
from bot.messages.votes import BallotText
from bot.store import BallotTime, EventType, Store
from bot.store.log import events
from bot.store.repositories.runs import Run
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from bot.votes.service import PeopleVoting
from tests.store.conftest import in_mode, request_for, start_run
from tests.support.sqlite_store import NOW

BEFORE, AFTER = BallotTime.BEFORE, BallotTime.AFTER
ADA, BEN = 7, 8


@pytest.fixture
def voting(store: Store) -> PeopleVoting:
    deps: Any = SimpleNamespace(store=store)
    return PeopleVoting(deps)


@pytest.fixture
async def run(store: Store) -> Run:
    return await start_run(store, in_mode(request_for("Tabs or spaces?"), Mode.VOTE))


async def note(store: Store, run: Run, what: EventType, when: BallotTime, **payload: Any) -> None:
    boss = Actor.ORCHESTRATOR
    await store.write(lambda conn: events.append(conn, run.id, what, when, boss, payload, NOW))


async def refusal(voting: PeopleVoting, run_id: str, when: BallotTime, number: int = 0) -> str:
    with pytest.raises(UsageError) as refused:
        await voting.vote(run_id, when, number, ADA)
    return refused.value.text


async def test_nobody_votes_where_no_ballot_is_open(
    store: Store, run: Run, voting: PeopleVoting
) -> None:
    assert await refusal(voting, "rt_00000000", BEFORE) == BallotText.NO_BALLOT
    assert await refusal(voting, run.id, BEFORE) == BallotText.NO_BALLOT
    await note(store, run, EventType.BALLOT_OPENED, BEFORE)
    assert await refusal(voting, run.id, BEFORE, number=2) == BallotText.NO_BALLOT
    assert await refusal(voting, run.id, AFTER) == BallotText.NO_BALLOT


async def test_a_person_has_one_vote_and_may_change_it(
    store: Store, run: Run, voting: PeopleVoting
) -> None:
    await note(store, run, EventType.BALLOT_OPENED, BEFORE)
    first, second = [await voting.vote(run.id, BEFORE, number, ADA) for number in (0, 1)]
    assert first != second
    assert await voting.be_sure(run.id, BEFORE, 80, ADA) == second


async def test_only_who_has_voted_can_say_how_sure_they_are(
    store: Store, run: Run, voting: PeopleVoting
) -> None:
    await note(store, run, EventType.BALLOT_OPENED, BEFORE)
    await voting.vote(run.id, BEFORE, 0, ADA)
    with pytest.raises(UsageError, match=BallotText.NO_VOTE):
        await voting.be_sure(run.id, BEFORE, 80, BEN)


async def test_a_closed_ballot_takes_no_more_votes(
    store: Store, run: Run, voting: PeopleVoting
) -> None:
    await note(store, run, EventType.BALLOT_OPENED, BEFORE)
    await note(store, run, EventType.BALLOT_CLOSED, BEFORE)
    assert await refusal(voting, run.id, BEFORE) == BallotText.FIRST_IS_CLOSED


async def test_the_second_ballot_ends_at_its_time_even_before_it_is_counted(
    store: Store, run: Run, voting: PeopleVoting
) -> None:
    await note(store, run, EventType.BALLOT_OPENED, AFTER, closes_at=NOW)
    assert await refusal(voting, run.id, AFTER) == BallotText.SECOND_IS_CLOSED


async def test_a_ballot_whose_place_is_gone_is_counted_without_names(
    store: Store, run: Run, voting: PeopleVoting
) -> None:
    for when, closes_at in ((BEFORE, NOW), (AFTER, NOW + 60)):
        await note(store, run, EventType.BALLOT_OPENED, when, closes_at=closes_at)
        await voting.vote(run.id, when, 0, ADA)
    await voting.vote(run.id, AFTER, 1, BEN)
    await voting.abandon()

    def counted(when: BallotTime) -> Any:
        return lambda conn: events.find(conn, run.id, EventType.BALLOT_CLOSED, when)

    before, after = [await store.read(counted(when)) for when in (BEFORE, AFTER)]
    assert (before["votes"], after["votes"]) == ([1, 0], [1, 1])
    assert (after["twice"], after["changed"]) == (1, 0)
    assert str(ADA) not in str(after)
    assert await refusal(voting, run.id, AFTER) == BallotText.SECOND_IS_CLOSED
