"""From a gateway to workers: every event once and in order, and what servers look like."""

import asyncio
import json
import time
from dataclasses import replace

import pytest
from sqlalchemy import Connection

from bot.errors import InUseError, UnavailableError
from bot.fleet.inbox import EventRelay
from bot.store import Store
from bot.store.engine.postgres_wakeups import Wakeups
from bot.store.erasure.erase import erase_person
from bot.store.fleet.inbox import InboxRepository, left_over
from bot.store.fleet.jobs import JOBS, WAKE, ServerJobs
from bot.store.fleet.server_states import ServerStates
from bot.store.fleet.shards import Shards
from bot.store.repositories.servers import ServerRepository
from bot.types.gateway_events import GatewayEvent, TakenEvent

pytestmark = pytest.mark.heavy

EVE = 4_000
HERE, THERE = (number << 22 for number in (2, 3))
"""Servers of the shards 0 and 1 of two."""


def said(number: int, author: int = EVE) -> GatewayEvent:
    """A message, as a gateway stores it."""
    return GatewayEvent(
        "MESSAGE_CREATE", json.dumps({"id": str(number)}), f"message:{number}", author
    )


def about(guild_id: int, event: str, **more: object) -> GatewayEvent:
    """A change of a server."""
    return GatewayEvent(event, json.dumps({"id": str(guild_id)} | more), server=guild_id)


async def added(store: Store, *heard: GatewayEvent) -> None:
    await store.write(lambda conn: InboxRepository(conn).add(heard))


async def states(store: Store, *servers: int) -> list[tuple[str, int]]:
    found = [await store.read(lambda conn, s=s: ServerStates(conn).of(s)) for s in servers]  # type: ignore[misc]
    return [(each.event, int(each.payload["id"])) for one in found for each in one or ()]


async def taken(store: Store, most: int = 10, *servers: int) -> list[TakenEvent]:
    return await store.write(lambda conn: InboxRepository(conn).take(most, servers or (0,)))


async def test_an_event_that_two_gateways_hear_is_taken_once_and_in_order(store: Store) -> None:
    """Issue 25, point 1: Discord's ids are the keys."""
    await added(store, said(1), said(2))
    await added(store, said(2), said(3))
    assert [each.payload["id"] for each in await taken(store)] == ["1", "2", "3"]
    assert await taken(store) == []


async def test_an_event_is_withdrawn_unless_the_worker_has_it(store: Store) -> None:
    await added(store, said(1), said(2))
    await taken(store, 1)
    for number, there in ((1, False), (2, True)):
        key = f"message:{number}"
        assert await store.write(lambda conn, k=key: InboxRepository(conn).withdraw(k)) is there  # type: ignore[misc]


async def test_forgetting_a_person_empties_the_inbox_of_their_words(store: Store) -> None:
    await added(store, said(1), said(2, author=5_000))
    await store.write(lambda conn: erase_person(conn, EVE, 0.0))
    assert [each.payload["id"] for each in await taken(store)] == ["2"]


async def test_a_worker_that_takes_a_server_learns_what_it_looks_like(store: Store) -> None:
    """A new description replaces what was known; a server that was left is not described."""
    await store.write(lambda conn: Shards(conn).agree(2, in_use=False))
    await added(store, about(HERE, "GUILD_CREATE"), about(HERE, "CHANNEL_CREATE"))
    await added(store, about(THERE, "GUILD_CREATE"), about(HERE, "GUILD_CREATE"))
    assert await states(store, HERE, THERE) == [("GUILD_CREATE", HERE), ("GUILD_CREATE", THERE)]
    await added(store, about(THERE, "GUILD_DELETE", unavailable=True))
    assert ("GUILD_CREATE", THERE) in await states(store, THERE)
    await added(store, about(THERE, "GUILD_DELETE"))
    assert await states(store, HERE, THERE) == [("GUILD_CREATE", HERE)]
    assert await store.read(left) == [THERE]
    await added(store, GatewayEvent("READY", json.dumps({"shard": [0, 2], "guilds": []})))
    assert await states(store, HERE) == []
    assert await store.read(left) == [HERE, THERE]
    await added(store, about(HERE, "GUILD_CREATE"))
    assert await store.read(left) == [THERE]


def left(conn: Connection) -> list[int]:
    """The servers that the bot is not in any more."""
    return list(ServerRepository(conn).left_before(10.0**12))


async def test_a_server_that_no_gateway_described_yet_is_told_from_one_that_was_left(
    store: Store,
) -> None:
    await store.write(lambda conn: Shards(conn).agree(2, in_use=False))
    assert await store.read(lambda conn: ServerStates(conn).of(HERE)) is None
    await added(store, GatewayEvent("READY", json.dumps({"shard": [0, 2], "guilds": []})))
    assert await store.read(lambda conn: ServerStates(conn).of(HERE)) == []
    assert await store.read(lambda conn: ServerStates(conn).of(THERE)) is None


async def test_after_an_identify_only_servers_that_may_have_missed_something_are_woken(
    store: Store,
) -> None:
    """Issue 25, point 3: a gateway that identifies again must not wake thousands of servers."""
    quiet, loud = HERE, HERE + (2 << 22)
    await store.write(lambda conn: Shards(conn).agree(2, in_use=False))
    now = int((time.time() - 1_420_070_400) * 1000) << 22
    written = {"channels": [{"last_message_id": str(now)}, {"last_message_id": None}]}
    await added(
        store, GatewayEvent("READY", json.dumps({"shard": [0, 2], "guilds": [quiet, loud]}))
    )
    await added(store, about(quiet, "GUILD_CREATE"), about(loud, "GUILD_CREATE", **written))
    assert await store.read(lambda conn: ServerJobs(conn).waiting()) == (0, 0.0)
    await added(store, GatewayEvent("SHARD_READY", json.dumps({"shard": 0, "of": 2})))
    (told,) = await taken(store, 10, quiet, loud)
    assert (told.server, told.event) == (loud, "SHARD_READY")
    assert told.payload["since"] > 1_700_000_000
    held = await store.write(lambda conn: ServerJobs(conn).take(member(conn)))
    assert (held is not None and held.server, held and held.interrupted) == (loud, False)


def member(conn: Connection) -> int:
    """A worker of the queue."""
    found: int = conn.exec_driver_sql(
        "SELECT worker_id FROM procrastinate_register_worker_v1()"
    ).scalar_one()
    return found


async def test_a_relay_wakes_whoever_listens(store: Store, url: str) -> None:
    guest = await Store.open(url, guest=True)
    relay, wakeups = EventRelay(guest), Wakeups(url, WAKE)
    running = asyncio.create_task(relay.run())
    await wakeups.wait()
    relay.put(replace(said(7), server=HERE))
    async with asyncio.timeout(10):
        while JOBS not in await wakeups.wait():
            pass
    (told,) = await taken(store, 10, HERE)
    assert (told.event, told.payload, told.age < 5) == ("MESSAGE_CREATE", {"id": "7"}, True)
    running.cancel()
    await wakeups.close()
    await guest.close()


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


def marked(number: int, session: str, seq: int) -> GatewayEvent:
    """A message, as the event `seq` of a session of shard 0."""
    mark = (0, session, seq)
    return GatewayEvent(
        "MESSAGE_CREATE", json.dumps({"id": str(number)}), f"message:{number}", mark=mark
    )


def begun(session: str, seq: int) -> tuple[GatewayEvent, GatewayEvent]:
    """Shard 0 identified, and its servers were described with the event `seq`."""
    ready = json.dumps({"shard": [0, 1], "guilds": [], "session": session})
    described = {"shard": 0, "of": 1, "resume": (session, seq, "wss://there")}
    return GatewayEvent("READY", ready), GatewayEvent("SHARD_READY", json.dumps(described))


async def test_an_event_that_is_replayed_to_another_gateway_is_stored_once(store: Store) -> None:
    """Issue 25, point 3: also when a worker has taken it meanwhile, so its key is gone."""
    await store.write(lambda conn: Shards(conn).agree(1, in_use=False))
    await added(store, *begun("a", 2), marked(1, "a", 3), marked(2, "a", 5))
    assert [each.payload["id"] for each in await taken(store, 10, 0)] == ["1", "2"]
    await added(store, marked(1, "a", 3), marked(2, "a", 5), marked(3, "a", 6))
    assert [each.payload["id"] for each in await taken(store, 10, 0)] == ["3"]
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
    assert [each.payload["id"] for each in await taken(store, 10, 0)] == ["1", "2"]


async def test_events_that_waited_for_one_worker_are_kept_when_there_are_several(url: str) -> None:
    """A database of the version before: what it holds belongs to no server yet."""
    before = await Store.open(url)
    for statement in (
        "DROP INDEX inbox_by_guild",
        "ALTER TABLE inbox DROP COLUMN guild_id, DROP COLUMN taken_at",
        "DROP TABLE workers",
        "DELETE FROM schema_version WHERE version = 16",
        "INSERT INTO inbox (event, author_id, payload, received_at) VALUES ('X', 0, '{}', 0)",
    ):
        await before.write(lambda conn, sql=statement: conn.exec_driver_sql(sql))  # type: ignore[misc]
    await before.close()
    worker = await Store.open(url, shared=True)
    assert await worker.read(lambda conn: left_over(conn, 0.0)) == {0}
    assert [each.event for each in await taken(worker)] == ["X"]
    await worker.close()
