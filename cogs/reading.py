"""Commands that read: status, list, show, read, export; and the end of a discussion."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final

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
from cogs.run_option import run_command

if TYPE_CHECKING:
    from bot.council.library import Library

Answer = Callable[["Library", Reader, str | None], Awaitable[Told]]

_ANSWERS: Final[Mapping[str, Answer]] = {
    "list": lambda library, reader, _: library.listing(reader),
    "status": lambda library, reader, run_id: library.status(reader, run_id),
    "show": lambda library, reader, run_id: library.show(reader, run_id),
    "read": lambda library, reader, run_id: library.read(reader, run_id),
    "export": lambda library, reader, run_id: library.export(reader, run_id),
    "end": lambda library, reader, run_id: library.end(reader, run_id),
}
READING = frozenset(_ANSWERS)


async def answer(desk: FrontDesk, command: Command, reader: Reader) -> Told:
    """What a reading command says, slash or text."""
    return await _ANSWERS[command.name](desk.council.library, reader, command.run_id)


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

    @run_command("status", words.STATUS, any_run)
    async def status(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Show where a roundtable stands."""
        await self._answer(interaction, "status", id)

    @run_command("show", words.SHOW, any_run)
    async def show(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Show what a roundtable concluded."""
        await self._answer(interaction, "show", id)

    @run_command("read", words.READ, any_run)
    async def read(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Get the minutes with everything that was said."""
        await self._answer(interaction, "read", id)

    @run_command("export", words.EXPORT, any_run)
    async def export(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Get the roundtable's files: minutes and JSON."""
        await self._answer(interaction, "export", id)

    @run_command("end", words.END, running, words.WHICH_DISCUSSION)
    async def end(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """End a discussion of agents."""
        await self._answer(interaction, "end", id)
