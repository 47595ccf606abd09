"""Slash commands with one option, the id of a roundtable, which is completed while one types."""

from collections.abc import Callable, Coroutine
from typing import Any

import discord
from discord import app_commands

from bot.words import reading as words
from cogs.completing import Choices

Method = Callable[[Any, discord.Interaction, str | None], Coroutine[Any, Any, None]]
Completion = Callable[[discord.Interaction, str], Coroutine[Any, Any, Choices]]


def run_command(
    name: str, description: str, offered: Completion, which: str = words.WHICH
) -> Callable[[Method], app_commands.Command[Any, ..., None]]:
    """Make a method with the parameter `id` such a command of servers."""

    def decorate(method: Method) -> app_commands.Command[Any, ..., None]:
        method = app_commands.autocomplete(id=offered)(method)
        method = app_commands.describe(id=which)(method)
        method = app_commands.guild_only()(method)
        return app_commands.command(name=name, description=description)(method)

    return decorate
