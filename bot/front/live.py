"""Runs the bot on Discord, or on any server that speaks its protocol."""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import Any

import aiohttp
import discord
import typer

from bot.admin.outlook import found_line
from bot.app import App, Options, open_app
from bot.errors import RefusedError, UnavailableError, UserError
from bot.messages.command_line import CommandLineText
from bot.operations.logs import set_up_logging
from bot.settings import Settings
from cogs.client import RoundtableBot, ShardsNeeded, invite_link

_log = logging.getLogger(__name__)

_LONGEST_STOP = 9.0
_LOGOUT_PATIENCE = 2.0
_DISALLOWED_INTENTS = 4014
# Discord allows 50 with a token; a fifth more than this may go out within one second.
REQUESTS_PER_SECOND = 40.0
SHARDING_REQUIRED = 4011
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def run_on_discord(settings: Settings) -> int:
    """Log in and stay until stopped; returns the exit code."""
    if settings.discord_token is None:
        raise UnavailableError(CommandLineText.NOT_CONFIGURED)
    set_up_logging(settings.log, settings.redactions(), settings.log_format)
    with on_discord(settings):
        options: Options | None = Options(requests_per_second=REQUESTS_PER_SECOND)
        while options is not None:
            options = await _serve_until_refused(settings, options)
    return 0


@contextmanager
def on_discord(settings: Settings) -> Iterator[None]:
    """Talk to Discord, or to the server that the settings name instead."""
    if not (settings.discord_api and settings.discord_gateway):
        yield
        return
    from bot.playground.redirect import redirect_discord_py  # noqa: PLC0415 (rarely used)

    with redirect_discord_py(settings.discord_api, settings.discord_gateway):
        yield


async def _serve_until_refused(settings: Settings, options: Options) -> Options | None:
    """Run the bot; returns the options Discord wants instead, None when it is over."""
    try:
        await serve(settings, options)
    except discord.PrivilegedIntentsRequired:
        if not options.reads_messages:
            raise
        _log.warning(CommandLineText.NO_INTENT)
        return replace(options, reads_messages=False)
    except ShardsNeeded as wanted:
        return _sharded(options, wanted.shards)
    except discord.ConnectionClosed as closed:
        if closed.code != SHARDING_REQUIRED:
            raise
        # The bot joined servers since it started; the next start asks how many shards it needs.
        return _sharded(options, 2 * options.shards)
    return None


def _sharded(options: Options, shards: int) -> Options:
    _log.info(CommandLineText.sharding(shards))
    return replace(options, shards=shards)


async def serve(settings: Settings, options: Options) -> None:
    """Run the bot until it is stopped."""
    token = settings.discord_token.get_secret_value() if settings.discord_token else ""
    async with open_app(settings, options) as app, health_served(app):
        await _stay(app, token)


async def _stay(app: App, token: str) -> None:
    """Hold the connection until a signal, Discord or another holder of the database ends it."""
    stopped = stop_signal()
    taken = asyncio.create_task(app.store.holding.gone())
    holding = asyncio.create_task(_hold(app, token))
    try:
        ends: set[asyncio.Future[Any]] = {holding, stopped, taken}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if stopped.done() or taken.done():
            _leave_in_time(taken.result().text if taken.done() else "")
            holding.cancel()
        with suppress(asyncio.CancelledError):
            await holding
        if taken.done():
            raise taken.result()
    except (discord.DiscordException, aiohttp.ClientError) as error:
        sentence = told(error, reads_messages=app.options.reads_messages)
        if sentence is None:
            raise
        raise sentence from error
    finally:
        stopped.cancel()
        taken.cancel()


def told(error: Exception, *, reads_messages: bool) -> UserError | None:
    """The sentence for what keeps the bot off Discord; None for what has to be handled or seen."""
    if isinstance(error, discord.LoginFailure):
        return RefusedError(CommandLineText.LOGIN_REFUSED)
    if isinstance(error, discord.ConnectionClosed):
        if error.code == SHARDING_REQUIRED:
            return None
        return RefusedError(CommandLineText.refused(error.code))
    if isinstance(error, discord.PrivilegedIntentsRequired) and not reads_messages:
        return RefusedError(CommandLineText.refused(_DISALLOWED_INTENTS))
    outage = (aiohttp.ClientError, discord.DiscordServerError, discord.GatewayNotFound)
    return UnavailableError(CommandLineText.UNREACHABLE) if isinstance(error, outage) else None


async def _hold(app: App, token: str) -> None:
    async with connected(app, token) as connection:
        typer.echo(CommandLineText.INVITE)
        typer.echo(invite_link(app.bot.application_id or 0))
        for line in filter(None, (found_line(app.resolution), app.offer)):
            typer.echo(line)
        await asyncio.wait({connection})
        connection.result()


@asynccontextmanager
async def connected(app: App, token: str) -> AsyncIterator["asyncio.Task[None]"]:
    """Log in, wait until the bot is ready, and log out at the end; yields the connection."""
    connection = asyncio.create_task(app.bot.start(token))
    ready = asyncio.create_task(_first_ready(app.bot))
    try:
        await asyncio.wait({connection, ready}, return_when=asyncio.FIRST_COMPLETED)
        if connection.done():
            connection.result()
        from bot.agents.in_bot import agents_served  # noqa: PLC0415 (slow, not for the start)

        tools = agents_served(app.deps, app.run_service, app.settings, app.config)
        async with tools, _under_way(*_chores(app)):
            yield connection
    finally:
        ready.cancel()
        await app.bot.stop_resuming()
        # Both go first, while the bot can still say that it takes nothing new; the runs wait
        # for posts that are going out, whoever they are from.
        await app.talk.close()
        await app.run_service.close()
        closing = asyncio.create_task(app.bot.close())
        await asyncio.wait({closing}, timeout=_LOGOUT_PATIENCE)
        for task in (closing, connection):
            task.cancel()
        await asyncio.gather(closing, connection, ready, return_exceptions=True)


@asynccontextmanager
async def health_served(app: App) -> AsyncIterator[None]:
    """The health page, where ROUNDTABLE_HEALTH_PORT asks for it."""
    port = app.settings.health_port
    if port is None:
        yield
        return
    from bot.operations.health import HealthSource, health_page  # noqa: PLC0415 (heavy)

    vitals = HealthSource(
        store=app.store,
        connected=app.bot.is_ready,
        running=lambda: app.run_service.running,
        latency=lambda: app.bot.latency,
        shard_latencies=app.bot.shard_latencies,
        role="worker" if app.options.fed_by_gateways else "run",
    )
    async with health_page(vitals, port, app.settings.health_host):
        yield


def _chores(app: App) -> Iterator[Coroutine[Any, Any, None]]:
    """What the bot does on the side; begun only where it is waited for."""
    sleep = app.options.chore_sleep
    yield app.watch.run(sleep)
    yield app.around.ask_daily(sleep)
    yield _warm_up(app)
    if not app.options.fed_by_gateways:  # else one worker does it for all
        yield app.forgetting.run(sleep)


@asynccontextmanager
async def _under_way(*chores: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do chores until the end of the block; they end with it."""
    tasks = [asyncio.create_task(chore) for chore in chores]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _warm_up(app: App) -> None:
    try:
        await app.run_service.warm_up()
    except Exception:
        _log.exception("loading ahead failed; the first roundtable loads what it needs itself")


async def _first_ready(bot: RoundtableBot) -> None:
    await bot.login_done.wait()
    await bot.wait_until_ready()


def _leave_in_time(trouble: str) -> None:
    """End the process even when something hangs; the next start resumes from the store."""
    if trouble:
        _log.error("stopping: %s", trouble)
    else:
        _log.info("stopping: no new work is accepted, pending posts are finished")
    last_resort = threading.Timer(_LONGEST_STOP, _leave_now, [1 if trouble else 0])
    last_resort.daemon = True
    last_resort.start()


def _leave_now(code: int) -> None:
    _log.warning("shutdown timed out, exiting anyway; the next start resumes the work")
    logging.shutdown()
    os._exit(code)


def stop_signal() -> "asyncio.Future[None]":
    """A future that is done when somebody asks the process to end."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[None] = loop.create_future()

    def stop() -> None:
        if not stopped.done():
            stopped.set_result(None)

    for number in _STOP_SIGNALS:
        # Windows has no signal handlers on its event loop; there Ctrl+C ends the process.
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stop)
    return stopped
