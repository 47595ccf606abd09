"""Buttons that still work after a restart: their meaning is in the custom id."""

import re
from typing import Protocol, Self, cast

import discord

from bot.council.service import Council
from cogs.answering import sentence_for, whisper
from cogs.people import asker_of


class HasCouncil(Protocol):
    """What the buttons expect of the client they are pressed in."""

    council: Council


class StopButton(
    discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]],
    template=r"rt:(?P<run>rt_[0-9a-f]{8}):stop",
):
    """The red button on the card."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            discord.ui.Button(
                label="Stop", style=discord.ButtonStyle.danger, custom_id=f"rt:{run_id}:stop"
            )
        )
        self._run_id = run_id

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[discord.ui.View],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Stop the run, or say why not, to the person who pressed."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        try:
            text = await cast("HasCouncil", interaction.client).council.stop(
                self._run_id, asker_of(interaction.user)
            )
        except Exception as error:
            text = sentence_for(error)
        await whisper(interaction, text)
