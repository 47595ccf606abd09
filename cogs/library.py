"""`/roundtable list|status|show|read|export|end`: what was held, for those who may read it."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.messages.library import ReadText
from cogs.completions import any_run, run_command, running
from cogs.replies import reply_text_ephemeral
from cogs.services import CogServices
from cogs.translation import reader_of


class LibraryCommands(commands.Cog):
    """The part of `/roundtable` that reads; the cog of that name brings the services."""

    _services: CogServices

    async def _answer(
        self, interaction: discord.Interaction, name: str, run_id: str | None
    ) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        found = await self._services.commands.look_up(name, reader_of(interaction), run_id)
        await reply_text_ephemeral(interaction, found)

    @app_commands.command(name="list", description=ReadText.LIST)
    @app_commands.guild_only()
    async def list_(self, interaction: discord.Interaction) -> None:
        """List the newest roundtables you can read."""
        await self._answer(interaction, "list", None)

    @run_command("status", ReadText.STATUS, any_run)
    async def status(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Show where a roundtable stands."""
        await self._answer(interaction, "status", id)

    @run_command("show", ReadText.SHOW, any_run)
    async def show(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Show what a roundtable concluded."""
        await self._answer(interaction, "show", id)

    @run_command("read", ReadText.READ, any_run)
    async def read(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Get the minutes with everything that was said."""
        await self._answer(interaction, "read", id)

    @run_command("export", ReadText.EXPORT, any_run)
    async def export(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Get the roundtable's files: minutes and JSON."""
        await self._answer(interaction, "export", id)

    @run_command("end", ReadText.END, running, ReadText.WHICH_DISCUSSION)
    async def end(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """End a discussion of agents."""
        await self._answer(interaction, "end", id)
