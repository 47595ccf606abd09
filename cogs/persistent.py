"""Items that still work after a restart: all they mean is in their custom id."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, Self, TypeVar, cast

import discord

from bot.council.forgetting import Forgetting
from bot.council.service import Council
from bot.talk.service import Talk
from cogs.answering import sentence_for, whisper

RUN: Final = r"(?P<run>rt_[0-9a-f]{8})"
_NO_ID: Final = r"(?!)"
ItemT = TypeVar("ItemT", bound=discord.ui.Item[Any])


class PressedBot(Protocol):
    """What items expect of the client they are used in."""

    council: Council
    talk: Talk
    forgetting: Forgetting


def bot_of(interaction: discord.Interaction) -> PressedBot:
    """The bot whose item was used."""
    return cast("PressedBot", interaction.client)


class PersistentItem(discord.ui.DynamicItem[ItemT], template=_NO_ID):
    """An item under a message of any age; `said` is what its custom id says.

    Items are drawn where their message is written. A class says which custom ids it answers to,
    as `rt:<about>:<action>`, and what using one does.
    """

    said: re.Match[str]

    def __init_subclass__(cls, *, action: str, about: str = RUN) -> None:
        super().__init_subclass__(template=f"rt:{about}:{action}")

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],
        match: re.Match[str],
    ) -> Self:
        """Take the item as it stands under its message."""
        made = cls(cast("ItemT", item))
        made.said = match
        return made

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Whether it is used in the server of what it is about; elsewhere that is not found."""
        try:
            await require_own_server(interaction, self.said)
        except Exception as error:
            await whisper(interaction, sentence_for(error))
            return False
        return True


class PersistentButton(PersistentItem[discord.ui.Button[Any]], action=_NO_ID):
    """A button whose press is answered with a sentence that its person alone reads."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Do what the button is for, and say so."""
        raise NotImplementedError

    async def callback(self, interaction: discord.Interaction) -> None:
        """Answer the press."""
        await answer_press(interaction, self.press)


async def require_own_server(interaction: discord.Interaction, said: re.Match[str]) -> None:
    """Refuse an item or a form about a run of another server, as if there were no such run."""
    names = said.groupdict()
    if about := names.get("run") or names.get("approval"):
        readers = bot_of(interaction).council.library.readers
        await readers.require_server(interaction.guild_id or 0, about)


async def answer_press(
    interaction: discord.Interaction, act: Callable[[discord.Interaction], Awaitable[str]]
) -> None:
    """Do what a button or a form is for, or say why not, to the person who used it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    try:
        text = await act(interaction)
    except Exception as error:
        text = sentence_for(error)
    await whisper(interaction, text)


async def open_form(interaction: discord.Interaction, form: Awaitable[discord.ui.Modal]) -> None:
    """Show a form, or say why not to the person who wanted it."""
    try:
        shown = await form
    except Exception as error:
        await whisper(interaction, sentence_for(error))
        return
    await interaction.response.send_modal(shown)
