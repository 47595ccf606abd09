"""Message menus: who said this, and a roundtable on this."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.errors import UsageError
from bot.words.buttons import ROUNDTABLE_ON_THIS, WHO_SAID_THIS
from bot.words.starting import NO_TEXT
from cogs.answering import tell_failure, tell_in_private
from cogs.desk import FrontDesk
from cogs.people import reader_of, with_names
from cogs.starting import StartForm


class MenusCog(commands.Cog):
    """Two entries in the menu of every message."""

    def __init__(self, bot: commands.Bot, desk: FrontDesk) -> None:
        self._tree = bot.tree
        self._desk = desk
        self._menus = (
            app_commands.ContextMenu(name=WHO_SAID_THIS, callback=self._who_said),
            app_commands.ContextMenu(name=ROUNDTABLE_ON_THIS, callback=self._on_this),
        )
        for menu in self._menus:
            menu.error(tell_failure)

    async def cog_load(self) -> None:
        """Add the entries."""
        for menu in self._menus:
            self._tree.add_command(menu)

    async def cog_unload(self) -> None:
        """Take the entries away."""
        for menu in self._menus:
            self._tree.remove_command(menu.name, type=menu.type)

    @app_commands.guild_only()
    async def _who_said(self, interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        library = self._desk.council.library
        told = await library.who_said(reader_of(interaction), message.id)
        await tell_in_private(interaction, told)

    @app_commands.guild_only()
    async def _on_this(self, interaction: discord.Interaction, message: discord.Message) -> None:
        topic = with_names(message, message.content).strip()
        if not topic:
            raise UsageError(NO_TEXT)
        await interaction.response.send_modal(StartForm(self._desk, topic))
