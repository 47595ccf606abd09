"""Keeps a process that lost its database silent: no request leaves it until it has it again."""

import aiohttp

from bot.store.holding import Holding


def fence(holding: Holding) -> aiohttp.TraceConfig:
    """For every HTTP session to Discord: each request waits before it begins."""

    async def wait(*_: object) -> None:
        await holding.wait()

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(wait)
    return trace
