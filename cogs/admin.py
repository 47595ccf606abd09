"""For admins: `/panel …`, and the commands under `/roundtable` that only they may use."""

from dataclasses import replace
from typing import Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.admin.findings import findings_text
from bot.admin.setting_up import Wanted
from bot.council.summons import Summons
from bot.panels import MODES
from bot.request import Flag, Mode, Request, build_request
from bot.stage.inspecting import inspect_server
from bot.words import administration as words
from bot.words import buttons
from bot.words.setup import OPTIONS
from bot.words.starting import meets_in
from cogs.answering import tell_failure, whisper
from cogs.desk import FrontDesk
from cogs.people import asker_of, require_admin
from cogs.persistent import answer_press, bot_of

TRY_SECONDS: Final = 600.0
_PANELS = [app_commands.Choice(name=mode, value=mode) for mode in MODES]


class AdminCommands(commands.Cog):
    """The admins' part of `/roundtable`; the cog of that name brings the desk."""

    _desk: FrontDesk

    @app_commands.command(name="setup", description=words.SETUP)
    @app_commands.guild_only()
    @app_commands.describe(**OPTIONS)
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

    @app_commands.command(name="doctor", description=words.DOCTOR)
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

    @app_commands.command(name="pause", description=words.PAUSE)
    @app_commands.guild_only()
    async def pause(self, interaction: discord.Interaction) -> None:
        """Admins: take nothing new in this server; what runs goes on to its end."""
        guild_id = require_admin(interaction)
        text = await self._desk.steward.pause(guild_id, interaction.user.id)
        await whisper(interaction, text)

    @app_commands.command(name="resume", description=words.RESUME)
    @app_commands.guild_only()
    async def resume(self, interaction: discord.Interaction) -> None:
        """Admins: take new roundtables again."""
        guild_id = require_admin(interaction)
        await whisper(interaction, await self._desk.steward.resume(guild_id))


class TryView(discord.ui.View):
    """The button under a price; it is there for as long as Discord lets us answer."""

    def __init__(self, desk: FrontDesk, request: Request) -> None:
        super().__init__(timeout=TRY_SECONDS)
        self._desk = desk
        self._request = request

    @discord.ui.button(label=buttons.TRY_IT, style=discord.ButtonStyle.primary)
    async def go(
        self, interaction: discord.Interaction, _button: discord.ui.Button["TryView"]
    ) -> None:
        """Hold it now."""
        self.stop()
        summons = Summons(
            guild_id=interaction.guild_id or 0,
            channel_id=interaction.channel_id or 0,
            message_id=None,
            asker=asker_of(interaction.user),
            request=self._request,
            again=True,
        )

        async def act(pressed: discord.Interaction) -> str:
            convened = await bot_of(pressed).council.convene(summons)
            return meets_in(convened.place.target_id)

        await answer_press(interaction, act)


@app_commands.default_permissions(manage_guild=True)
class PanelCog(commands.GroupCog, group_name="panel", group_description=words.PANEL):
    """See, reload and try the panels of panels.json."""

    def __init__(self, desk: FrontDesk) -> None:
        self._desk = desk
        super().__init__()

    @app_commands.command(name="list", description=words.PANEL_LIST)
    @app_commands.guild_only()
    async def list(self, interaction: discord.Interaction) -> None:
        """Show every panel and who would sit on it now."""
        guild_id = require_admin(interaction)
        await whisper(interaction, self._desk.steward.list_panels(guild_id))

    @app_commands.command(name="show", description=words.PANEL_SHOW)
    @app_commands.guild_only()
    @app_commands.describe(panel=words.WHICH_PANEL)
    @app_commands.choices(panel=_PANELS)
    async def show(self, interaction: discord.Interaction, panel: app_commands.Choice[str]) -> None:
        """Show one panel, seat by seat."""
        guild_id = require_admin(interaction)
        await whisper(interaction, self._desk.steward.show_panel(guild_id, panel.value))

    @app_commands.command(name="try", description=words.PANEL_TRY)
    @app_commands.guild_only()
    @app_commands.describe(panel=words.WHICH_PANEL, question=words.WHAT_TO_ASK)
    @app_commands.choices(panel=_PANELS)
    async def try_(
        self,
        interaction: discord.Interaction,
        panel: app_commands.Choice[str],
        question: app_commands.Range[str, 1, 4000],
    ) -> None:
        """Put one question to one panel in this channel; its price comes first."""
        guild_id = require_admin(interaction)
        await interaction.response.defer(ephemeral=True, thinking=True)
        limit = self._desk.config(guild_id).limits.topic_chars
        asked = build_request(question, [Flag("--quick"), Flag("--no-search")], limit)
        request = replace(asked, mode=Mode(panel.value), mode_forced=True)
        price = await self._desk.council.price_of(guild_id, request)
        text = words.price_of_try(panel.value, price)
        await whisper(interaction, text, TryView(self._desk, request))

    @app_commands.command(name="reload", description=words.PANEL_RELOAD)
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
        await tell_failure(interaction, error)
