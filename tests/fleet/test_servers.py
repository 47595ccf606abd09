"""Who holds which server: one worker at a time, nothing lost and nothing heard twice."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from sqlalchemy import Connection

from bot.errors import AwayError, UnavailableError
from bot.fleet.servers import ServerFeed
from bot.store import Store
from bot.store.fleet.inbox import InboxRepository
from bot.store.fleet.jobs import CHORES, HeldServer, ServerJobs
from bot.store.fleet.server_states import ServerStates
from bot.store.fleet.shards import Shards
from bot.types.gateway_events import GatewayEvent, TakenEvent

SERVERS = [number << 22 for number in range(1, 7)]


def said(number: int, server: int) -> GatewayEvent:
    """A message, as a gateway stores it."""
    return GatewayEvent(
        "MESSAGE_CREATE", json.dumps({"id": str(number)}), f"message:{number}", 1, server=server
    )


@dataclass
class Port:
    """A worker that only listens."""

    busy: bool = False
    failing: int = 0
    due: float | None = None
    held: dict[int, bool] = field(default_factory=dict)
    adopted: list[int] = field(default_factory=list)
    heard: list[tuple[int, int]] = field(default_factory=list)

    async def adopt(self, server: int, states: Sequence[TakenEvent], *, interrupted: bool) -> None:
        self.held[server] = interrupted
        if server > 0 and self.failing:
            self.failing -= 1
            raise RuntimeError("it broke")
        self.adopted.append(server)

    def hear(self, told: TakenEvent) -> None:
        assert told.server in self.held
        self.heard.append((told.server, int(told.payload["id"])))

    def is_busy(self, server: int) -> bool:
        return self.busy

    async def next_due(self, server: int) -> float | None:
        return self.due

    async def let_go(self, server: int) -> None:
        del self.held[server]


@pytest.fixture
async def gateway(url: str) -> AsyncIterator[Store]:
    """Where events are stored, in servers that were described."""
    worker = await Store.open(url, shared=True)
    await worker.write(lambda conn: ServerJobs(conn).leave(worker.member or 0, ()))
    opened = await Store.open(url, guest=True)
    await opened.write(lambda conn: Shards(conn).agree(1, in_use=False))
    ready = {"shard": [0, 1], "guilds": SERVERS}
    await put(opened, GatewayEvent("READY", json.dumps(ready)))
    yield opened
    await opened.close()
    await worker.close()


async def put(store: Store, *heard: GatewayEvent) -> None:
    await store.write(lambda conn: InboxRepository(conn).add(heard))


@asynccontextmanager
async def working(url: str, port: Port, *, restless: bool = False) -> AsyncIterator[ServerFeed]:
    """A worker of its own; a restless one lets go of whatever is quiet, all the time."""
    store = await Store.open(url, shared=True)
    feed = ServerFeed(store, linger=0.0, every=0.0) if restless else ServerFeed(store)
    running = asyncio.create_task(feed.run(port))
    try:
        yield feed
    finally:
        await feed.drain(port)
        await asyncio.wait_for(running, 30)
        await feed.close()
        await store.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that nobody tells."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 (nobody tells)
            await asyncio.sleep(0.01)


async def test_two_workers_share_the_servers_and_each_has_one_holder(
    url: str, gateway: Store
) -> None:
    """Issue 25, points 1 and 2: every event once, in order, by the one that holds its server."""
    one, two = Port(), Port()
    async with working(url, one), working(url, two):
        await put(gateway, *(said(number, server) for number, server in enumerate(SERVERS)))
        await until(lambda: len(one.heard) + len(two.heard) == len(SERVERS))
        assert one.held.keys() - {CHORES}
        assert two.held.keys() - {CHORES}
        assert not one.held.keys() & two.held.keys()
        assert (one.held.keys() | two.held.keys()) == {CHORES, *SERVERS}
        again = [said(100 + number, server) for number, server in enumerate(SERVERS * 20)]
        await put(gateway, *again)
        await until(lambda: len(one.heard) + len(two.heard) == 7 * 3 * len(SERVERS))
    for port in (one, two):
        assert len(set(port.heard)) == len(port.heard)
        for server in port.held:
            numbers = [number for where, number in port.heard if where == server]
            assert numbers == sorted(numbers)


@pytest.mark.parametrize("step", ["states", "adopting"])
async def test_an_outage_while_a_server_is_taken_does_not_lose_it(
    url: str, gateway: Store, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The job is this worker's by then, so nobody else would take it."""
    usual, outages = ServerStates.of, [AwayError("away")]

    def of(states: ServerStates, server: int) -> list[TakenEvent] | None:
        if step == "states" and outages:
            raise outages.pop()
        return usual(states, server)

    def postpone(*_: object) -> None:
        raise outages.pop()

    monkeypatch.setattr(ServerStates, "of", of)
    monkeypatch.setattr(ServerJobs, "postpone", postpone)
    port = Port(failing=1 if step == "adopting" else 0)
    async with working(url, port):
        await put(gateway, said(1, SERVERS[0]))
        await until(lambda: port.heard == [(SERVERS[0], 1)])
    assert outages == []


async def test_an_outage_while_a_server_is_let_go_does_not_lose_it(
    url: str, gateway: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the worker gave up without telling is taken again."""
    usual, outages = ServerJobs.end, [AwayError("away")]

    def end(jobs: ServerJobs, held: HeldServer, seconds: float | None) -> bool:
        if held.server > 0 and outages:
            raise outages.pop()
        return usual(jobs, held, seconds)

    monkeypatch.setattr(ServerJobs, "end", end)
    port = Port()
    async with working(url, port, restless=True):
        await put(gateway, said(1, SERVERS[0]))
        await until(lambda: not outages)
        await put(gateway, said(2, SERVERS[0]))
        await until(lambda: (SERVERS[0], 2) in port.heard)
    assert (SERVERS[0], 1) in port.heard


async def test_no_event_is_lost_between_a_holder_that_lets_go_and_the_next(
    url: str, gateway: Store
) -> None:
    """The last look at the inbox and the end of the job are one transaction."""
    one, two = Port(), Port()
    async with working(url, one, restless=True), working(url, two, restless=True):
        for number in range(120):
            await put(gateway, said(number, SERVERS[number % 3]))
            await asyncio.sleep(0.01 * (number % 7))
        await until(lambda: len(one.heard) + len(two.heard) == 120)
    together = sorted(number for _, number in (*one.heard, *two.heard))
    assert together == list(range(120))
    assert len(one.adopted) + len(two.adopted) > 10, "servers went to and fro"


async def test_what_a_killed_worker_took_last_is_heard_again_and_it_writes_nothing(
    url: str, gateway: Store
) -> None:
    """Issue 25, point 8: it may have died between taking an event and dealing with it."""
    here, press = (
        SERVERS[0],
        GatewayEvent("INTERACTION_CREATE", '{"id": "7"}', "interaction:7", 1, SERVERS[0]),
    )
    doomed, heir = await Store.open(url, shared=True), await Store.open(url, shared=True)
    await put(gateway, said(1, here), press)
    held = await doomed.write(lambda conn: ServerJobs(conn).take(doomed.member or 0))
    assert held is not None
    assert not held.interrupted
    took = await doomed.write(lambda conn: InboxRepository(conn).take(10, [here]))
    assert len(took) == 2
    assert await heir.write(lambda conn: ServerJobs(conn).rescue(6.0)) == []
    await heir.write(lambda conn: long_ago(conn, doomed.member))
    assert await heir.write(lambda conn: ServerJobs(conn).rescue(6.0)) == [here]
    taken = await heir.write(lambda conn: ServerJobs(conn).take(heir.member or 0))
    assert (taken and taken.server, taken and taken.interrupted) == (here, True)
    again = await heir.write(lambda conn: InboxRepository(conn).take(10, [here]))
    assert [each.event for each in again] == ["MESSAGE_CREATE"]
    with pytest.raises(UnavailableError, match="others took its servers over"):
        await doomed.write(lambda conn: ServerJobs(conn).leave(doomed.member or 0, [held]))
    await doomed.close()
    await heir.close()


def long_ago(conn: Connection, member: int | None) -> None:
    """A worker gave its last sign a minute ago."""
    conn.exec_driver_sql(
        "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'"
        f" WHERE id = {member}"
    )


async def test_a_worker_that_ends_leaves_its_servers_to_others_at_once(
    url: str, gateway: Store
) -> None:
    """Issue 25, point 7: SIGTERM drains."""
    one, two = Port(), Port()
    async with working(url, two):
        async with working(url, one):
            await put(gateway, *(said(number, server) for number, server in enumerate(SERVERS)))
            await until(lambda: len(one.held) + len(two.held) == len(SERVERS) + 1)
        await until(lambda: two.held.keys() == {CHORES, *SERVERS})
        moved = set(one.held) - {CHORES}
        assert [two.held[server] for server in moved] == [True] * len(moved) != []


async def test_a_quiet_server_is_let_go_and_comes_back_when_something_is_due(
    url: str, gateway: Store
) -> None:
    """Issue 25: a ballot's end is nobody's event, so the job waits for its time."""
    port = Port(due=10.0**10)
    async with working(url, port, restless=True):
        await put(gateway, said(1, SERVERS[0]))
        await until(lambda: bool(port.heard) and SERVERS[0] not in port.held)
        due = "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE lock LIKE 'server:4%'"
        await gateway.write(lambda conn: conn.exec_driver_sql(due))
        await until(lambda: port.adopted.count(SERVERS[0]) == 2)
        assert port.held.get(SERVERS[0]) in (False, None), "nothing was interrupted"


async def test_a_server_that_waits_for_its_time_is_woken_by_an_event(
    url: str, gateway: Store
) -> None:
    worker = await Store.open(url, shared=True)
    await put(gateway, said(1, SERVERS[0]))
    held = await worker.write(lambda conn: ServerJobs(conn).take(worker.member or 0))
    assert held is not None
    assert not await worker.write(lambda conn: ServerJobs(conn).end(held, 3600.0))
    await worker.write(lambda conn: InboxRepository(conn).take(10, [SERVERS[0]]))
    assert await worker.write(lambda conn: ServerJobs(conn).end(held, 3600.0))
    assert await worker.write(lambda conn: ServerJobs(conn).take(worker.member or 0)) is None
    await put(gateway, said(2, SERVERS[0]))
    again = await worker.write(lambda conn: ServerJobs(conn).take(worker.member or 0))
    assert again is not None
    assert again.server == SERVERS[0]
    await worker.close()


async def test_a_busy_server_stays_with_its_worker(url: str, gateway: Store) -> None:
    port = Port(busy=True)
    async with working(url, port, restless=True):
        await put(gateway, said(1, SERVERS[0]))
        await until(lambda: bool(port.heard))
        await put(gateway, said(2, SERVERS[0]))
        await until(lambda: len(port.heard) == 2)
        assert SERVERS[0] in port.held
