"""`/roundtable`: the group and its order, and its commands about a run: conclude, stop, retry …"""

from collections.abc import Awaitable, Callable
from typing import Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.access.readers import Reader
from bot.messages.library import ReadText
from bot.messages.starting import StartText
from cogs.admin import AdminCommands
from cogs.completions import broken, concluded, run_command, running
from cogs.decisions import DecisionCommands
from cogs.library import LibraryCommands
from cogs.privacy import PrivacyCommands
from cogs.replies import reply_ephemeral, reply_error
from cogs.services import CogServices
from cogs.start import StartCommand
from cogs.translation import reader_of

_ORDER: Final = (
    *("start", "status", "list", "show", "read", "export", "conclude", "post", "resolve", "retry"),
    *("reopen", "record", "quiet"),
    *("costs", "help", "setup", "doctor", "pause", "resume", "end", "stop", "forget"),
)
"""As people find them: what one begins with first, what cannot be taken back last."""


def _put_in_order(cog: commands.GroupCog) -> None:
    """Discord lists the commands of a group in the order in which they were added."""
    group = cog.app_command
    if isinstance(group, app_commands.Group):
        for name in _ORDER:
            if (command := group.get_command(name)) is not None:
                group.remove_command(name)
                group.add_command(command)


class RoundtableCog(
    StartCommand,
    LibraryCommands,
    DecisionCommands,
    AdminCommands,
    PrivacyCommands,
    commands.GroupCog,
    group_name="roundtable",
    group_description=StartText.ROUNDTABLE,
):
    """Hold a meeting of language models on a question."""

    def __init__(self, services: CogServices) -> None:
        self._services = services
        super().__init__()
        _put_in_order(self)

    async def _tell(
        self, interaction: discord.Interaction, act: Callable[[Reader], Awaitable[str]]
    ) -> None:
        """Do what a person asks for and tell nobody else what came of it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await reply_ephemeral(interaction, await act(reader_of(interaction)))

    @run_command("stop", ReadText.STOP, running)
    async def stop(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Stop a roundtable and keep what was said."""
        await self._tell(interaction, lambda reader: self._services.commands.stop(reader, id))

    @run_command("conclude", ReadText.CONCLUDE, running)
    async def conclude(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """End the rounds now and have the conclusion written."""
        await self._tell(interaction, lambda reader: self._services.commands.conclude(reader, id))

    @app_commands.command(name="costs", description=ReadText.COSTS)
    @app_commands.guild_only()
    async def costs(self, interaction: discord.Interaction) -> None:
        """Show what you spent, what is left today, and what a roundtable costs now."""
        await self._tell(interaction, self._services.commands.costs)

    @run_command("retry", ReadText.RETRY, broken)
    async def retry(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Try a failed roundtable again; what was answered is kept."""
        await self._tell(interaction, lambda reader: self._services.commands.retry(reader, id))

    @app_commands.command(name="post", description=ReadText.POST)
    @app_commands.guild_only()
    @app_commands.describe(channel=ReadText.WHERE_TO_POST, id=ReadText.WHICH)
    @app_commands.autocomplete(id=concluded)
    async def post(
        self,
        interaction: discord.Interaction,
        channel: discord.TextChannel,
        id: str | None = None,  # noqa: A002 (the option's name)
    ) -> None:
        """Post a conclusion in another channel, once somebody approved it."""
        post = self._services.commands.post
        await self._tell(interaction, lambda reader: post(reader, id, channel.id))

    @app_commands.command(name="quiet", description=ReadText.QUIET)
    @app_commands.guild_only()
    async def quiet(self, interaction: discord.Interaction) -> None:
        """Silence the panel of this thread until somebody writes."""
        await self._tell(interaction, lambda reader: self._services.talk.quiet(reader.channel_id))

    @app_commands.command(name="help", description=ReadText.HELP)
    async def help(self, interaction: discord.Interaction) -> None:
        """Show what Roundtable can do."""
        await reply_ephemeral(interaction, self._services.commands.help())

    async def cog_app_command_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError
    ) -> None:
        """Tell the person what went wrong, and nobody else."""
        await reply_error(interaction, error)
