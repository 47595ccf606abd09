"""Starting a roundtable by slash command, by its form, or from a message's menu."""

from collections.abc import Mapping, Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.messages.starting import StartText
from bot.request import Flag
from bot.request.parse import ROUNDS
from bot.types.mode import Mode
from cogs.buttons import started_reply
from cogs.completions import context, panel
from cogs.replies import error_text, reply_ephemeral
from cogs.services import CogServices
from cogs.translation import reader_of

_TOPIC_LIMIT = 4000
_ANY_MODE = "any"
_MODES = {mode.value: mode.value.capitalize() for mode in Mode if mode is not Mode.DEFAULT}


async def _start(
    services: CogServices, interaction: discord.Interaction, topic: str, flags: Sequence[Flag]
) -> None:
    """Hold the roundtable an interaction asks for, and tell its person where."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    started = await services.commands.start(reader_of(interaction), topic, flags)
    await reply_ephemeral(interaction, *started_reply(started))


class StartForm(discord.ui.Modal):
    """Everything a roundtable can be given, for those who do not know the flags."""

    def __init__(self, services: CogServices, topic: str = "", given: Sequence[Flag] = ()) -> None:
        super().__init__(title=StartText.FORM_TITLE)
        self._services = services
        self._given = tuple(given)
        self._topic: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="topic",
            style=discord.TextStyle.paragraph,
            placeholder=StartText.EXAMPLE_TOPIC,
            default=topic[:_TOPIC_LIMIT] or None,
            max_length=_TOPIC_LIMIT,
        )
        self._mode = _select("mode", {_ANY_MODE: StartText.MODE_FROM_WORDS, **_MODES})
        self._extras = _select("extras", StartText.EXTRAS, most=len(StartText.EXTRAS))
        self._panel = _optional("panel", StartText.EXAMPLE_PANEL)
        self._context = _optional("context_from", StartText.EXAMPLE_CONTEXT)
        for label, component in (
            (StartText.FORM_TOPIC, self._topic),
            (StartText.FORM_MODE, self._mode),
            (StartText.FORM_EXTRAS, self._extras),
            (StartText.FORM_PANEL, self._panel),
            (StartText.FORM_CONTEXT, self._context),
        ):
            self.add_item(discord.ui.Label(text=label, component=component))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Start what the form says."""
        await _start(self._services, interaction, self._topic.value, self._flags())

    async def on_error(  # type: ignore[override] # a modal's has no item, as discord.py says
        self, interaction: discord.Interaction, error: Exception, /
    ) -> None:
        """Tell the person why there is no roundtable."""
        await reply_ephemeral(interaction, error_text(error))

    def _flags(self) -> list[Flag]:
        modes = [value for value in self._mode.values if value in _MODES]
        flags = [Flag(f"--{mode}") for mode in modes]
        flags += [Flag(name) for name in self._extras.values if name in StartText.EXTRAS]
        named = {"--panel": self._panel.value, "--context-from": self._context.value}
        flags += [Flag(name, said.strip().lower()) for name, said in named.items() if said.strip()]
        return [*self._given, *flags]


def _select(name: str, options: Mapping[str, str], most: int = 1) -> "discord.ui.Select[Any]":
    listed = [discord.SelectOption(label=label, value=value) for value, label in options.items()]
    return discord.ui.Select(
        custom_id=name, options=listed, min_values=0, max_values=most, required=False
    )


def _optional(name: str, example: str) -> "discord.ui.TextInput[Any]":
    return discord.ui.TextInput(custom_id=name, placeholder=example, required=False, max_length=200)


class StartCommand(commands.Cog):
    """/roundtable start."""

    _services: CogServices

    @app_commands.command(name="start", description=StartText.START)
    @app_commands.guild_only()
    @app_commands.describe(**StartText.OPTIONS)
    @app_commands.choices(
        mode=[app_commands.Choice(name=mode, value=mode) for mode in Mode if mode != Mode.DEFAULT],
        rounds=[app_commands.Choice(name=number, value=number) for number in ROUNDS],
    )
    @app_commands.autocomplete(panel=panel, context_from=context)
    async def start(
        self,
        interaction: discord.Interaction,
        topic: str | None = None,
        mode: app_commands.Choice[str] | None = None,
        quick: bool = False,
        rounds: app_commands.Choice[str] | None = None,
        panel: str | None = None,
        validate: bool = False,
        no_search: bool = False,
        context_from: str | None = None,
        link: str | None = None,
        masked: bool = False,
        options: str | None = None,
    ) -> None:
        """Hold a roundtable on a question."""
        flags = [Flag(f"--{mode.value}")] if mode else []
        flags += [Flag("--quick")] * quick + [Flag("--validate")] * validate
        flags += [Flag("--no-search")] * no_search + [Flag("--masked")] * masked
        flags += [Flag("--rounds", rounds.value)] if rounds else []
        flags += [Flag("--panel", panel.lower())] if panel else []
        flags += [Flag("--context-from", context_from)] if context_from else []
        flags += [Flag("--link", link)] if link else []
        flags += [Flag("--options", options)] if options else []
        if topic is None:
            await interaction.response.send_modal(StartForm(self._services, given=flags))
            return
        await _start(self._services, interaction, topic, flags)
