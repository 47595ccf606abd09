"""Draws the buttons under a post; what they mean is handled where presses arrive."""

from collections.abc import Iterable, Sequence
from typing import Any

import discord

from bot.messages.discord import ButtonText
from bot.stage.port import PostButton, Tone, button_id

_STYLES = {
    Tone.GOOD: discord.ButtonStyle.success,
    Tone.BAD: discord.ButtonStyle.danger,
    Tone.PLAIN: discord.ButtonStyle.secondary,
}


def consent_buttons(run_id: str) -> tuple[PostButton, PostButton]:
    """What the starter of an expensive run is offered."""
    return (
        PostButton(ButtonText.START, button_id(run_id, "start"), Tone.GOOD),
        PostButton(ButtonText.CANCEL, button_id(run_id, "cancel")),
    )


def drawn(button: PostButton) -> discord.ui.Button[Any]:
    """The button as Discord shows it."""
    return discord.ui.Button(
        label=button.label, custom_id=button.custom_id, style=_STYLES[button.tone]
    )


def button_view(buttons: Sequence[PostButton]) -> discord.ui.View | None:
    """The buttons as one row, or None where there are none."""
    return lasting_view(map(drawn, buttons)) if buttons else None


def lasting_view(items: Iterable[discord.ui.Item[Any]]) -> discord.ui.View:
    """The items without anybody who waits for them: their custom ids say what they are for."""
    view = discord.ui.View(timeout=None)
    for item in items:
        view.add_item(item)
    view.stop()
    return view
