"""Decisions in the store: asked about by one process, answered, told, and forgettable."""

import asyncio

from bot.store import EventType, Store
from bot.store.log import events
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.runs import Run

FACTS = {"mode": "vote", "rehearsal": False, "panel": 0}


async def test_one_process_asks_and_another_takes_over_when_it_died(store: Store, run: Run) -> None:
    """Issue 24, 5: claimed in a transaction, for a fleet as well."""
    await store.write(
        lambda c: DecisionRepository(c).schedule(run.id, run.guild_id, 100.0, 50.0, 1.0)
    )
    assert await store.write(lambda c: DecisionRepository(c).claim(99.0, 150.0)) is None
    assert await store.read(lambda c: DecisionRepository(c).next_due()) == 100.0
    claims = await asyncio.gather(
        *(store.write(lambda c: DecisionRepository(c).claim(100.0, 150.0)) for _ in range(5))
    )
    (mine,) = [claim for claim in claims if claim is not None]
    assert await store.read(lambda c: DecisionRepository(c).next_due()) == 150.0
    again = await store.write(lambda c: DecisionRepository(c).claim(151.0, 200.0))
    assert again == mine, "the first one died before it noted anything"
    await store.write(lambda c: DecisionRepository(c).note_asked(mine, 152.0))
    assert await store.read(lambda c: DecisionRepository(c).next_due()) is None
    kept = await store.read(lambda c: DecisionRepository(c).get(run.id))
    assert kept
    assert (kept.asked, kept.look_at, kept.pause) == (1, None, 50.0)


async def test_a_time_chosen_while_the_question_goes_out_stays(store: Store, run: Run) -> None:
    await store.write(
        lambda c: DecisionRepository(c).schedule(run.id, run.guild_id, 100.0, 50.0, 1.0)
    )
    mine = await store.write(lambda c: DecisionRepository(c).claim(100.0, 150.0))
    assert mine
    await store.write(
        lambda c: DecisionRepository(c).schedule(run.id, run.guild_id, 300.0, 50.0, 101.0)
    )
    await store.write(lambda c: DecisionRepository(c).note_asked(mine, 102.0))
    kept = await store.read(lambda c: DecisionRepository(c).get(run.id))
    assert kept
    assert (kept.asked, kept.look_at) == (1, 300.0), "the next question has another number"


async def test_the_last_answer_holds_and_every_one_is_told(store: Store, run: Run) -> None:
    for answer, now in (("0", 10.0), ("1", 20.0)):
        await store.write(
            lambda c, a=answer, n=now: DecisionRepository(c).resolve(  # type: ignore[misc]
                run.id, run.guild_id, a, 7, FACTS, n
            )
        )
    assert await store.read(lambda c: DecisionRepository(c).untold(15.0)) == ()
    (late,) = await store.read(lambda c: DecisionRepository(c).untold(30.0))
    assert (late.answer, late.answers, late.answered_by, late.facts) == ("1", 2, 7, FACTS)
    await store.write(lambda c: DecisionRepository(c).note_told(run.id, late.answers))
    assert await store.read(lambda c: DecisionRepository(c).untold(30.0)) == ()
    told = await store.read(lambda c: events.history(c, run.id, EventType.DECISION_RESOLVED))
    assert [event.key for event in told] == ["answer#1", "answer#2"]
    await store.write(lambda c: DecisionRepository(c).forget(7))
    kept = await store.read(lambda c: DecisionRepository(c).get(run.id))
    assert kept
    assert (kept.answer, kept.answered_by) == ("1", None)


async def test_an_abandoned_or_erased_run_is_not_asked_about(store: Store, run: Run) -> None:
    for let_go in (
        lambda c: DecisionRepository(c).abandon(),
        lambda c: DecisionRepository(c).forget_run(run.id),
    ):
        await store.write(
            lambda c: DecisionRepository(c).schedule(run.id, run.guild_id, 100.0, None, 1.0)
        )
        await store.write(let_go)
        assert await store.read(lambda c: DecisionRepository(c).next_due()) is None
