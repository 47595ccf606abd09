"""Hears what people say in the thread of a running roundtable; the next round is told."""

import logging

import discord
from discord.ext import commands

from bot.request import is_addressed
from bot.store.inbound import InboundMessage
from cogs.desk import FrontDesk

log = logging.getLogger(__name__)

HEARD = "👂"


class FollowupsCog(commands.Cog):
    """What people say while a panel is thinking is not lost."""

    def __init__(self, desk: FrontDesk) -> None:
        self._desk = desk

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Take in a message as it comes."""
        await self.hear(message)

    async def hear(self, message: discord.Message) -> None:
        """Keep a person's message, now or read later from the history; twice does no harm."""
        if message.author.bot or message.webhook_id or message.guild is None:
            return
        if not message.content.strip() or is_addressed(message.content):
            return
        heard = InboundMessage(
            message_id=message.id,
            channel_id=message.channel.id,
            guild_id=message.guild.id,
            author_id=message.author.id,
            content=message.content,
            created_at=message.created_at.timestamp(),
        )
        if await self._desk.council.hear(heard):
            await self._acknowledge(message)

    async def _acknowledge(self, message: discord.Message) -> None:
        try:
            await message.add_reaction(HEARD)
        except discord.HTTPException:
            log.info("message %s was heard but could not be marked", message.id)
