"""The buttons, the menu and the forms of `/roundtable setup`; all work after a restart."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord.ext import commands

from bot.admin.setup import amount_of
from bot.messages.admin import SetupText
from cogs.components import PersistentItem, SentForm, open_form, sent_form
from cogs.replies import error_text, reply_ephemeral
from cogs.services import CogServices, services_of
from cogs.translation import asker_of

_ABOUT: Final = "setup"
_PLACES, _RULES, _CLEAR = "places", "rules", "clear"
_FORM: Final = re.compile(rf"rt:{_ABOUT}:(?P<form>{_PLACES}|{_RULES}):form")
_MOST: Final = 25
_SINGLE: Final = frozenset({"output", "language", "panel"})
_AMOUNTS: Final = ("per_run", "per_person", "per_server")
_Preset = Mapping[str, Any]


async def show_setup(
    interaction: discord.Interaction, services: CogServices, wanted: Mapping[str, Any]
) -> None:
    """Store what is wanted and show what holds, with what changes it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    steward, asker = services.steward, asker_of(interaction.user)
    guild_id = interaction.guild_id or 0
    try:
        text = await steward.set_up(asker, guild_id, interaction.channel_id or 0, wanted)
        stored = await steward.stored_settings(asker, guild_id)
    except Exception as error:
        await reply_ephemeral(interaction, error_text(error))
        return
    await reply_ephemeral(interaction, text, _view(tuple(stored)))


def _view(stored: Sequence[str]) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    for form, label in ((_PLACES, SetupText.PLACES), (_RULES, SetupText.RULES)):
        view.add_item(discord.ui.Button(label=label, custom_id=f"rt:{_ABOUT}:{form}"))
    if stored:
        options = [discord.SelectOption(label=SetupText.NAMES[n], value=n) for n in stored]
        view.add_item(
            discord.ui.Select(
                custom_id=f"rt:{_ABOUT}:{_CLEAR}",
                placeholder=SetupText.CLEAR,
                options=options,
                max_values=len(options),
            )
        )
    return view


class SetupButton(
    PersistentItem[discord.ui.Button[Any]], action=f"(?P<form>{_PLACES}|{_RULES})", about=_ABOUT
):
    """Opens one of the two forms."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Show the form with what is stored."""
        await open_form(interaction, self._form(interaction))

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        steward, guild_id = services_of(interaction).steward, interaction.guild_id or 0
        stored = await steward.stored_settings(asker_of(interaction.user), guild_id)
        if self.said["form"] == _PLACES:
            return _SetupForm(_PLACES, SetupText.PLACES, _places(stored))
        return _SetupForm(_RULES, SetupText.RULES, _rules(stored, steward.profiles(guild_id)))


class SetupMenu(PersistentItem[discord.ui.Select[Any]], action=_CLEAR, about=_ABOUT):
    """Gives settings back to panels.json."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Clear what was chosen."""
        chosen = [name for name in self.item.values if name in SetupText.NAMES]
        await show_setup(interaction, services_of(interaction), dict.fromkeys(chosen))


class _SetupForm(discord.ui.Modal):
    """A form whose fields are named as the settings are; the cog takes what was chosen."""

    def __init__(self, form: str, title: str, fields: Mapping[str, discord.ui.Item[Any]]) -> None:
        super().__init__(title=title, custom_id=f"rt:{_ABOUT}:{form}:form")
        for name, field in fields.items():
            self.add_item(discord.ui.Label(text=SetupText.NAMES[name], component=field))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class SetupCog(commands.Cog):
    """Takes the forms, also those that were opened before a restart."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        form = sent_form(interaction, _FORM)
        if form is None:
            return
        try:
            wanted = _wanted(form)
        except Exception as error:
            await reply_ephemeral(interaction, error_text(error))
            return
        if not wanted:
            await reply_ephemeral(interaction, SetupText.NOTHING_CHOSEN)
            return
        await show_setup(interaction, services_of(interaction), wanted)


def _wanted(form: SentForm) -> dict[str, Any]:
    """What was filled in, as panels.json writes it; raises UsageError."""
    chosen = {name: list(values) for name, values in form.chosen.items() if values}
    found: dict[str, Any] = {
        name: values[0] if name in _SINGLE else values
        for name, values in chosen.items()
        if name in SetupText.NAMES
    }
    amounts = {name: amount_of(form.written.get(name, "")) for name in _AMOUNTS}
    return found | {name: amount for name, amount in amounts.items() if amount is not None}


def _places(stored: _Preset) -> dict[str, discord.ui.Item[Any]]:
    """Where roundtables are asked for and held, who starts them and who approves."""
    return {
        "output": _channels("output", stored, 1, discord.ChannelType.forum),
        "topics": _channels("topics", stored, _MOST),
        "starters": _roles("starters", stored),
        "approvers": _roles("approvers", stored),
    }


def _rules(stored: _Preset, profiles: Sequence[str]) -> dict[str, discord.ui.Item[Any]]:
    """In which language, by whom and for how much."""
    fields: dict[str, discord.ui.Item[Any]] = {
        "language": _select("language", SetupText.LANGUAGES, stored),
        "panel": _select("panel", profiles[:_MOST], stored),
    }
    for name in _AMOUNTS:
        known = stored.get(name)
        fields[name] = discord.ui.TextInput(
            custom_id=name,
            placeholder=SetupText.EXAMPLE_AMOUNT,
            default=None if known is None else f"{known:g}",
            required=False,
            max_length=20,
        )
    return fields


def _channels(
    name: str, stored: _Preset, most: int, *others: discord.ChannelType
) -> discord.ui.Item[Any]:
    kept = [discord.Object(number, type=discord.TextChannel) for number in _ids(stored.get(name))]
    return discord.ui.ChannelSelect(
        custom_id=name,
        channel_types=[discord.ChannelType.text, *others],
        min_values=0,
        max_values=most,
        required=False,
        default_values=kept,
    )


def _roles(name: str, stored: _Preset) -> discord.ui.Item[Any]:
    kept = [discord.Object(number, type=discord.Role) for number in _ids(stored.get(name))]
    return discord.ui.RoleSelect(
        custom_id=name, min_values=0, max_values=_MOST, required=False, default_values=kept
    )


def _select(name: str, values: Sequence[str], stored: _Preset) -> discord.ui.Item[Any]:
    options = [
        discord.SelectOption(label=value, value=value, default=value == stored.get(name))
        for value in values
    ]
    return discord.ui.Select(custom_id=name, options=options, min_values=0, required=False)


def _ids(stored: Any) -> list[int]:
    """The ids of a setting, whether it has one or several."""
    listed = stored if isinstance(stored, list | tuple) else [stored] if stored else []
    return [int(number) for number in listed][:_MOST]
