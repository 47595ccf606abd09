"""For admins: `/panel …`, and the commands under `/roundtable` that only they may use."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.admin.findings import findings_text
from bot.admin.setting_up import Wanted
from bot.panels import MODES
from bot.stage.inspecting import inspect_server
from cogs.answering import sentence_for, whisper
from cogs.desk import FrontDesk
from cogs.people import require_admin

_PANELS = [app_commands.Choice(name=mode, value=mode) for mode in MODES]


class AdminCommands(commands.Cog):
    """The admins' part of `/roundtable`; the cog of that name brings the desk."""

    _desk: FrontDesk

    @app_commands.command(name="setup")
    @app_commands.guild_only()
    @app_commands.describe(
        topics="A channel where every message is to be a topic",
        output="The channel where all roundtables are to be held",
        role="The only role that is to start one",
        cooldown="Seconds a person is to wait between two starts",
    )
    async def setup(
        self,
        interaction: discord.Interaction,
        topics: discord.TextChannel | None = None,
        output: discord.TextChannel | None = None,
        role: discord.Role | None = None,
        cooldown: app_commands.Range[int, 0, 86_400] | None = None,
    ) -> None:
        """Admins: see how this server is set up, and get the lines to change it."""
        guild_id = require_admin(interaction)
        wanted = Wanted(
            topics.id if topics else None,
            output.id if output else None,
            role.id if role else None,
            cooldown,
        )
        await interaction.response.defer(ephemeral=True, thinking=True)
        here = interaction.channel_id or 0
        await whisper(interaction, await self._desk.steward.set_up(guild_id, here, wanted))

    @app_commands.command(name="doctor")
    @app_commands.guild_only()
    async def doctor(self, interaction: discord.Interaction) -> None:
        """Admins: look for problems, each with its fix."""
        guild_id = require_admin(interaction)
        await interaction.response.defer(ephemeral=True, thinking=True)
        findings = [
            *await inspect_server(interaction.client, interaction.channel),
            *await self._desk.steward.examine(guild_id),
        ]
        await whisper(interaction, findings_text(findings))

    @app_commands.command(name="pause")
    @app_commands.guild_only()
    async def pause(self, interaction: discord.Interaction) -> None:
        """Admins: take nothing new in this server; what runs goes on to its end."""
        guild_id = require_admin(interaction)
        text = await self._desk.steward.pause(guild_id, interaction.user.id)
        await whisper(interaction, text)

    @app_commands.command(name="resume")
    @app_commands.guild_only()
    async def resume(self, interaction: discord.Interaction) -> None:
        """Admins: take new roundtables again."""
        guild_id = require_admin(interaction)
        await whisper(interaction, await self._desk.steward.resume(guild_id))


@app_commands.default_permissions(manage_guild=True)
class PanelCog(commands.GroupCog, group_name="panel"):
    """See, reload and try the panels of panels.json."""

    def __init__(self, desk: FrontDesk) -> None:
        self._desk = desk
        super().__init__()

    @app_commands.command(name="list")
    @app_commands.guild_only()
    async def list(self, interaction: discord.Interaction) -> None:
        """Show every panel and who would sit on it now."""
        guild_id = require_admin(interaction)
        await whisper(interaction, self._desk.steward.list_panels(guild_id))

    @app_commands.command(name="show")
    @app_commands.guild_only()
    @app_commands.describe(panel="Which panel")
    @app_commands.choices(panel=_PANELS)
    async def show(self, interaction: discord.Interaction, panel: app_commands.Choice[str]) -> None:
        """Show one panel, seat by seat."""
        guild_id = require_admin(interaction)
        await whisper(interaction, self._desk.steward.show_panel(guild_id, panel.value))

    @app_commands.command(name="reload")
    @app_commands.guild_only()
    async def reload(self, interaction: discord.Interaction) -> None:
        """Read panels.json now instead of in a moment."""
        require_admin(interaction)
        await interaction.response.defer(ephemeral=True, thinking=True)
        await whisper(interaction, await self._desk.steward.reload())

    async def cog_app_command_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError
    ) -> None:
        """Tell the person what went wrong, and nobody else."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await whisper(interaction, sentence_for(cause))
