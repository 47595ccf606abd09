"""The outbox keeps parts whole, in order and known by their message."""

import pytest
from sqlalchemy import Connection

from bot.store import ConflictError, EventType, PostKind, PostState, Store
from bot.store.log import events
from bot.store.repositories import posts
from bot.store.repositories.posts import (
    AttachmentRef,
    NewPart,
    PartRef,
    PostPart,
    PostRepository,
    nonce_of,
)
from bot.store.repositories.runs import Run
from bot.store.vocabulary import Actor
from tests.store.conftest import request_for, start_run

SPEAKER = {"name": "Ada", "seat": "analyst"}
THREAD = 900


def put(
    conn: Connection, run: Run, key: str, *bodies: str, now: float = 1.0, target: int = THREAD
) -> tuple[PostPart, ...]:
    parts = [NewPart(body, (AttachmentRef("full.md", "artifact:art_1"),)) for body in bodies]
    return PostRepository(conn).enqueue(run.id, key, target, PostKind.WEBHOOK, SPEAKER, parts, now)


async def send(store: Store, ref: PartRef, message_id: int) -> bool:
    await store.write(lambda conn: PostRepository(conn).mark_sending(ref, 2.0))
    return await store.write(
        lambda conn: PostRepository(conn).mark_sent(ref, message_id, Actor.ORCHESTRATOR, 3.0)
    )


async def unsent(store: Store, target: int = THREAD) -> tuple[PostPart, ...]:
    return await store.read(lambda conn: PostRepository(conn).unsent(target))


def test_a_nonce_is_stable_short_and_of_its_part_alone() -> None:
    """providers.md 3.1."""
    assert nonce_of("rt_00000001", "r1:analyst", 1) == "ckgbnvwzdk54nivglj7h6sib5"
    others = {nonce_of("rt_00000001", "r1:analyst", part) for part in range(100)}
    assert len(others) == 100
    assert {len(nonce) for nonce in others} == {25}
    assert all(nonce.islower() and nonce.isalnum() for nonce in others)


async def test_a_post_is_split_once_and_a_retry_sends_the_same_bytes(
    store: Store, run: Run
) -> None:
    """providers.md 3.1."""
    first = await store.write(lambda conn: put(conn, run, "r1:analyst", "one", "two"))
    again = await store.write(lambda conn: put(conn, run, "r1:analyst", "other", "words", "now"))
    assert again == first
    assert [(part.part, part.body, part.state) for part in first] == [
        (1, "one", PostState.PENDING),
        (2, "two", PostState.PENDING),
    ]
    assert first[0].attachments == (AttachmentRef("full.md", "artifact:art_1"),)
    assert first[0].speaker == SPEAKER


async def test_parts_come_out_in_the_order_they_were_written(store: Store, run: Run) -> None:
    await store.write(lambda conn: put(conn, run, "z-first", "1", "2"))
    await store.write(lambda conn: put(conn, run, "a-second", "3"))
    bodies = []
    while waiting := await unsent(store):
        bodies.append(waiting[0].body)
        await send(store, waiting[0].ref, 100 + len(bodies))
    assert bodies == ["1", "2", "3"]


async def test_a_part_of_unknown_outcome_holds_back_the_next(store: Store, run: Run) -> None:
    first, _ = await store.write(lambda conn: put(conn, run, "k", "1", "2"))
    await store.write(lambda conn: PostRepository(conn).mark_sending(first.ref, 2.0))
    assert [(part.body, part.state) for part in await unsent(store)] == [
        ("1", PostState.SENDING),
        ("2", PostState.PENDING),
    ]


async def test_a_failed_part_lets_the_next_one_go(store: Store, run: Run) -> None:
    first, _ = await store.write(lambda conn: put(conn, run, "k", "1", "2"))
    await store.write(lambda conn: PostRepository(conn).mark_failed(first.ref, "403 Forbidden"))
    assert [part.body for part in await unsent(store)] == ["2"]


async def test_threads_do_not_wait_for_each_other(store: Store, run: Run) -> None:
    other = await start_run(store, request_for("Vim or Emacs?"))
    stuck, *_ = await store.write(lambda conn: put(conn, run, "k", "here"))
    await store.write(lambda conn: put(conn, other, "k", "there", target=901))
    await store.write(lambda conn: PostRepository(conn).mark_sending(stuck.ref, 2.0))
    assert [part.body for part in await unsent(store, 901)] == ["there"]


async def test_a_sent_part_is_logged_and_known_by_its_message(store: Store, run: Run) -> None:
    """2.2#35: attribution by message id."""
    part, *_ = await store.write(lambda conn: put(conn, run, "r2:analyst", "one"))
    assert await send(store, part.ref, 777)
    origin = await store.read(lambda conn: PostRepository(conn).find_by_message_id(777))
    assert origin == posts.PostOrigin(run.id, "r2:analyst", "analyst")
    sent = await store.read(lambda c: events.find(c, run.id, EventType.POST_SENT, "r2:analyst#1"))
    assert sent == {"message_id": 777, "target_id": THREAD}


async def test_marking_a_part_sent_twice_changes_nothing(store: Store, run: Run) -> None:
    part, *_ = await store.write(lambda conn: put(conn, run, "k", "one"))
    await send(store, part.ref, 777)
    assert not await store.write(
        lambda conn: PostRepository(conn).mark_sent(part.ref, 777, Actor.ORCHESTRATOR, 9.0)
    )


async def test_a_part_that_is_out_cannot_be_sent_lost_or_become_another_message(
    store: Store, run: Run
) -> None:
    part, *_ = await store.write(lambda conn: put(conn, run, "k", "one"))
    await send(store, part.ref, 777)
    with pytest.raises(ConflictError):
        await store.write(lambda conn: PostRepository(conn).mark_sending(part.ref, 9.0))
    with pytest.raises(ConflictError):
        await store.write(lambda conn: PostRepository(conn).mark_failed(part.ref, "no"))
    with pytest.raises(ConflictError):
        await store.write(
            lambda conn: PostRepository(conn).mark_sent(part.ref, 778, Actor.ORCHESTRATOR, 9.0)
        )


async def test_an_unknown_message_belongs_to_nobody(store: Store) -> None:
    assert await store.read(lambda conn: PostRepository(conn).find_by_message_id(1)) is None
