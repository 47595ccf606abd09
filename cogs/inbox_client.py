"""The same client without a gateway connection: it holds servers, and hears their inbox."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from discord.http import Route

from bot.commands.missed import OneServer
from bot.privacy.forget import SILENCE_ELSEWHERE, STOP_ELSEWHERE
from bot.types.gateway_events import READY, SHARD_READY, TakenEvent
from cogs.client import RoundtableBot

log = logging.getLogger(__name__)

_DESCRIBED = "GUILD_CREATE"


class Feed(Protocol):
    """Where servers and their events come from."""

    async def run(self, port: Any) -> None:
        """Hand over servers and events until the end."""

    async def drain(self, port: Any) -> None:
        """Hand nothing over any more, and let others have what is quiet."""

    async def close(self) -> None:
        """Let others have what is held."""


class InboxBot(RoundtableBot):
    """Hears what gateways heard in the servers it holds; answers by Discord's REST interface."""

    def __init__(self, *args: Any, feed: Feed, **options: Any) -> None:
        super().__init__(*args, **options)
        self._feed = feed
        self._chores: asyncio.Task[None] | None = None

    @property
    def does_chores(self) -> bool:
        """Whether this worker is the one that does it."""
        return self._chores is not None

    async def connect(self, *, reconnect: bool = True) -> None:  # noqa: ARG002 (discord.py's)
        """Work for servers until the bot is closed, where others hold a gateway connection."""
        me = await self.http.request(Route("GET", "/users/@me"))
        self._parse(READY, {"user": me, "guilds": []})
        await self.wait_until_ready()
        await self._feed.run(self)
        await asyncio.Event().wait()  # until whoever ends the process has closed everything

    async def on_ready(self) -> None:
        """Nothing to resume yet: every server is resumed when it is taken."""
        log.info("ready as %s, waiting for servers", self.user)

    async def stop_resuming(self) -> None:
        """Take no servers and no events any more, because the bot is about to close."""
        await self._feed.drain(self)
        await super().stop_resuming()

    async def close(self) -> None:
        """Let other workers have every server."""
        if self._chores is not None:
            self._chores.cancel()
        await self._feed.close()
        await super().close()

    async def ask_for_shards(self) -> None:
        """Nothing: gateways have them."""

    async def adopt(self, server: int, states: Sequence[TakenEvent], *, interrupted: bool) -> None:
        """Learn what a server looks like, then go on with what was under way there."""
        if server < 0:
            self._chores = asyncio.create_task(self.services.forgetting.run(asyncio.sleep))
            return
        held = self.services.held.only
        if held is not None:
            held.add(server)
        for told in states:
            # One that is described again is no new one.
            again = {"unavailable": False} if told.event == _DESCRIBED else {}
            self._parse(told.event, told.payload | again)
        await self.services.steward.use_stored_settings_of(server)
        if interrupted:
            await self.services.missed.look_at(server)
        self.go_on(partial(self._go_on_in, server, interrupted=interrupted))

    def hear(self, told: TakenEvent) -> None:
        """Take an event of a server that is held."""
        if told.event == SHARD_READY:
            self.go_on(partial(self._read_missed, told.server, told.payload["since"]))
        elif told.event in (STOP_ELSEWHERE, SILENCE_ELSEWHERE):
            self.go_on(partial(self.services.forgetting.told, told.event, told.payload))
        else:
            self._parse(told.event, told.payload)

    def is_busy(self, server: int) -> bool:
        """Whether something is under way in a server."""
        return self.services.run_service.is_busy(server)

    async def next_due(self, server: int) -> float | None:
        """When something is to be done in a quiet server, in epoch seconds."""
        return await self.services.run_service.next_due(server)

    async def let_go(self, server: int) -> None:
        """Forget a server that nothing happens in."""
        if server < 0:
            if self._chores is not None:
                self._chores.cancel()
            return
        if self.services.held.only is not None:
            self.services.held.only.discard(server)
        await self.services.run_service.let_go(server)
        guild = self.get_guild(server)
        if guild is not None:
            self._connection._remove_guild(guild)  # quietly: it was not left

    async def _go_on_in(self, server: int, *, interrupted: bool) -> None:
        if interrupted:
            await self.messages.catch_up(live=True, server=server)
        await self.services.run_service.resume_all(server)
        await self.services.talk.recover(server)
        if interrupted:
            await self.messages.catch_up(live=False, server=server)
            await self.messages.take_recent_commands(OneServer(server))

    async def _read_missed(self, server: int, since: float | None) -> None:
        """A shard had to identify again: read what the server said meanwhile."""
        await self.services.missed.look_at(server, since)
        await self.messages.catch_up(live=True, server=server)
        await self.messages.catch_up(live=False, server=server)
        await self.messages.take_recent_commands(OneServer(server))

    def _parse(self, event: str, data: Any) -> None:
        """Hand an event to discord.py, as its gateway connection does."""
        parse = self._connection.parsers.get(event)
        try:
            if parse is not None:
                parse(data)
        except Exception:
            log.exception("an event of the kind %s could not be read", event)
