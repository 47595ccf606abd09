"""The roles of a bot on several machines: gateways that hear Discord, workers that answer."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import aiohttp
import discord

from bot.app import Options
from bot.errors import RefusedError, UnavailableError
from bot.fleet.inbox import EventRelay
from bot.fleet.pace import SharedRequests
from bot.fleet.shards import ShardKeeper, SharedPace, agreed_shards
from bot.fleet.status import present
from bot.front.live import (
    REQUESTS_PER_SECOND,
    SHARDING_REQUIRED,
    on_discord,
    serve,
    stop_signal,
    told,
)
from bot.messages.command_line import CommandLineText, FleetText
from bot.messages.operations import HealthText
from bot.messages.store import StoreText
from bot.operations.logs import set_up_logging
from bot.settings import Settings
from bot.stage.persistence import RequestPace
from bot.stage.personas import fence
from bot.store import Store
from cogs.relay import RelayClient

_log = logging.getLogger(__name__)

_SETTLED = 0.05
"""A worker that starts has no servers to wait for."""
_RETRY_SECONDS = 2.0
_LAST_EVENTS_PATIENCE = 3.0


async def run_worker(settings: Settings) -> int:
    """Hold the meetings of a share of the servers until stopped; returns the exit code."""
    url, _ = _prepared(settings)
    with on_discord(settings):
        async with present(url, "worker") as me:
            options = Options(
                fed_by_gateways=True,
                guild_ready_timeout=_SETTLED,
                requests_per_second=REQUESTS_PER_SECOND,
                panels_used=me.use_panels,
            )
            await serve(settings, options)
    return 0


async def run_gateway(settings: Settings) -> int:
    """Serve a share of the shards until stopped; returns the exit code."""
    url, token = _prepared(settings)
    stopped = stop_signal()
    with on_discord(settings):
        async with AsyncExitStack() as closing:
            await closing.enter_async_context(present(url, "gateway"))
            opening = asyncio.create_task(_opened(url))
            first: set[asyncio.Future[Any]] = {opening, stopped}
            unready = _Vitals("gateway", lambda: False, waits=HealthText.WAITING)
            async with _page(settings, unready):
                await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not opening.done():
                opening.cancel()
                return 0
            store = opening.result()
            closing.push_async_callback(store.close)
            least: int | None = 1
            while least is not None:
                async with _logged_in(store, token, least) as (client, relay):
                    keeper = ShardKeeper(store, client, client.shard_count or 1)
                    vitals = _Vitals("gateway", keeper.has_its_share, store, client)
                    async with _page(settings, vitals):
                        least = await _serve_shards(keeper, client, relay, stopped)
    return 0


async def _serve_shards(
    keeper: ShardKeeper, client: RelayClient, relay: EventRelay, stopped: "asyncio.Future[None]"
) -> int | None:
    """Serve a share; returns how many shards there must be at least now, None when it is over."""
    count = client.shard_count or 1
    chores: set[asyncio.Future[Any]] = {
        asyncio.create_task(client.connect()),
        asyncio.create_task(relay.run()),
        asyncio.create_task(keeper.run()),
        asyncio.create_task(keeper.keep_asking(partial(_wanted, client))),
    }
    await asyncio.wait({*chores, stopped}, return_when=asyncio.FIRST_COMPLETED)
    await _leave(keeper, relay)
    ended = [chore for chore in chores if chore.done()]
    for chore in chores.difference(ended):
        chore.cancel()
    await asyncio.gather(*chores, return_exceptions=True)
    refused = [_wants_more_shards(chore) for chore in ended]
    if stopped.done():
        return None
    least = 2 * count if any(refused) else 1
    _log.info("the number of shards changes: %d are left", count)
    return least


@dataclass(frozen=True, slots=True)
class _Vitals:
    """What the health page of a gateway tells, or of a process that waits."""

    role: str
    ready: Callable[[], bool] = lambda: True
    store: Store | None = None
    client: RelayClient | None = None
    waits: str = ""


@asynccontextmanager
async def _page(settings: Settings, vitals: _Vitals) -> AsyncIterator[None]:
    """The health page, if a port was given for it."""
    port, client = settings.health_port, vitals.client
    if port is None:
        yield
        return
    from bot.operations.health import HealthSource, health_page  # noqa: PLC0415 (heavy)

    source = HealthSource(
        store=vitals.store,
        connected=vitals.ready,
        latency=lambda: client.latency if client else math.nan,
        shard_latencies=lambda: client.latencies if client else (),
        role=vitals.role,
        waits=vitals.waits,
    )
    async with health_page(source, port, settings.health_host):
        yield


def _prepared(settings: Settings) -> tuple[str, str]:
    """The database's address and the bot's token, once logging is set up."""
    if not isinstance(settings.database, str):
        raise UnavailableError(StoreText.NEEDS_POSTGRES)
    if settings.discord_token is None:
        raise UnavailableError(CommandLineText.NOT_CONFIGURED)
    set_up_logging(settings.log, settings.redactions(), settings.log_format)
    return settings.database, settings.discord_token.get_secret_value()


async def _opened(url: str) -> Store:
    """The database as a guest, once a worker of this version has prepared it."""
    told = ""
    while True:
        try:
            return await Store.open(url, guest=True)
        except UnavailableError as error:
            if str(error) != told:
                told = str(error)
                _log.warning("waiting: %s", error)
        await asyncio.sleep(_RETRY_SECONDS)


@asynccontextmanager
async def _logged_in(
    store: Store, token: str, least: int
) -> AsyncIterator[tuple[RelayClient, EventRelay]]:
    relay, requests = EventRelay(store), SharedRequests(str(store.where))
    pace = RequestPace(REQUESTS_PER_SECOND, shared=requests.of_token(token))
    client = RelayClient(relay, SharedPace(store), fence(store.holding, pace))
    try:
        await client.login(token)
        wanted, _, starts = await client.http.get_bot_gateway()
        if not starts["remaining"]:
            raise UnavailableError(CommandLineText.no_sessions_left(starts["reset_after"] / 1000))
        client.max_concurrency = starts["max_concurrency"]
        client.shard_count = await agreed_shards(store, max(wanted, least))
        yield client, relay
    except discord.PrivilegedIntentsRequired as error:
        raise RefusedError(FleetText.NEEDS_INTENT) from error
    except (discord.DiscordException, aiohttp.ClientError) as error:
        sentence = told(error, reads_messages=True)
        if sentence is None:
            raise
        raise sentence from error
    finally:
        await client.close()
        await requests.close()


async def _leave(keeper: ShardKeeper, relay: EventRelay) -> None:
    """Let others have the shards, and store what was heard last."""
    await keeper.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(_LAST_EVENTS_PATIENCE):
            await relay.flush()


def _wants_more_shards(chore: "asyncio.Future[Any]") -> bool:
    """Whether Discord ended a chore because it wants more shards; raises what else ended it."""
    try:
        chore.result()
    except discord.ConnectionClosed as error:
        if error.code != SHARDING_REQUIRED:
            raise
        return True
    return False


async def _wanted(client: RelayClient) -> int:
    """How many shards Discord wants and lets all gateways begin today; 1 if it does not say."""
    try:
        wanted, _, starts = await client.http.get_bot_gateway()
    except (discord.DiscordException, aiohttp.ClientError, OSError):
        return 1
    return wanted if starts["remaining"] >= wanted else 1
