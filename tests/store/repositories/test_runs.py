"""Runs are found again by topic, thread and state, and never started twice."""

import asyncio
import re
from dataclasses import replace

import pytest

from bot.store import DuplicateRunError, EventType, MissingRowError, Phase, Status, Store, move
from bot.store.log import events
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from tests.store.conftest import Clock, conclude, in_mode, request_for, start_run


async def fail(store: Store, run: Run) -> None:
    await store.write(
        lambda c: move(
            c, run.id, run.phase, Phase.FAILED, Actor.ORCHESTRATOR, "stopped", store.now()
        )
    )


async def test_a_new_run_is_a_draft_with_its_creation_in_the_log(store: Store, run: Run) -> None:
    """C26, 2.3."""
    assert re.fullmatch(r"rt_[0-9a-f]{8}", run.id)
    assert (run.phase, run.status, run.attempt) == (Phase.SPEC_DRAFT, Status.ACTIVE, 0)
    log = await store.read(lambda conn: events.history(conn, run.id))
    assert [(event.type, event.actor) for event in log] == [
        (EventType.TASK_CREATED, Actor.ORCHESTRATOR)
    ]


async def test_the_log_holds_no_word_of_the_topic(store: Store, run: Run) -> None:
    """design.md 4."""
    (created,) = await store.read(lambda conn: events.history(conn, run.id))
    assert "spaces" not in str(created.payload)


async def test_of_many_simultaneous_starters_one_wins_and_the_rest_get_its_run(
    store: Store,
) -> None:
    """2.2#13."""
    new = request_for()
    started = await asyncio.gather(
        *(
            store.write(lambda conn: RunRepository(conn).start(new, Actor.ORCHESTRATOR, 1.0))
            for _ in range(20)
        )
    )
    assert sum(start.created for start in started) == 1
    assert len({start.run.id for start in started}) == 1
    assert len(await store.read(lambda conn: RunListRepository(conn).unfinished())) == 1


async def test_a_second_insert_names_the_open_run(store: Store, run: Run) -> None:
    """2.2#13."""
    with pytest.raises(DuplicateRunError) as refused:
        await store.write(
            lambda conn: RunRepository(conn).insert(request_for(), Actor.ORCHESTRATOR, 1.0)
        )
    assert refused.value.existing_id == run.id


@pytest.mark.parametrize("change", ["mode", "generation", "channel", "guild", "topic"])
async def test_another_mode_place_topic_or_generation_is_another_run(
    store: Store, run: Run, change: str
) -> None:
    """E27, 2.2#13."""
    new = request_for()
    others = {
        "mode": in_mode(new, Mode.VOTE),
        "generation": request_for(generation=1),
        "channel": replace(new, place=replace(new.place, output_channel_id=21)),
        "guild": replace(new, place=replace(new.place, guild_id=2)),
        "topic": request_for("Vim or Emacs?"),
    }
    assert (await start_run(store, others[change])).id != run.id


async def test_a_finished_run_frees_its_topic(store: Store, run: Run) -> None:
    await fail(store, run)
    assert (await start_run(store)).id != run.id


async def test_a_concluded_run_is_still_found_as_recent(
    store: Store, run: Run, clock: Clock
) -> None:
    """E25, 2.2#13."""
    await conclude(store, run)
    day_ago = clock.now - 86_400
    found = await store.read(lambda conn: RunRepository(conn).find_recent(run.topic_place, day_ago))
    assert found is not None
    assert found.id == run.id


async def test_a_failed_run_is_not_found_as_recent(store: Store, run: Run) -> None:
    """2.2#13: a failed run is retried, it is no answer."""
    await fail(store, run)
    assert await store.read(lambda c: RunRepository(c).find_recent(run.topic_place, 0.0)) is None


async def test_an_old_concluded_run_is_not_recent(store: Store, run: Run, clock: Clock) -> None:
    """E27."""
    await conclude(store, run)
    since = clock.now + 1
    assert await store.read(lambda c: RunRepository(c).find_recent(run.topic_place, since)) is None


async def test_run_it_anyway_takes_the_next_generation(store: Store, run: Run) -> None:
    """2.2#13."""
    await start_run(store, request_for(generation=1))
    assert await store.read(lambda conn: RunRepository(conn).next_generation(run.topic_place)) == 2
    unheard = replace(run.topic_place, topic_key="nobody asked this")
    assert await store.read(lambda conn: RunRepository(conn).next_generation(unheard)) == 0


async def test_a_run_is_found_by_its_thread(store: Store, run: Run) -> None:
    await store.write(lambda conn: RunRepository(conn).set_place(run.id, 501, 502, 1.0))
    found = await store.read(lambda conn: RunRepository(conn).by_thread(502))
    assert found is not None
    assert (found.id, found.anchor_id) == (run.id, 501)


async def test_the_newest_run_of_a_thread_is_the_one_found(
    store: Store, run: Run, clock: Clock
) -> None:
    clock.now += 5
    second = await start_run(store, request_for(generation=1))
    await store.write(lambda conn: RunRepository(conn).set_place(run.id, 1, 502, 1.0))
    await store.write(lambda conn: RunRepository(conn).set_place(second.id, 1, 502, 1.0))
    found = await store.read(lambda conn: RunRepository(conn).by_thread(502))
    assert found is not None
    assert found.id == second.id


async def test_unfinished_runs_survive_a_restart(store: Store, run: Run) -> None:
    """2.3."""
    done = await start_run(store, request_for(generation=1))
    await fail(store, done)
    await store.close()
    again = await Store.open(store.where)
    left = await again.read(lambda conn: RunListRepository(conn).unfinished())
    await again.close()
    assert left == (run,)


async def test_a_persons_runs_and_a_servers_newest_runs_can_be_listed(
    store: Store, run: Run, clock: Clock
) -> None:
    clock.now += 1
    newer = await start_run(store, request_for(generation=1))
    mine = await store.read(lambda conn: RunListRepository(conn).of_starter(run.starter_id))
    assert [each.id for each in mine] == [newer.id, run.id]
    newest = await store.read(lambda conn: RunListRepository(conn).recent(run.guild_id, 1))
    assert [each.id for each in newest] == [newer.id]


async def test_changing_a_run_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(MissingRowError):
        await store.write(lambda conn: RunRepository(conn).set_reason("rt_00000000", "why", 1.0))
