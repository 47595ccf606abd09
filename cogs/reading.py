"""Commands that read: status, list, show, read, export; and the end of a discussion."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.council.readers import Reader
from bot.council.told import Told
from bot.request import Command
from bot.words import reading as words
from cogs.answering import tell_in_private
from cogs.completing import any_run, running
from cogs.desk import FrontDesk
from cogs.people import reader_of

READING = frozenset({"status", "list", "show", "read", "export", "end"})


async def answer(desk: FrontDesk, command: Command, reader: Reader) -> Told:
    """What a reading command says, slash or text."""
    library, run_id = desk.council.library, command.run_id
    match command.name:
        case "list":
            return await library.listing(reader)
        case "status":
            return await library.status(reader, run_id)
        case "show":
            return await library.show(reader, run_id)
        case "read":
            return await library.read(reader, run_id)
        case "export":
            return await library.export(reader, run_id)
    return await library.end(reader, run_id)


class ReadingCommands(commands.Cog):
    """The reading half of /roundtable."""

    _desk: FrontDesk

    async def _answer(
        self, interaction: discord.Interaction, name: str, run_id: str | None
    ) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        wanted = Command(name, run_id.strip() if run_id else None)
        told = await answer(self._desk, wanted, reader_of(interaction))
        await tell_in_private(interaction, told)

    @app_commands.command(name="list", description=words.LIST)
    @app_commands.guild_only()
    async def list_(self, interaction: discord.Interaction) -> None:
        """List the newest roundtables you can read."""
        await self._answer(interaction, "list", None)

    @app_commands.command(name="status", description=words.STATUS)
    @app_commands.guild_only()
    @app_commands.describe(id=words.WHICH)
    @app_commands.autocomplete(id=any_run)
    async def status(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Show where a roundtable stands."""
        await self._answer(interaction, "status", id)

    @app_commands.command(name="show", description=words.SHOW)
    @app_commands.guild_only()
    @app_commands.describe(id=words.WHICH)
    @app_commands.autocomplete(id=any_run)
    async def show(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Show what a roundtable concluded."""
        await self._answer(interaction, "show", id)

    @app_commands.command(name="read", description=words.READ)
    @app_commands.guild_only()
    @app_commands.describe(id=words.WHICH)
    @app_commands.autocomplete(id=any_run)
    async def read(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Get the minutes with everything that was said."""
        await self._answer(interaction, "read", id)

    @app_commands.command(name="export", description=words.EXPORT)
    @app_commands.guild_only()
    @app_commands.describe(id=words.WHICH)
    @app_commands.autocomplete(id=any_run)
    async def export(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Get the roundtable's files: minutes and JSON."""
        await self._answer(interaction, "export", id)

    @app_commands.command(name="end", description=words.END)
    @app_commands.guild_only()
    @app_commands.describe(id=words.WHICH_DISCUSSION)
    @app_commands.autocomplete(id=running)
    async def end(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """End a discussion of agents."""
        await self._answer(interaction, "end", id)
