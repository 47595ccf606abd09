"""Completions while somebody types a slash command; nothing they may not read is offered."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import discord
from discord import app_commands

from bot.errors import UserError
from bot.store import Status
from bot.store.runs import Run
from cogs.people import reader_of
from cogs.persistent import bot_of

if TYPE_CHECKING:
    from bot.council.library import Choice

Choices = list[app_commands.Choice[str]]


async def any_run(interaction: discord.Interaction, typed: str) -> Choices:
    """Every roundtable the person can read."""
    return await _runs(interaction, typed, lambda _: True)


async def running(interaction: discord.Interaction, typed: str) -> Choices:
    """Those that are under way."""
    return await _runs(interaction, typed, lambda run: run.status is Status.ACTIVE)


async def broken(interaction: discord.Interaction, typed: str) -> Choices:
    """Those that did not conclude."""
    return await _runs(interaction, typed, lambda run: run.status is Status.CANCELLED)


async def concluded(interaction: discord.Interaction, typed: str) -> Choices:
    """Those that have a conclusion."""
    return await _runs(interaction, typed, lambda run: run.status is Status.CONCLUDED)


async def context(interaction: discord.Interaction, typed: str) -> Choices:
    """Names to build on."""
    library = bot_of(interaction).council.library
    return await _offered(library.context_choices(reader_of(interaction), typed))


async def panel(interaction: discord.Interaction, typed: str) -> Choices:
    """Models that can sit down now."""
    library = bot_of(interaction).council.library
    return _choices(library.panel_choices(interaction.guild_id or 0, typed))


async def _runs(
    interaction: discord.Interaction, typed: str, wanted: Callable[[Run], bool]
) -> Choices:
    library = bot_of(interaction).council.library
    return await _offered(library.run_choices(reader_of(interaction), typed, wanted))


async def _offered(found: "Awaitable[list[Choice]]") -> Choices:
    """What was found; nobody can be told why nothing was while they type."""
    try:
        return _choices(await found)
    except UserError:
        return []


def _choices(found: "list[Choice]") -> Choices:
    return [app_commands.Choice(name=choice.label, value=choice.value) for choice in found]
