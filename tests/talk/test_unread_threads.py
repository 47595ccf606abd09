"""Which threads are read after an absence, and from where."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.store import InboundKind, Phase, PostKind, Store, move
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.posts import NewPart, PartRef, PostRepository
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor
from bot.talk.incoming import Unread, moment_id, unread_threads
from tests.store.conftest import request_for

MARGIN_SECONDS = 120.0
MOST_THREADS = 50
REMEMBERED_SECONDS = 7 * 24 * 3600.0

NOW = 1_800_000_000.0
OPENED = moment_id(NOW - 3600)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "roundtable.db", clock=lambda: NOW)
    yield opened
    await opened.close()


def start(conn: Connection, topic: str, thread_id: int | None, ended: float | None = None) -> str:
    run = RunRepository(conn).insert(request_for(topic), Actor.ORCHESTRATOR, NOW - 3600)
    RunRepository(conn).set_place(run.id, thread_id, thread_id, NOW)
    if ended is not None:
        move(conn, run.id, run.phase, Phase.FAILED, Actor.ORCHESTRATOR, "over", ended)
    return run.id


async def found(store: Store, away_since: float | None = None) -> tuple[Unread, ...]:
    return await store.read(lambda conn: unread_threads(conn, NOW, away_since))


async def test_live_threads_come_first_and_old_ones_and_channels_are_left_alone(
    store: Store,
) -> None:
    def work(conn: Connection) -> None:
        start(conn, "over", OPENED + 1, ended=NOW - 60)
        start(conn, "live", OPENED + 2)
        start(conn, "in the channel itself", None)
        start(conn, "long over", OPENED + 3, ended=NOW - REMEMBERED_SECONDS - 1)

    await store.write(work)
    assert [(u.thread_id, u.live) for u in await found(store)] == [
        (OPENED + 2, True),
        (OPENED + 1, False),
    ]


async def test_two_runs_of_one_thread_are_read_once_and_as_live(store: Store) -> None:
    def work(conn: Connection) -> None:
        start(conn, "over", OPENED, ended=NOW - 60)
        start(conn, "held again", OPENED)

    await store.write(work)
    (unread,) = await found(store)
    assert unread.live


async def test_reading_begins_a_little_before_the_last_sign_of_life(store: Store) -> None:
    """The bot's own last post or the last words it kept, whichever came later."""
    spoke, heard = moment_id(NOW - 1200), moment_id(NOW - 600)

    def work(conn: Connection) -> str:
        name = start(conn, "live", OPENED)
        PostRepository(conn).enqueue(
            name, "r1:a", OPENED, PostKind.BOT, {}, [NewPart("Hello.")], NOW
        )
        PostRepository(conn).mark_sent(PartRef(name, "r1:a", 1), spoke, Actor.ORCHESTRATOR, NOW)
        return name

    name = await store.write(work)
    (unread,) = await found(store)
    assert unread.after == moment_id(NOW - 1200 - MARGIN_SECONDS)
    kept = InboundMessage(heard, OPENED, 1, 2, "Hi.", NOW, InboundKind.FLOOR, name)
    await store.write(lambda conn: InboundRepository(conn).remember(kept, NOW))
    (unread,) = await found(store)
    assert unread.after == moment_id(NOW - 600 - MARGIN_SECONDS)
    (unread,) = await found(store, away_since=NOW - 300)
    assert unread.after == moment_id(NOW - 300 - MARGIN_SECONDS)


async def test_nothing_is_read_from_before_the_thread_and_not_of_too_many(store: Store) -> None:
    def work(conn: Connection) -> None:
        for number in range(MOST_THREADS + 5):
            start(conn, f"topic {number}", OPENED + number)

    await store.write(work)
    unread = await found(store)
    assert len(unread) == MOST_THREADS
    assert all(thread.after == thread.thread_id for thread in unread)
