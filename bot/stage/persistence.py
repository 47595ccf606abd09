"""Paces requests, and retries them after failures, after checking whether they took effect."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import aiohttp
import discord

from bot.messages.discord import PostText
from bot.types import Sleep

_log = logging.getLogger(__name__)

MOST_TRIES = 4
_CODE_UNKNOWN_CHANNEL = 10003
_CODE_UNKNOWN_GUILD = 10004
# Answers to interactions and messages of webhooks carry no token and have limits of their own.
_WITHOUT_TOKEN = ("/interactions/", "/webhooks/")
_REFUSED = 429
_BURST_SECONDS = 0.2
_T = TypeVar("_T")


class Turns(Protocol):
    """When requests of several processes may go out."""

    async def turn(self) -> None:
        """Wait for the next turn."""

    def stop(self, seconds: float) -> None:
        """Give nobody a turn for so long."""


class RequestPace:
    """Spreads requests with the bot's token: so many a second, a fifth of them at once.

    discord.py learns of the limit for all routes only by breaking it. Processes that use one token
    share their turns. Messages of webhooks have a pace of their own: without a token Discord
    counts by address.
    """

    def __init__(
        self,
        per_second: float,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        *,
        shared: Turns | None = None,
        of_webhooks: bool = False,
    ) -> None:
        self._shared = shared
        self._exempt = () if of_webhooks else _WITHOUT_TOKEN
        self._interval = 1 / per_second
        self._sleep, self._clock = sleep, clock
        self._next = clock() - _BURST_SECONDS

    async def wait(self, path: str) -> None:
        """Wait until a request to this path may go out; who comes first goes first."""
        if any(mark in path for mark in self._exempt):
            return
        if self._shared is not None:
            await self._shared.turn()
            return
        now = self._clock()
        turn = max(self._next, now - _BURST_SECONDS)
        self._next = turn + self._interval
        if turn > now:
            await self._sleep(turn - now)

    def answered(self, response: aiohttp.ClientResponse) -> None:
        """When Discord refuses all requests for a while, let nobody go out meanwhile.

        discord.py does so by itself in this process.
        """
        headers = response.headers
        everywhere = response.status == _REFUSED and headers.get("X-RateLimit-Scope") == "global"
        if everywhere and self._shared is not None:
            self._shared.stop(float(headers.get("Retry-After", 1)))


class UnknownOutcomeError(Exception):
    """It is unknown whether a request took effect."""


PASSING = (UnknownOutcomeError, aiohttp.ClientError, TimeoutError, OSError)


def is_passing(error: Exception) -> bool:
    """Whether a retry may succeed in a moment."""
    if isinstance(error, discord.HTTPException):
        return error.status >= 500 or error.status == 429
    return isinstance(error, PASSING)


def why_not(error: discord.HTTPException, missing: Sequence[str] = ()) -> str:
    """What Discord's refusal means for people, as the end of a sentence.

    `missing` names the permissions that the bot lacks there.
    """
    if error.code in (_CODE_UNKNOWN_CHANNEL, _CODE_UNKNOWN_GUILD):
        return PostText.PLACE_GONE
    if isinstance(error, discord.Forbidden):
        return PostText.right_lost(missing)
    return error.text or PostText.status(error.status)


async def _nothing_found() -> None:
    """For requests without an effect that could be looked up."""


async def persist(
    action: Callable[[], Awaitable[_T]],
    look: Callable[[], Awaitable[_T | None]] = _nothing_found,
    sleep: Sleep = asyncio.sleep,
) -> _T:
    """Make the request; after a passing failure adopt what `look` finds, or retry a few times."""
    for attempt in range(MOST_TRIES):
        try:
            return await action()
        except (discord.HTTPException, *PASSING) as error:
            if not is_passing(error) or attempt == MOST_TRIES - 1:
                raise
            _log.warning("a request to Discord failed, retrying: %s", type(error).__name__)
        await sleep(pause_before(attempt))
        found = await look()
        if found is not None:
            return found
    raise UnknownOutcomeError


def pause_before(attempt: int) -> float:
    """How long to wait after the failure of a try, counted from 0."""
    return float(min(2.0**attempt * 0.5, 5.0))
