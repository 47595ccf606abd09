"""The Discord client: its connection, the cogs, and what a start resumes."""

import asyncio
import hashlib
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import discord
from discord import app_commands, gateway
from discord.ext import commands

from bot.commands.missed import ONLY_SHARD, Shard
from bot.errors import UnavailableError
from bot.messages.command_line import CommandLineText
from cogs.admin import PanelCog
from cogs.approvals import ApprovalButton, ApprovalsCog, SpecButton, SpecsCog
from cogs.buttons import RUN_BUTTONS, DoubtButton, OptionsCog
from cogs.decisions import DECISION_ITEMS, DecisionsCog
from cogs.menus import AskButton, MenusCog
from cogs.messages import MessagesCog
from cogs.privacy import ForgetButton, PrivacyCog
from cogs.roundtable import RoundtableCog
from cogs.services import CogServices
from cogs.setup import SetupButton, SetupCog, SetupMenu
from cogs.turn_arbiter import TurnArbiterCog

log = logging.getLogger(__name__)

# View Channel, Send Messages, Send Messages in Threads, Create Public Threads, Manage Webhooks,
# Embed Links, Attach Files, Read Message History, Add Reactions.
PERMISSIONS = discord.Permissions(309774634048)
_COMMANDS_MARKER = ".commands"
_RESUME_SECONDS = 2.0
PERSISTENT = (
    *RUN_BUTTONS,
    *DECISION_ITEMS,
    *(ApprovalButton, AskButton, DoubtButton, ForgetButton, SpecButton),
    *(SetupButton, SetupMenu),
)


class ShardsNeeded(Exception):  # noqa: N818 (it is no error: the bot starts again, in shards)
    """Discord wants the bot's servers spread over more connections."""

    def __init__(self, shards: int) -> None:
        super().__init__(f"{shards} shards are needed")
        self.shards = shards


class RoundtableBot(commands.Bot):
    """The Discord client; it owns nothing but its connection and the cogs."""

    services: CogServices

    def __init__(
        self,
        home: Path,
        http_trace: aiohttp.TraceConfig,
        *,
        reads_messages: bool,
        guild_ready_timeout: float,
        shard_count: int | None = None,
    ) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents_for(reads_messages=reads_messages),
            allowed_mentions=discord.AllowedMentions.none(),
            # What nothing reads is not kept: no messages, no members but the bot itself.
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            shard_count=shard_count,
            guild_ready_timeout=guild_ready_timeout,
            max_ratelimit_timeout=60.0,
            http_trace=http_trace,
        )
        self._home = home
        self._resumed = False
        self.messages: MessagesCog
        self._resuming: set[asyncio.Task[None]] = set()
        self.max_concurrency = 1
        self.login_done = asyncio.Event()

    async def connect(self, *, reconnect: bool = True) -> None:
        """Hold the connection to Discord, and measure its latency from the heartbeat that went."""
        with prompt_heartbeats():
            await super().connect(reconnect=reconnect)

    async def setup_hook(self) -> None:
        """Load the cogs, tell Discord about commands that changed, ask how it may be connected."""
        asked = asyncio.create_task(self.ask_for_shards())
        try:
            await self._load_cogs()
            await asked
        finally:
            asked.cancel()
        self.login_done.set()

    async def ask_for_shards(self) -> None:
        """Raises when Discord wants more shards, or allows too few new sessions today."""
        shards = self.shard_count or 1
        try:
            wanted, _, starts = await self.http.get_bot_gateway()
        except discord.GatewayNotFound:
            log.warning("Discord does not say how many shards it wants: starting %d", shards)
            return
        if starts["remaining"] < max(wanted, shards):
            raise UnavailableError(CommandLineText.no_sessions_left(starts["reset_after"] / 1000))
        if wanted > shards:
            raise ShardsNeeded(wanted)
        self.max_concurrency = starts["max_concurrency"]

    async def _load_cogs(self) -> None:
        self.add_dynamic_items(*PERSISTENT)
        arbiter = TurnArbiterCog(self, self.services)
        self.messages = MessagesCog(self, self.services, arbiter.hear)
        for cog in (
            RoundtableCog(self.services),
            PanelCog(self.services),
            MenusCog(self, self.services),
            self.messages,
            arbiter,
            ApprovalsCog(),
            OptionsCog(),
            DecisionsCog(),
            SpecsCog(),
            SetupCog(),
            PrivacyCog(self, self.services),
        ):
            await self.add_cog(cog)
        await sync_if_changed(self.tree, self._home)

    async def on_ready(self) -> None:
        """Read what was said meanwhile, and resume what a restart interrupted.

        Discord sends READY again whenever the bot had to identify again.
        """
        log.info("ready as %s in %d servers", self.user, len(self.guilds))
        await self.resume()

    async def resume(self, shard: Shard = ONLY_SHARD) -> None:
        """Go on after an identification, in the servers of the shard that identified."""
        task = self.go_on(partial(self._resume_once, shard))
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    def go_on(self, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Do what an interruption left, after waiting for a database that is away."""
        task = asyncio.create_task(_patiently(work), name="resume")
        self._resuming.add(task)
        task.add_done_callback(self._resuming.discard)
        return task

    @property
    def does_chores(self) -> bool:
        """Whether this process does what is done once for all servers."""
        return True

    def shard_latencies(self) -> list[tuple[int, float]]:
        """The heartbeat of each shard in seconds; of none without shards."""
        return []

    async def stop_resuming(self) -> None:
        """Cancel what READY began, because the bot is about to close; the next start does it."""
        for task in tuple(self._resuming):
            task.cancel()
        await asyncio.gather(*self._resuming, return_exceptions=True)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log what went wrong with an event; no traceback where the database is away."""
        error = sys.exc_info()[1]
        if isinstance(error, UnavailableError):
            log.warning("%s was left out: %s", event_method, error.text)
        else:
            await super().on_error(event_method, *args, **kwargs)

    async def _resume_once(self, shard: Shard) -> None:
        await self.services.missed.look_again(shard)
        await self.messages.catch_up(live=True)
        if not self._resumed:
            await self.services.run_service.resume_all()
            await self.services.talk.recover()
            self._resumed = True
        await self.messages.catch_up(live=False)
        await self.messages.take_recent_commands(shard)

    async def on_message(self, message: discord.Message, /) -> None:
        """Leave messages to the cogs: there are no prefix commands."""


async def _patiently(work: Callable[[], Awaitable[None]]) -> None:
    """Do it once the database is there: nobody else would do it later."""
    while True:
        try:
            await work()
        except UnavailableError:
            await asyncio.sleep(_RESUME_SECONDS)
        else:
            return


class _KeepAlive(gateway.KeepAliveHandler):
    """Notes when a heartbeat is sent before it is.

    discord.py's thread notes it once it has heard that the heartbeat is out. Over loopback the
    answer is back before that, and would be measured from the heartbeat before it: 41 seconds,
    with a warning that the bot cannot keep up.
    """

    def get_payload(self) -> dict[str, Any]:
        self._last_send = time.perf_counter()
        return super().get_payload()


@contextmanager
def prompt_heartbeats() -> Iterator[None]:
    """Let connections that begin in the block measure their latency rightly."""
    usual = gateway.KeepAliveHandler
    gateway.KeepAliveHandler = _KeepAlive  # type: ignore[misc]  # discord.py takes no other way
    try:
        yield
    finally:
        gateway.KeepAliveHandler = usual  # type: ignore[misc]


def intents_for(*, reads_messages: bool) -> discord.Intents:
    """The events that the bot hears."""
    return discord.Intents(
        guilds=True, guild_messages=True, dm_messages=True, message_content=reads_messages
    )


def invite_link(application_id: int) -> str:
    """The link with which an admin adds the bot, asking for exactly what it uses."""
    return discord.utils.oauth_url(
        application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )


async def sync_if_changed(tree: app_commands.CommandTree[discord.Client], home: Path) -> bool:
    """Sync when the definitions differ from those synced last; returns whether it did."""
    application = str(tree.client.application_id)
    commands = [command.to_dict(tree) for command in tree.get_commands()]
    wanted = hashlib.sha256(json.dumps([application, commands], sort_keys=True).encode())
    marker = home / _COMMANDS_MARKER
    if marker.exists() and marker.read_text(encoding="utf-8") == wanted.hexdigest():
        return False
    await tree.sync()
    marker.write_text(wanted.hexdigest(), encoding="utf-8")
    return True
