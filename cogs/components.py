"""Buttons, menus and forms that still work after a restart: their custom id says what for."""

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar, cast

import discord

from cogs.replies import error_text, reply_ephemeral
from cogs.services import services_of

RUN: Final = r"(?P<run>rt_[0-9a-f]{8})"
FIELD_LIMIT: Final = 4000
_NO_ID: Final = r"(?!)"
ItemT = TypeVar("ItemT", bound=discord.ui.Item[Any])


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
            await reply_ephemeral(interaction, error_text(error))
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
        await services_of(interaction).commands.require_server(interaction.guild_id or 0, about)


async def answer_press(
    interaction: discord.Interaction, act: Callable[[discord.Interaction], Awaitable[str]]
) -> None:
    """Do what a button or a form is for, or say why not, to the person who used it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    try:
        text = await act(interaction)
    except Exception as error:
        text = error_text(error)
    await reply_ephemeral(interaction, text)


async def open_form(interaction: discord.Interaction, form: Awaitable[discord.ui.Modal]) -> None:
    """Show a form, or say why not to the person who wanted it."""
    try:
        shown = await form
    except Exception as error:
        await reply_ephemeral(interaction, error_text(error))
        return
    await interaction.response.send_modal(shown)


@dataclass(frozen=True, slots=True)
class SentForm:
    """What the custom id of a form says, and what was typed or chosen in each field."""

    said: re.Match[str]
    written: dict[str, str]
    chosen: dict[str, list[str]]


def sent_form(interaction: discord.Interaction, ids: re.Pattern[str]) -> SentForm | None:
    """The form that an interaction hands in, if it has such an id."""
    data = cast("dict[str, Any]", interaction.data or {})
    said = ids.fullmatch(str(data.get("custom_id", "")))
    if interaction.type is not discord.InteractionType.modal_submit or said is None:
        return None
    fields = list(_fields(data.get("components", [])))
    written = {name: str(f["value"])[:FIELD_LIMIT] for name, f in fields if "value" in f}
    chosen = {name: [str(value) for value in f.get("values") or ()] for name, f in fields}
    return SentForm(said, written, chosen)


def paragraph(name: str, label: str, limit: int, text: str = "") -> "discord.ui.Label[Any]":
    """A field for a long text under its label."""
    field: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=name,
        style=discord.TextStyle.paragraph,
        default=text or None,
        max_length=limit,
    )
    return discord.ui.Label(text=label, component=field)


def line(name: str, label: str, limit: int) -> "discord.ui.Label[Any]":
    """A field for one line under its label."""
    field: discord.ui.TextInput[Any] = discord.ui.TextInput(custom_id=name, max_length=limit)
    return discord.ui.Label(text=label, component=field)


def _fields(components: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field by its name, whichever way they are nested."""
    for part in components:
        if "value" in part or "values" in part:
            yield str(part.get("custom_id", "")), part
        yield from _fields([*part.get("components", []), *filter(None, [part.get("component")])])
