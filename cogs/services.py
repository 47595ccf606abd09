"""What the cogs call: decisions, storage and models are behind it."""

from dataclasses import dataclass
from typing import Protocol, cast

import discord

from bot.admin.service import AdminService
from bot.commands.missed import MissedMessages
from bot.commands.service import Commands, TextCommands
from bot.meeting.dependencies import HeldServers
from bot.privacy.forget import ForgetService
from bot.runs.service import RunService
from bot.talk.service import TalkService


@dataclass(frozen=True, slots=True)
class CogServices:
    """The services of the bot, handed to every cog."""

    run_service: RunService
    talk: TalkService
    steward: AdminService
    forgetting: ForgetService
    commands: Commands
    text_commands: TextCommands
    missed: MissedMessages
    held: HeldServers


class _Serving(Protocol):
    services: CogServices


def services_of(interaction: discord.Interaction) -> CogServices:
    """The services of the bot whose button, form or command was used."""
    return cast("_Serving", interaction.client).services
