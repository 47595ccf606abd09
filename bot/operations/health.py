"""A page that says whether the process is alive and ready, and its figures: /health, /metrics."""

import asyncio
import errno
import math
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from prometheus_client import ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from sqlalchemy import Connection, func, select

from bot import VERSION
from bot.errors import UnavailableError
from bot.messages.operations import HealthText
from bot.settings import LOOPBACK
from bot.store import Store
from bot.store.fleet.inbox import InboxRepository
from bot.store.fleet.processes import Processes
from bot.store.fleet.shards import Shards
from bot.store.tables import calls, posts, runs

_WITHOUT_PRICE = select(func.count()).select_from(calls).where(calls.c.cost_usd.is_(None))
_taken = calls.c.finished_at - calls.c.started_at
# Upper limits of the buckets of call durations, in seconds; timeouts are minutes long.
_BUCKETS = (0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0, 300.0)
_PATIENCE = 2.0
# The only names a browser on this machine may have used, so that no foreign page can read it.
_OWN_NAMES = frozenset({"127.0.0.1", "localhost"})
_ROLES = {"gateway": (False, True), "worker": (True, True)}
"""Whose page has figures of the whole database, and of the fleet."""


def _stored_figures(conn: Connection) -> list[Metric]:
    """What the store can count; names of models and phases are the only labels."""
    cost = conn.execute(select(func.sum(calls.c.cost_usd))).scalar_one() or 0
    return [
        _counted(conn, GaugeMetricFamily, "roundtable_runs", HealthText.RUNS, runs.c.phase),
        _counted(
            conn,
            CounterMetricFamily,
            "roundtable_calls",
            HealthText.CALLS,
            calls.c.provider,
            calls.c.model,
            calls.c.status,
        ),
        _durations(conn),
        _tokens(conn),
        _cached_tokens(conn),
        CounterMetricFamily("roundtable_cost_usd", HealthText.COST, value=float(cost)),
        CounterMetricFamily(
            "roundtable_calls_without_price",
            HealthText.WITHOUT_PRICE,
            value=conn.execute(_WITHOUT_PRICE).scalar_one(),
        ),
        _counted(conn, GaugeMetricFamily, "roundtable_posts", HealthText.POSTS, posts.c.state),
    ]


def _counted(
    conn: Connection,
    kind: type[GaugeMetricFamily] | type[CounterMetricFamily],
    name: str,
    meaning: str,
    *columns: Any,
) -> Metric:
    family = kind(name, meaning, labels=[column.name for column in columns])
    query = select(*columns, func.count()).group_by(*columns).order_by(*columns)
    for *labels, count in conn.execute(query):
        family.add_metric(list(map(str, labels)), count)
    return family


def _durations(conn: Connection) -> Metric:
    """How long calls took, failed ones included."""
    labels = [calls.c.provider, calls.c.model]
    family = HistogramMetricFamily(
        "roundtable_call_seconds", HealthText.CALL_SECONDS, labels=[c.name for c in labels]
    )
    within = [func.count().filter(_taken <= limit) for limit in _BUCKETS]
    query = select(*labels, func.sum(_taken), func.count(), *within)
    for provider, model, total, *counts in conn.execute(query.group_by(*labels).order_by(*labels)):
        named = zip(("+Inf", *map(str, _BUCKETS)), map(float, counts), strict=True)
        infinite, *limited = named
        family.add_metric([provider, model], [*limited, infinite], float(total))
    return family


def _tokens(conn: Connection) -> Metric:
    family = CounterMetricFamily("roundtable_tokens", HealthText.TOKENS, labels=["direction"])
    sums = select(func.sum(calls.c.input_tokens), func.sum(calls.c.output_tokens))
    for direction, total in zip(("in", "out"), conn.execute(sums).one(), strict=True):
        family.add_metric([direction], total or 0)
    return family


def _cached_tokens(conn: Connection) -> Metric:
    """A figure of its own, for these are part of the tokens read."""
    cached = conn.execute(select(func.sum(calls.c.cached_tokens))).scalar_one()
    return CounterMetricFamily(
        "roundtable_cached_tokens", HealthText.CACHED_TOKENS, value=int(cached or 0)
    )


@dataclass(frozen=True, slots=True)
class _Collected:
    figures: Iterable[Metric]

    def collect(self) -> Iterable[Metric]:
        return self.figures


def _exposition(figures: Iterable[Metric]) -> bytes:
    """The figures as Prometheus scrapes them."""
    return generate_latest(_Collected(figures))


def _fleet_figures(conn: Connection) -> list[Metric]:
    """What gateways and workers have in common; every one of them tells the same."""
    waiting, oldest = InboxRepository(conn).depth()
    silent = GaugeMetricFamily(
        "roundtable_shard_silent_seconds", HealthText.SHARD_SILENT, labels=["shard"]
    )
    for each in Shards(conn).all():
        silent.add_metric([str(each.shard)], each.seconds_ago)
    up = GaugeMetricFamily("roundtable_processes", HealthText.PROCESSES, labels=["role"])
    for role, number in Counter(each.role for each in Processes.all(conn)).items():
        up.add_metric([role], number)
    return [
        GaugeMetricFamily("roundtable_inbox_events", HealthText.INBOX, value=waiting),
        GaugeMetricFamily("roundtable_inbox_oldest_seconds", HealthText.OLDEST, value=oldest),
        silent,
        up,
    ]


@dataclass(frozen=True, slots=True)
class HealthSource:
    """What the health page asks the running bot for."""

    store: Store | None
    connected: Callable[[], bool]
    running: Callable[[], int] = lambda: 0
    latency: Callable[[], float] = lambda: math.nan
    shard_latencies: Callable[[], Sequence[tuple[int, float]]] = tuple
    role: str = "run"
    waits: str = ""
    """What the process waits for before it needs the database, such as another worker's end."""

    def figures(self, conn: Connection) -> list[Metric]:
        """What the database knows and this role tells."""
        stored, fleet = _ROLES.get(self.role, (True, False))
        return [
            *(_stored_figures(conn) if stored else ()),
            *(_fleet_figures(conn) if fleet else ()),
        ]


@asynccontextmanager
async def health_page(vitals: HealthSource, port: int, host: str = LOOPBACK) -> AsyncIterator[int]:
    """Serve the page while the bot runs; yields the port it got."""
    # Whoever opens it to other machines is asked for by their names for this one.
    app = web.Application(middlewares=[_own_names_only] if host == LOOPBACK else [])
    page = _Page(vitals)
    app.router.add_get("/health", page.ready)
    app.router.add_get("/health/ready", page.ready)
    app.router.add_get("/health/live", page.live)
    app.router.add_get("/metrics", page.metrics)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else str(error)
            elsewhere = error.errno == errno.EADDRNOTAVAIL
            text = HealthText.no_such_address(host, why) if elsewhere else ""
            raise UnavailableError(text or HealthText.port_taken(port, why)) from error
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@web.middleware
async def _own_names_only(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    if request.host.partition(":")[0] not in _OWN_NAMES:
        raise web.HTTPForbidden(text=HealthText.WRONG_NAME)
    return await handler(request)


class _Page:
    def __init__(self, vitals: HealthSource) -> None:
        self._vitals = vitals
        self._since = time.monotonic()
        self._process = ProcessCollector(registry=None)

    async def live(self, _: web.Request) -> web.Response:
        """200 for as long as the process answers at all; one that does not should be restarted."""
        return web.json_response({"status": HealthText.OK} | self._self())

    async def ready(self, _: web.Request) -> web.Response:
        """200 while the process does its part, or could at once; else 503, with the reason."""
        connected = self._vitals.connected()
        parts: dict[str, Any] = {"state": self._vitals.waits or HealthText.WORKING}
        database = True
        if self._vitals.store is not None:
            database = await self._database_answers(self._vitals.store)
            parts |= {
                "discord": HealthText.CONNECTED if connected else HealthText.NOT_CONNECTED,
                "database": HealthText.ANSWERS if database else HealthText.DOES_NOT_ANSWER,
                "running": self._vitals.running(),
            }
        good = database and connected
        status = {"status": HealthText.OK if good else HealthText.FAILING}
        return web.json_response(status | parts | self._self(), status=200 if good else 503)

    def _self(self) -> dict[str, Any]:
        uptime = round(time.monotonic() - self._since)
        return {"role": self._vitals.role, "uptime_seconds": uptime, "version": VERSION}

    async def metrics(self, _: web.Request) -> web.Response:
        """Every figure, for Prometheus; what a database that is away knows is left out."""
        figures, reached = await self._read(self._vitals.figures)
        database = self._gauge("roundtable_database_up", HealthText.DATABASE_UP, reached)
        process = self._process.collect()
        body = _exposition([*self._live(), database, *process, *figures])
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})

    async def _read(self, read: Callable[[Connection], list[Metric]]) -> tuple[list[Metric], bool]:
        """What the database says, and whether it did."""
        if self._vitals.store is None:
            return [], False
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._vitals.store.scan(read), True
        except Exception:
            return [], False

    def _live(self) -> Iterator[Metric]:
        vitals, up = self._vitals, self._vitals.connected()
        uptime = time.monotonic() - self._since
        yield self._gauge("roundtable_up", HealthText.UP, up and not vitals.waits)
        yield self._gauge("roundtable_running", HealthText.RUNNING, vitals.running())
        latency = vitals.latency() if up else None
        yield self._gauge("roundtable_gateway_latency_seconds", HealthText.LATENCY, latency)
        name = "roundtable_shard_latency_seconds"
        shards = GaugeMetricFamily(name, HealthText.SHARD_LATENCY, labels=["role", "shard"])
        for shard, seconds in vitals.shard_latencies():
            shards.add_metric([vitals.role, str(shard)], seconds)
        yield shards
        yield self._gauge("roundtable_uptime_seconds", HealthText.UPTIME, uptime)

    def _gauge(self, name: str, meaning: str, value: float | None) -> Metric:
        """A figure of this process, or none now."""
        family = GaugeMetricFamily(name, meaning, labels=["role"])
        if value is not None:
            family.add_metric([self._vitals.role], value)
        return family

    async def _database_answers(self, store: Store) -> bool:
        try:
            async with asyncio.timeout(_PATIENCE):
                await store.read(lambda conn: conn.exec_driver_sql("SELECT 1"))
        except Exception:
            return False
        return store.holding.held
