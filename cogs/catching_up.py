"""Hears what people said in roundtable threads while the bot was away, each message once.

Events are lost when the bot is down or must identify again, and doubled after a resume. So at
every READY the history of its threads is read, and what is new goes through the same door as a
message that just came. The door remembers ids, which makes reading too much harmless.

Elsewhere only what was typed within the last two minutes is taken up (`missed_commands`): whoever
typed a `roundtable …` hours ago saw no answer, may have asked again or somebody else, and nobody
should pay for a question that is no longer asked. In a thread of a roundtable a `stop` is obeyed,
because it was meant for the meeting that would go on now; any other command is answered with a
request to repeat it.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

import discord
from discord.ext import commands

from bot.council.absence import Unread, unread_threads
from bot.request import is_addressed, parse_command
from bot.stage.persistence import persist
from bot.store import InboundKind, inbound
from bot.store.inbound import InboundMessage
from bot.words.starting import NOT_LATE
from cogs.answering import reply_to
from cogs.desk import FrontDesk
from cogs.missed_commands import history, take_recent

log = logging.getLogger(__name__)

MOST_MESSAGES: Final = 300

Door = Callable[[discord.Message], Awaitable[None]]


class CatchingUpCog(commands.Cog):
    """Reads the threads of roundtables after an absence."""

    def __init__(self, bot: commands.Bot, desk: FrontDesk, hear: Door, command: Door) -> None:
        self._bot = bot
        self._desk = desk
        self._hear = hear
        self._command = command
        self._unread: tuple[Unread, ...] = ()
        self._away_since: float | None = None

    async def cog_load(self) -> None:
        """Look into the store before the first message of this connection can change it."""
        store = self._desk.store
        self._unread = await store.read(lambda conn: unread_threads(conn, store.now()))

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        """Remember since when events may be lost."""
        if self._away_since is None:
            self._away_since = self._desk.store.now()

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """Discord has replayed what happened meanwhile."""
        self._away_since = None

    async def look(self) -> None:
        """After a new identification: find out which threads must be read again."""
        since, self._away_since = self._away_since, None
        if since is not None:
            store = self._desk.store
            self._unread = await store.read(lambda conn: unread_threads(conn, store.now(), since))

    async def catch_up(self, *, live: bool) -> None:
        """Read the threads of meetings that go on, or those of meetings that are over."""
        mine = [unread for unread in self._unread if unread.live is live]
        self._unread = tuple(unread for unread in self._unread if unread.live is not live)
        for unread in mine:
            try:
                await self._read(unread)
            except Exception:
                # Whatever is wrong with one thread, the meetings of all others go on.
                log.exception("thread %s: its history could not be read", unread.thread_id)

    async def take_up_commands(self) -> None:
        """Take up what was typed in channels a moment ago, as if it had just come."""
        await take_recent(self._bot.guilds, self._desk.store.now(), self._take_command)

    async def _take_command(self, message: discord.Message) -> None:
        guild_id = message.guild.id if message.guild else None
        topics = self._desk.config(guild_id).trigger.channel_ids
        addressed = is_addressed(self._without_own_mention(message.content))
        if not message.author.bot and (addressed or message.channel.id in topics):
            message.author = await _member(message)
            await self._command(message)

    async def _read(self, unread: Unread) -> None:
        thread = self._bot.get_channel(unread.thread_id)
        if not isinstance(thread, discord.Thread) or thread.archived:
            return  # Discord names every open thread when the bot identifies
        missed = await persist(lambda: history(thread, unread.after, MOST_MESSAGES))
        if len(missed) == MOST_MESSAGES:
            log.warning("thread %s: only the newest %d messages are read", thread.id, MOST_MESSAGES)
        for message in missed:
            if not self._is_own(message):
                await self._take(message)

    async def _take(self, message: discord.Message) -> None:
        text = self._without_own_mention(message.content)
        if not is_addressed(text) or message.author.bot or message.webhook_id:
            await self._hear(message)
            return
        command = parse_command(text)
        if command is not None and command.name == "stop":
            message.author = await _member(message)
            await self._command(message)
        elif await self._first_seen(message):
            await reply_to(message, NOT_LATE)

    async def _first_seen(self, message: discord.Message) -> bool:
        store = self._desk.store
        seen = InboundMessage(
            message_id=message.id,
            channel_id=message.channel.id,
            guild_id=message.guild.id if message.guild else 0,
            author_id=message.author.id,
            content=message.content,
            created_at=message.created_at.timestamp(),
            kind=InboundKind.COMMAND,
        )
        return await store.write(lambda conn: inbound.remember(conn, seen, store.now()))

    def _is_own(self, message: discord.Message) -> bool:
        own = self._bot.user.id if self._bot.user else 0
        return own in (message.author.id, message.application_id)

    def _without_own_mention(self, text: str) -> str:
        own = self._bot.user.id if self._bot.user else 0
        return text.removeprefix(f"<@{own}>").removeprefix(f"<@!{own}>").strip()


async def _member(message: discord.Message) -> discord.User | discord.Member:
    """The author with the rights it has now; a message from the history does not carry them."""
    if message.guild is None or isinstance(message.author, discord.Member):
        return message.author
    try:
        return await message.guild.fetch_member(message.author.id)
    except discord.NotFound:
        return message.author
