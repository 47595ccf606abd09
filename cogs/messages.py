"""Commands that are typed as messages: as they come, and those written while the bot was away."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Final

import discord
from discord.ext import commands

from bot.commands.missed import Missed, OneServer, Shard, missed_kind
from bot.commands.service import Reply
from bot.stage.persistence import persist
from bot.talk.incoming import IncomingMessage, Unread
from bot.types.reply import ForgetOffer, ReplyText, Suggestion
from cogs.buttons import started_reply, suggestion_reply
from cogs.privacy import forget_reply
from cogs.replies import error_text, reply_text, reply_to
from cogs.services import CogServices
from cogs.translation import heard_message, is_ordinary

log = logging.getLogger(__name__)

_MOST_IN_THREAD: Final = 300
_MOST_CHANNELS: Final = 50
_MOST_IN_CHANNEL: Final = 50

_Place = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread


class MessagesCog(commands.Cog):
    """Hands messages to the text commands; what else is said in threads goes to `hear`."""

    def __init__(
        self,
        bot: commands.Bot,
        services: CogServices,
        hear: Callable[[discord.Message], Awaitable[None]],
    ) -> None:
        self._bot = bot
        self._services = services
        self._hear = hear
        self._typing: set[asyncio.Task[None]] = set()

    async def cog_load(self) -> None:
        """Look for unread threads before the first message of this connection comes."""
        if self._services.held.only is None:  # else that is done for each server that is taken
            await self._services.missed.look_at_start()

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        """Events may be lost from now on; of a sharded bot its shards say so."""
        if self._bot.shard_count is None:
            self._services.missed.disconnected()

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        """No event was lost."""
        if self._bot.shard_count is None:
            self._services.missed.resumed()

    @commands.Cog.listener()
    async def on_shard_disconnect(self, shard_id: int) -> None:
        """Events of the shard's servers may be lost from now on."""
        self._services.missed.disconnected(shard_id)

    @commands.Cog.listener()
    async def on_shard_resumed(self, shard_id: int) -> None:
        """No event of the shard was lost."""
        self._services.missed.resumed(shard_id)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Answer `roundtable …`, topics in a dedicated channel and private messages."""
        if not is_ordinary(message):
            return
        if self._services.text_commands.may_be_for_us(self._heard(message)):
            self._show_typing(message.channel)
        await self._receive(message)

    async def _receive(self, message: discord.Message) -> None:
        try:
            reply = await self._services.text_commands.receive(self._heard(message))
            if reply is not None:
                await _answer(message, reply)
        except Exception as error:
            await reply_to(message, error_text(error))

    def _show_typing(self, channel: discord.abc.Messageable) -> None:
        """Show at once that the message was seen; nobody waits for it, and it may fail."""

        async def show() -> None:
            with suppress(discord.HTTPException):
                await channel.typing()

        task = asyncio.create_task(show())
        self._typing.add(task)
        task.add_done_callback(self._typing.discard)

    async def catch_up(self, *, live: bool, server: int | None = None) -> None:
        """Read the threads of meetings that go on, or those of meetings that are over."""
        for unread in self._services.missed.take_threads(live=live, server=server):
            try:
                await self._read(unread)
            except Exception:
                # Whatever is wrong with one thread, the meetings of all others go on.
                log.exception("thread %s: its history could not be heard", unread.thread_id)

    async def take_recent_commands(self, shard: Shard | OneServer) -> None:
        """Carry out what was typed in channels a moment ago, oldest first in each channel."""
        after = self._services.missed.recent_after()
        guilds = [guild for guild in self._bot.guilds if shard.serves(guild.id)]
        active = [place for guild in guilds for place in _readable(guild, after)]
        active.sort(key=lambda place: place.last_message_id or 0, reverse=True)
        if len(active) > _MOST_CHANNELS:
            log.warning("only the %d channels written to last are looked through", _MOST_CHANNELS)
        for place in active[:_MOST_CHANNELS]:
            try:
                for message in await persist(partial(_history, place, after, _MOST_IN_CHANNEL)):
                    if self._services.text_commands.may_be_for_us(self._heard(message)):
                        await self._take_command(message)
            except Exception:
                # Whatever is wrong with one channel, people in the others wait, too.
                log.exception("channel %s: what was typed lately could not be read", place.id)

    async def _read(self, unread: Unread) -> None:
        thread = self._bot.get_channel(unread.thread_id)
        if not isinstance(thread, discord.Thread) or thread.archived:
            return  # Discord names every open thread when the bot identifies
        missed = await persist(lambda: _history(thread, unread.after, _MOST_IN_THREAD))
        if len(missed) == _MOST_IN_THREAD:
            log.warning("thread %s: only the newest %d are read", thread.id, _MOST_IN_THREAD)
        for message in missed:
            await self._take_missed(message)

    async def _take_missed(self, message: discord.Message) -> None:
        heard = self._heard(message)
        match missed_kind(heard):
            case Missed.TALK:
                await self._hear(message)
            case Missed.COMMAND:
                await self._take_command(message)
            case Missed.LATE_COMMAND:
                refusal = await self._services.text_commands.refuse_late(heard)
                if refusal is not None:
                    await reply_text(message, refusal)
            case Missed.OWN:
                pass

    async def _take_command(self, message: discord.Message) -> None:
        message.author = await _member(message)
        if is_ordinary(message):
            await self._receive(message)

    def _heard(self, message: discord.Message) -> IncomingMessage:
        return heard_message(message, self._bot.user.id if self._bot.user else 0)


async def _answer(message: discord.Message, reply: Reply) -> None:
    if isinstance(reply, ReplyText):
        await reply_text(message, reply)
    elif isinstance(reply, ForgetOffer):
        await reply_to(message, *forget_reply(reply))
    elif isinstance(reply, Suggestion):
        await reply_to(message, *suggestion_reply(reply))
    else:
        await reply_to(message, *started_reply(reply))


def _readable(guild: discord.Guild, after: int) -> Iterator[_Place]:
    """Discord names every channel's newest message, so that quiet ones cost no request."""
    supervisor: list[_Place] = [*guild.text_channels, *guild.voice_channels, *guild.stage_channels]
    places: list[_Place] = [*supervisor, *guild.threads]
    for place in places:
        if (place.last_message_id or 0) > after:
            may = place.permissions_for(guild.me)
            if may.view_channel and may.read_message_history:
                yield place


async def _history(place: _Place, after: int, most: int) -> list[discord.Message]:
    """What was said after an id, oldest first; of too much, the newest."""
    found = place.history(limit=most, after=discord.Object(after), oldest_first=False)
    return [message async for message in found][::-1]


async def _member(message: discord.Message) -> discord.User | discord.Member:
    """The author with the rights it has now; a message from the history does not carry them."""
    if message.guild is None or isinstance(message.author, discord.Member):
        return message.author
    try:
        return await message.guild.fetch_member(message.author.id)
    except discord.NotFound:
        return message.author
