"""Forgetting: the command with its button, deleted messages, and servers that come and go."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.stage.buttons import button_view
from bot.stage.port import PostButton, Tone
from bot.words import buttons, reading
from bot.words.forgetting import NOTHING
from cogs.answering import whisper
from cogs.desk import FrontDesk
from cogs.people import asker_of
from cogs.persistent import PersistentButton, bot_of


class ForgetButton(PersistentButton, about="forget", action=r"(?P<person>\d{1,20})"):
    """Confirms that a person wants to be forgotten; only that person's press counts."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Forget, if the right person pressed."""
        if interaction.user.id != int(self.said["person"]):
            return buttons.ONLY_WHO_ASKED_FORGETS
        return await bot_of(interaction).forgetting.forget(asker_of(interaction.user))


async def offer_to_forget(desk: FrontDesk, person_id: int) -> tuple[str, discord.ui.View | None]:
    """What would be forgotten, and the button that does it."""
    text = await desk.forgetting.preview(person_id)
    if text is None:
        return NOTHING, None
    return text, button_view([PostButton(buttons.FORGET_ME, f"rt:forget:{person_id}", Tone.BAD)])


class PrivacyCommands(commands.Cog):
    """The part of `/roundtable` about one's own words; the cog of that name brings the desk."""

    _desk: FrontDesk

    @app_commands.command(name="forget", description=reading.FORGET)
    async def forget(self, interaction: discord.Interaction) -> None:
        """Remove everything you wrote from the bot's store, files and later prompts."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await whisper(interaction, *await offer_to_forget(self._desk, interaction.user.id))


class PrivacyCog(commands.Cog):
    """Hears of messages that are deleted and of servers that are left."""

    def __init__(self, bot: commands.Bot, desk: FrontDesk) -> None:
        self._bot = bot
        self._desk = desk

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Forget what a deleted message said."""
        await self._desk.forgetting.message_deleted(payload.message_id)

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """The same for many at once, as after a ban."""
        for message_id in payload.message_ids:
            await self._desk.forgetting.message_deleted(message_id)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that a server was left."""
        await self._desk.forgetting.left(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that the bot is back."""
        await self._desk.forgetting.joined(guild.id)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Note what happened while the bot was away."""
        present = frozenset(guild.id for guild in self._bot.guilds)
        await self._desk.forgetting.compare(present)
