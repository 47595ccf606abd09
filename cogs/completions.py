"""Completions while somebody types a slash command, and commands whose option is a run's id."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from bot.errors import UserError
from bot.messages.library import ReadText
from cogs.services import services_of
from cogs.translation import reader_of

if TYPE_CHECKING:
    from bot.library.service import RunChoice


Choices = list[app_commands.Choice[str]]
_Method = Callable[[Any, discord.Interaction, str | None], Coroutine[Any, Any, None]]
_Completion = Callable[[discord.Interaction, str], Coroutine[Any, Any, Choices]]


def run_command(
    name: str, description: str, offered: _Completion, which: str = ReadText.WHICH
) -> Callable[[_Method], app_commands.Command[Any, ..., None]]:
    """Make a method with the parameter `id` such a command of servers."""

    def decorate(method: _Method) -> app_commands.Command[Any, ..., None]:
        method = app_commands.autocomplete(id=offered)(method)
        method = app_commands.describe(id=which)(method)
        method = app_commands.guild_only()(method)
        return app_commands.command(name=name, description=description)(method)

    return decorate


async def any_run(interaction: discord.Interaction, typed: str) -> Choices:
    """Every roundtable the person can read."""
    return await _runs(interaction, typed)


async def running(interaction: discord.Interaction, typed: str) -> Choices:
    """Those that are under way."""
    return await _runs(interaction, typed, "active")


async def broken(interaction: discord.Interaction, typed: str) -> Choices:
    """Those that did not conclude."""
    return await _runs(interaction, typed, "cancelled")


async def concluded(interaction: discord.Interaction, typed: str) -> Choices:
    """Those that have a conclusion."""
    return await _runs(interaction, typed, "concluded")


async def context(interaction: discord.Interaction, typed: str) -> Choices:
    """Names to build on."""
    library = services_of(interaction).run_service.library
    return await _offered(library.context_choices(reader_of(interaction), typed))


async def panel(interaction: discord.Interaction, typed: str) -> Choices:
    """Models that can sit down now."""
    library = services_of(interaction).run_service.library
    return _choices(library.panel_choices(interaction.guild_id or 0, typed))


async def _runs(interaction: discord.Interaction, typed: str, status: str | None = None) -> Choices:
    library = services_of(interaction).run_service.library
    return await _offered(library.run_choices(reader_of(interaction), typed, status))


async def _offered(found: "Awaitable[list[RunChoice]]") -> Choices:
    """What was found; nobody can be told why nothing was while they type."""
    try:
        return _choices(await found)
    except UserError:
        return []


def _choices(found: "list[RunChoice]") -> Choices:
    return [app_commands.Choice(name=choice.label, value=choice.value) for choice in found]
