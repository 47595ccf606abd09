"""Feeds the floor from Discord: who spoke, what was edited, archived or deleted."""

import logging
from collections.abc import Mapping
from contextlib import suppress

import discord
from discord.ext import commands

from bot.errors import AwayError
from bot.messages.talk import TalkText
from bot.talk.incoming import IncomingMessage
from bot.talk.service import Ack
from cogs.replies import error_text, reply_to
from cogs.services import CogServices
from cogs.translation import heard_message, is_ordinary

log = logging.getLogger(__name__)


class TurnArbiterCog(commands.Cog):
    """Hears everything that is said in the threads of roundtables."""

    def __init__(self, bot: commands.Bot, services: CogServices) -> None:
        self._bot = bot
        self._services = services

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Take in a message as it comes."""
        await self.hear(message)

    async def hear(self, message: discord.Message) -> None:
        """Take in a message, now or read later from the history; twice does no harm."""
        if message.guild is None or not is_ordinary(message):
            return
        heard, talk = self._heard(message), self._services.talk
        if not talk.is_from_a_person(heard):
            with suppress(AwayError):  # an echo only refreshes what the send itself confirmed
                await talk.observed(heard.channel_id, heard.message_id)
            return
        try:
            ack = await talk.hear(heard)
        except Exception as error:
            await reply_to(message, error_text(error))
            return
        if ack is Ack.FULL:
            await reply_to(message, TalkText.TOO_MANY_WAIT)
        elif ack is not Ack.NONE:
            await _mark(message, ack)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Replace an edited message's text where it was not read yet; erase the old text."""
        changed: Mapping[str, object] = payload.data
        if payload.guild_id and "content" in changed:
            heard = self._heard(payload.message)
            if self._services.talk.is_from_a_person(heard):
                await self._services.forgetting.message_edited(heard.message_id, heard.text)

    @commands.Cog.listener()
    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """Close the floor of an archived thread; open it again with the thread."""
        archived = bool(payload.data["thread_metadata"]["archived"])
        self._services.talk.archived(payload.thread_id, archived=archived)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Let go of a thread that is gone, and of what people said in it."""
        await self._services.run_service.abandon(payload.thread_id)
        await self._services.talk.thread_deleted(payload.thread_id)
        await self._services.forgetting.thread_deleted(payload.thread_id)

    def _heard(self, message: discord.Message) -> IncomingMessage:
        return heard_message(message, self._bot.user.id if self._bot.user else 0)


async def _mark(message: discord.Message, ack: Ack) -> None:
    try:
        await message.add_reaction(ack.value)
    except discord.HTTPException:
        log.info("message %s was received but the reaction failed", message.id)
