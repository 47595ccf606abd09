"""Draws the buttons under a post; what they mean is handled where presses arrive."""

from collections.abc import Sequence

import discord

from bot.stage.port import PostButton, Tone

_STYLES = {
    Tone.GOOD: discord.ButtonStyle.success,
    Tone.BAD: discord.ButtonStyle.danger,
    Tone.PLAIN: discord.ButtonStyle.secondary,
}


def button_view(buttons: Sequence[PostButton]) -> discord.ui.View | None:
    """The buttons as one row, or None where there are none."""
    if not buttons:
        return None
    view = discord.ui.View(timeout=None)
    for button in buttons:
        view.add_item(
            discord.ui.Button(
                label=button.label, custom_id=button.custom_id, style=_STYLES[button.tone]
            )
        )
    view.stop()
    return view
