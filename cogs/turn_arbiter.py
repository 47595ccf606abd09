"""Feeds the floor from Discord: who spoke, what was edited, archived or deleted."""

import logging
from collections.abc import Mapping

import discord
from discord.ext import commands

from bot.request import is_addressed
from bot.talk.hearing import Heard, pings
from bot.talk.service import Ack
from bot.words.talking import TOO_MANY_WAIT
from cogs.answering import reply_to, sentence_for
from cogs.desk import FrontDesk
from cogs.people import PERSONS_MESSAGE, asker_of, speaks_for_a_person, with_names

log = logging.getLogger(__name__)


class TurnArbiterCog(commands.Cog):
    """Hears everything that is said in the threads of roundtables."""

    def __init__(self, bot: commands.Bot, desk: FrontDesk) -> None:
        self._bot = bot
        self._desk = desk

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Take in a message as it comes."""
        await self.hear(message)

    async def hear(self, message: discord.Message) -> None:
        """Take in a message, now or read later from the history; twice does no harm."""
        if message.guild is None or message.type not in PERSONS_MESSAGE:
            return
        if not self._is_a_persons(message):
            await self._desk.talk.observed(message.channel.id, message.id)
        elif self._may_concern_a_panel(message):
            await self._hear_person(message)

    async def _hear_person(self, message: discord.Message) -> None:
        try:
            ack = await self._desk.talk.hear(self._heard(message))
        except Exception as error:
            await reply_to(message, sentence_for(error))
            return
        if ack is Ack.FULL:
            await reply_to(message, TOO_MANY_WAIT)
        elif ack is not Ack.NONE:
            await _mark(message, ack)

    def _is_a_persons(self, message: discord.Message) -> bool:
        guild_id = message.guild.id if message.guild else None
        proxies = self._desk.config(guild_id).trigger.proxy_bot_ids
        return speaks_for_a_person(message, self._own_id, proxies)

    def _may_concern_a_panel(self, message: discord.Message) -> bool:
        """Outside threads only replies can be for a panelist, so nothing else is looked up."""
        text = message.content
        if not text.strip() or is_addressed(self._without_own_ping(text)):
            return False
        in_channel = isinstance(message.channel, discord.abc.GuildChannel)
        return not in_channel or message.reference is not None

    def _heard(self, message: discord.Message) -> Heard:
        reference = message.reference
        return Heard(
            message_id=message.id,
            channel_id=message.channel.id,
            guild_id=message.guild.id if message.guild else 0,
            author_id=message.author.id,
            author=message.author.display_name,
            text=with_names(message, self._without_own_ping(message.content)),
            created_at=message.created_at.timestamp(),
            reply_to=reference.message_id if reference else None,
            replies_to_bot=reference is not None and self._is_own(reference.resolved),
            mentions_bot=pings(message.content, self._own_id),
            role_ids=asker_of(message.author).role_ids,
            proxied=message.author.bot,
        )

    def _is_own(self, message: discord.Message | discord.DeletedReferencedMessage | None) -> bool:
        if not isinstance(message, discord.Message):
            return False
        return self._own_id in (message.author.id, message.application_id)

    def _without_own_ping(self, text: str) -> str:
        for form in (f"<@{self._own_id}>", f"<@!{self._own_id}>"):
            text = text.replace(form, "")
        return text.strip()

    @property
    def _own_id(self) -> int:
        return self._bot.user.id if self._bot.user else 0

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Replace an edited message's text where it was not read yet; erase the old text."""
        message = payload.message
        told: Mapping[str, object] = payload.data
        if payload.guild_id and "content" in told and self._is_a_persons(message):
            text = with_names(message, self._without_own_ping(message.content))
            await self._desk.forgetting.message_edited(message.id, text)

    @commands.Cog.listener()
    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """Close the floor of an archived thread; open it again with the thread."""
        archived = bool(payload.data["thread_metadata"]["archived"])
        self._desk.talk.archived(payload.thread_id, archived=archived)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Let go of a thread that is gone."""
        await self._desk.council.abandon(payload.thread_id)
        await self._desk.talk.thread_deleted(payload.thread_id)


async def _mark(message: discord.Message, ack: Ack) -> None:
    try:
        await message.add_reaction(ack.value)
    except discord.HTTPException:
        log.info("message %s was received but the reaction failed", message.id)
