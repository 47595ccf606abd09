"""Runs the bot on Discord, or on any server that speaks its protocol."""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import aiohttp
import discord
import typer

from bot.admin.outlook import found_line
from bot.app import App, Options, connected, health_served, open_app
from bot.errors import RefusedError, UnavailableError, UserError
from bot.messages.command_line import CommandLineText
from bot.operations.logs import set_up_logging
from bot.settings import Settings
from cogs.client import ShardsNeeded, invite_link

_log = logging.getLogger(__name__)

_LONGEST_STOP = 9.0
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
        told = _told(error, app.options)
        if told is None:
            raise
        raise told from error
    finally:
        stopped.cancel()
        taken.cancel()


def _told(error: Exception, options: Options) -> UserError | None:
    """The sentence for what keeps the bot off Discord; None for what has to be handled or seen."""
    if isinstance(error, discord.LoginFailure):
        return RefusedError(CommandLineText.LOGIN_REFUSED)
    if isinstance(error, discord.ConnectionClosed):
        if error.code == SHARDING_REQUIRED:
            return None
        return RefusedError(CommandLineText.refused(error.code))
    if isinstance(error, discord.PrivilegedIntentsRequired) and not options.reads_messages:
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
