"""Paces requests, and retries them after failures, after checking whether they took effect."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import aiohttp
import discord

from bot.messages.discord import PostText
from bot.types.timing import Sleep

_log = logging.getLogger(__name__)

MOST_TRIES = 4
_CODE_UNKNOWN_CHANNEL = 10003
_CODE_UNKNOWN_GUILD = 10004
# Answers to interactions and messages of webhooks carry no token and have limits of their own.
_WITHOUT_TOKEN = ("/interactions/", "/webhooks/")
_BURST_SECONDS = 0.2
_T = TypeVar("_T")


class RequestPace:
    """Spreads requests with the bot's token: so many a second, a fifth of them at once.

    discord.py learns of the limit for all routes only by breaking it.
    """

    def __init__(
        self,
        per_second: float,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval = 1 / per_second
        self._sleep, self._clock = sleep, clock
        self._next = clock() - _BURST_SECONDS

    async def wait(self, path: str) -> None:
        """Wait until a request to this path may go out; who comes first goes first."""
        if any(mark in path for mark in _WITHOUT_TOKEN):
            return
        now = self._clock()
        turn = max(self._next, now - _BURST_SECONDS)
        self._next = turn + self._interval
        if turn > now:
            await self._sleep(turn - now)


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
