"""For admins: `/panel …`, and the commands under `/roundtable` that only they may use."""

from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.service import Trial
from bot.messages.admin import AdminText, SetupText
from bot.messages.discord import ButtonText
from bot.messages.starting import StartText
from bot.panels import MODES
from bot.stage.findings import findings_text
from bot.stage.inspecting import inspect_server
from cogs.components import answer_press
from cogs.replies import reply_ephemeral, reply_error
from cogs.services import CogServices
from cogs.setup import show_setup
from cogs.translation import asker_of, reader_of

_TRY_SECONDS: Final = 600.0
_PANELS = [app_commands.Choice(name=mode, value=mode) for mode in MODES]


class AdminCommands(commands.Cog):
    """The admins' part of `/roundtable`; the cog of that name brings the services."""

    _services: CogServices

    @app_commands.command(name="setup", description=AdminText.SETUP)
    @app_commands.guild_only()
    @app_commands.describe(**SetupText.OPTIONS)
    async def setup(
        self,
        interaction: discord.Interaction,
        topics: discord.TextChannel | None = None,
        output: discord.TextChannel | None = None,
        role: discord.Role | None = None,
        cooldown: app_commands.Range[int, 0, 86_400] | None = None,
    ) -> None:
        """Admins: set this server up; the options are stored at once, the rest by forms."""
        wanted: dict[str, Any] = {}
        if topics:
            wanted["topics"] = [str(topics.id)]
        if output:
            wanted["output"] = str(output.id)
        if role:
            wanted["starters"] = [str(role.id)]
        if cooldown is not None:
            wanted["cooldown"] = cooldown
        await show_setup(interaction, self._services, wanted)

    @app_commands.command(name="doctor", description=AdminText.DOCTOR)
    @app_commands.guild_only()
    async def doctor(self, interaction: discord.Interaction) -> None:
        """Admins: look for problems, each with its fix."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        steward, asker = self._services.steward, asker_of(interaction.user)
        outside = await steward.examine(asker, _guild_id(interaction))
        inside = await inspect_server(interaction.client, interaction.channel)
        await reply_ephemeral(interaction, findings_text([*inside, *outside]))

    @app_commands.command(name="pause", description=AdminText.PAUSE)
    @app_commands.guild_only()
    async def pause(self, interaction: discord.Interaction) -> None:
        """Admins: accept no new topics in this server; running meetings continue."""
        asker, guild_id = asker_of(interaction.user), _guild_id(interaction)
        await reply_ephemeral(interaction, await self._services.steward.pause(asker, guild_id))

    @app_commands.command(name="resume", description=AdminText.RESUME)
    @app_commands.guild_only()
    async def resume(self, interaction: discord.Interaction) -> None:
        """Admins: take new roundtables again."""
        asker, guild_id = asker_of(interaction.user), _guild_id(interaction)
        await reply_ephemeral(interaction, await self._services.steward.resume(asker, guild_id))


class _TryView(discord.ui.View):
    """The button under a price; it is there for as long as Discord lets us answer."""

    def __init__(self, services: CogServices, trial: Trial) -> None:
        super().__init__(timeout=_TRY_SECONDS)
        self._services = services
        self._trial = trial

    @discord.ui.button(label=ButtonText.TRY_IT, style=discord.ButtonStyle.primary)
    async def go(
        self, interaction: discord.Interaction, _button: discord.ui.Button["_TryView"]
    ) -> None:
        """Hold it now."""
        self.stop()

        async def act(pressed: discord.Interaction) -> str:
            held = await self._services.commands.hold_trial(reader_of(pressed), self._trial)
            return StartText.meets_in(held.place.target_id)

        await answer_press(interaction, act)


@app_commands.default_permissions(manage_guild=True)
class PanelCog(commands.GroupCog, group_name="panel", group_description=AdminText.PANEL):
    """See, reload and try the panels of panels.json."""

    def __init__(self, services: CogServices) -> None:
        self._services = services
        super().__init__()

    @app_commands.command(name="list", description=AdminText.PANEL_LIST)
    @app_commands.guild_only()
    async def list(self, interaction: discord.Interaction) -> None:
        """Show every panel and who would sit on it now."""
        asker, guild_id = asker_of(interaction.user), _guild_id(interaction)
        await reply_ephemeral(interaction, self._services.steward.list_panels(asker, guild_id))

    @app_commands.command(name="show", description=AdminText.PANEL_SHOW)
    @app_commands.guild_only()
    @app_commands.describe(panel=AdminText.WHICH_PANEL)
    @app_commands.choices(panel=_PANELS)
    async def show(self, interaction: discord.Interaction, panel: app_commands.Choice[str]) -> None:
        """Show one panel, seat by seat."""
        asker, guild_id = asker_of(interaction.user), _guild_id(interaction)
        shown = await self._services.steward.show_panel(asker, guild_id, panel.value)
        await reply_ephemeral(interaction, shown)

    @app_commands.command(name="try", description=AdminText.PANEL_TRY)
    @app_commands.guild_only()
    @app_commands.describe(panel=AdminText.WHICH_PANEL, question=AdminText.WHAT_TO_ASK)
    @app_commands.choices(panel=_PANELS)
    async def try_(
        self,
        interaction: discord.Interaction,
        panel: app_commands.Choice[str],
        question: app_commands.Range[str, 1, 4000],
    ) -> None:
        """Put one question to one panel in this channel; its price comes first."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        trial = await self._services.commands.trial(reader_of(interaction), panel.value, question)
        text = AdminText.price_of_try(panel.value, trial.price)
        await reply_ephemeral(interaction, text, _TryView(self._services, trial))

    @app_commands.command(name="reload", description=AdminText.PANEL_RELOAD)
    @app_commands.guild_only()
    async def reload(self, interaction: discord.Interaction) -> None:
        """Read panels.json now instead of in a moment."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await reply_ephemeral(
            interaction, await self._services.steward.reload(asker_of(interaction.user))
        )

    async def cog_app_command_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError
    ) -> None:
        """Tell the person what went wrong, and nobody else."""
        await reply_error(interaction, error)


def _guild_id(interaction: discord.Interaction) -> int:
    return interaction.guild_id or 0
