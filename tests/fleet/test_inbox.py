"""From a gateway to the worker: every event once and in order, and what servers look like."""

import asyncio
import json

import pytest

from bot.errors import InUseError, UnavailableError
from bot.fleet.inbox import EventRelay, InboxFeed
from bot.store import Store
from bot.store.erasure.erase import erase_person
from bot.store.repositories.fleet import Heard, InboxRepository, ServerStates, Shards

EVE = 4_000
HERE, THERE = (number << 22 for number in (2, 3))
"""Servers of the shards 0 and 1 of two."""


def said(number: int, author: int = EVE) -> Heard:
    """A message, as a gateway stores it."""
    return Heard("MESSAGE_CREATE", json.dumps({"id": str(number)}), f"message:{number}", author)


def about(guild_id: int, event: str, **more: object) -> Heard:
    """A change of a server."""
    return Heard(event, json.dumps({"id": str(guild_id)} | more), guild_id=guild_id)


async def added(store: Store, *heard: Heard) -> None:
    await store.write(lambda conn: InboxRepository(conn).add(heard))


async def states(store: Store) -> list[tuple[str, int]]:
    found = await store.read(lambda conn: ServerStates(conn).all())
    return [(each.event, int(each.payload["id"])) for each in found]


async def test_an_event_that_two_gateways_hear_is_taken_once_and_in_order(store: Store) -> None:
    """Issue 25, point 1: Discord's ids are the keys."""
    await added(store, said(1), said(2))
    await added(store, said(2), said(3))
    taken = await store.write(lambda conn: InboxRepository(conn).take(10))
    assert [each.payload["id"] for each in taken] == ["1", "2", "3"]
    assert await store.write(lambda conn: InboxRepository(conn).take(10)) == []


async def test_an_event_is_withdrawn_unless_the_worker_has_it(store: Store) -> None:
    await added(store, said(1), said(2))
    await store.write(lambda conn: InboxRepository(conn).take(1))
    for number, there in ((1, False), (2, True)):
        key = f"message:{number}"
        assert await store.write(lambda conn, k=key: InboxRepository(conn).withdraw(k)) is there  # type: ignore[misc]


async def test_forgetting_a_person_empties_the_inbox_of_their_words(store: Store) -> None:
    await added(store, said(1), said(2, author=5_000))
    await store.write(lambda conn: erase_person(conn, EVE, 0.0))
    taken = await store.write(lambda conn: InboxRepository(conn).take(10))
    assert [each.payload["id"] for each in taken] == ["2"]


async def test_a_worker_that_starts_learns_what_servers_look_like(store: Store) -> None:
    """A new description replaces what was known; a server that was left is not described."""
    await store.write(lambda conn: Shards(conn).agree(2, in_use=False))
    await added(store, about(HERE, "GUILD_CREATE"), about(HERE, "CHANNEL_CREATE"))
    await added(store, about(THERE, "GUILD_CREATE"), about(HERE, "GUILD_CREATE"))
    assert await states(store) == [("GUILD_CREATE", THERE), ("GUILD_CREATE", HERE)]
    await added(store, about(THERE, "GUILD_DELETE", unavailable=True))
    assert ("GUILD_CREATE", THERE) in await states(store)
    await added(store, about(THERE, "GUILD_DELETE"))
    assert await states(store) == [("GUILD_CREATE", HERE)]
    ready = json.dumps({"shard": [0, 2], "guilds": []})
    await added(store, Heard("READY", ready))
    assert await states(store) == []


async def test_a_worker_waits_until_every_shard_is_known_and_is_told_since_when_one_was_away(
    store: Store,
) -> None:
    await store.write(lambda conn: Shards(conn).agree(2, in_use=False))
    feed = InboxFeed(store)
    waiting = asyncio.create_task(feed.servers())
    for shard in range(2):
        assert not waiting.done()
        ready = json.dumps({"shard": [shard, 2], "guilds": []})
        described = json.dumps({"shard": shard, "of": 2})
        await added(store, Heard("READY", ready), Heard("SHARD_READY", described))
    assert await asyncio.wait_for(waiting, 10) == []
    told = await feed.next()
    assert [each.payload["shard"] for each in told] == [0, 1]
    assert all(each.payload["since"] > 1_700_000_000 for each in told)
    await feed.close()


async def test_a_relay_wakes_the_feed_of_another_process(store: Store, url: str) -> None:
    guest = await Store.open(url, guest=True)
    relay, feed = EventRelay(guest), InboxFeed(store)
    running = asyncio.create_task(relay.run())
    waiting = asyncio.create_task(feed.next())
    relay.put("MESSAGE_CREATE", {"id": "7"}, key="message:7")
    (taken,) = await asyncio.wait_for(waiting, 10)
    assert (taken.event, taken.payload, taken.age < 5) == ("MESSAGE_CREATE", {"id": "7"}, True)
    running.cancel()
    await feed.close()
    await guest.close()


async def test_an_interaction_is_handled_once_and_never_late(store: Store) -> None:
    feed = InboxFeed(store)
    press = Heard("INTERACTION_CREATE", json.dumps({"id": "9"}), "interaction:9")
    await added(store, press)
    assert len(await feed.next()) == 1
    await added(store, press)
    assert await feed.next() == []
    old = Heard("INTERACTION_CREATE", json.dumps({"id": "10"}), "interaction:10")
    await added(store, old)
    earlier = "UPDATE inbox SET received_at = received_at - 10"
    await store.write(lambda conn: conn.exec_driver_sql(earlier))
    assert await feed.next() == []
    await feed.close()


async def test_a_guest_waits_for_the_worker_to_migrate_and_a_second_worker_is_refused(
    url: str,
) -> None:
    """Issue 25, point 6: a process of another schema version refuses with a sentence."""
    with pytest.raises(UnavailableError, match="start `roundtable worker` of this version first"):
        await Store.open(url, guest=True)
    worker = await Store.open(url)
    guest = await Store.open(url, guest=True)
    with pytest.raises(InUseError):
        await Store.open(url)
    await guest.close()
    await worker.write(
        lambda conn: conn.exec_driver_sql("INSERT INTO schema_version VALUES (99, 0, 1)")
    )
    with pytest.raises(UnavailableError, match="written by a newer Roundtable"):
        await Store.open(url, guest=True)
    await worker.close()


def marked(number: int, session: str, seq: int) -> Heard:
    """A message, as the event `seq` of a session of shard 0."""
    mark = (0, session, seq)
    return Heard("MESSAGE_CREATE", json.dumps({"id": str(number)}), f"message:{number}", mark=mark)


def begun(session: str, seq: int) -> tuple[Heard, Heard]:
    """Shard 0 identified, and its servers were described with the event `seq`."""
    ready = json.dumps({"shard": [0, 1], "guilds": [], "session": session})
    described = {"shard": 0, "of": 1, "resume": (session, seq, "wss://there")}
    return Heard("READY", ready), Heard("SHARD_READY", json.dumps(described))


async def test_an_event_that_is_replayed_to_another_gateway_is_stored_once(store: Store) -> None:
    """Issue 25, point 3: also when a worker has taken it meanwhile, so its key is gone."""
    await store.write(lambda conn: Shards(conn).agree(1, in_use=False))
    await added(store, *begun("a", 2), marked(1, "a", 3), marked(2, "a", 5))
    taken = await store.write(lambda conn: InboxRepository(conn).take(10))
    assert [each.payload.get("id") for each in taken] == [None, "1", "2"]
    assert "resume" not in taken[0].payload
    await added(store, marked(1, "a", 3), marked(2, "a", 5), marked(3, "a", 6))
    taken = await store.write(lambda conn: InboxRepository(conn).take(10))
    assert [each.payload["id"] for each in taken] == ["3"]
    assert await store.read(lambda conn: Shards(conn).session(0)) == ("a", 6, "wss://there")


async def test_a_session_is_resumed_only_once_its_servers_are_described(store: Store) -> None:
    """What an older session heard last is stored and does not bring that session back."""
    await store.write(lambda conn: Shards(conn).agree(1, in_use=False))
    assert await store.read(lambda conn: Shards(conn).session(0)) is None
    await added(store, *begun("a", 2), marked(1, "a", 3))
    ready, described = begun("b", 1)
    await added(store, ready)
    assert await store.read(lambda conn: Shards(conn).session(0)) is None
    await added(store, marked(2, "a", 4))
    await added(store, described)
    assert await store.read(lambda conn: Shards(conn).session(0)) == ("b", 1, "wss://there")
    taken = await store.write(lambda conn: InboxRepository(conn).take(10))
    assert [each.payload["id"] for each in taken if "id" in each.payload] == ["1", "2"]
