"""Asking a panelist without a reply: the button under a conclusion, and the message menu."""

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.errors import UsageError
from bot.store.seats import Seat
from bot.talk.hearing import Heard
from bot.talk.service import Talk
from bot.words import buttons, talking
from cogs.answering import sentence_for, tell_failure, whisper
from cogs.desk import FrontDesk
from cogs.people import asker_of
from cogs.persistent import PersistentItem, bot_of

QUESTION_LIMIT = 2000
MOST_CHOICES = 25
LABEL_LIMIT = 45


class AskModal(discord.ui.Modal):
    """A question, and whom it is for when there are several to choose from."""

    def __init__(self, talk: Talk, panel: tuple[Seat, ...]) -> None:
        title = talking.form_title(panel[0].role if len(panel) == 1 else None)
        super().__init__(title=title[:LABEL_LIMIT])
        self._talk = talk
        self._panel = panel[:MOST_CHOICES]
        options = [
            discord.SelectOption(label=s.role, value=str(n)) for n, s in enumerate(self._panel)
        ]
        self._seat: discord.ui.Select[Any] = discord.ui.Select(custom_id="seat", options=options)
        self._text: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="question",
            style=discord.TextStyle.paragraph,
            placeholder=talking.FORM_EXAMPLE,
            max_length=QUESTION_LIMIT,
        )
        if len(panel) > 1:
            self.add_item(discord.ui.Label(text=talking.FORM_PANELIST, component=self._seat))
        self.add_item(discord.ui.Label(text=talking.FORM_QUESTION, component=self._text))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Put the question to the panelist."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        seat = self._panel[int(self._seat.values[0]) if len(self._panel) > 1 else 0]
        await whisper(
            interaction, await self._talk.ask(_heard(interaction, self), seat.session_key)
        )

    async def on_error(  # type: ignore[override] # a modal's has no item, as discord.py says
        self, interaction: discord.Interaction, error: Exception, /
    ) -> None:
        """Tell the person why the question was not put."""
        await whisper(interaction, sentence_for(error))

    @property
    def question(self) -> str:
        """What was typed."""
        return self._text.value.strip()


class AskButton(PersistentItem[discord.ui.Button[Any]], action="ask"):
    """The button under a conclusion."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Show the form."""
        talk = bot_of(interaction).talk
        await _show_form(interaction, talk, await talk.panel_of(self.said["run"]))


class FollowupsCog(commands.Cog):
    """The message menu."""

    def __init__(self, bot: commands.Bot, desk: FrontDesk) -> None:
        self._tree = bot.tree
        self._desk = desk
        self._menu = app_commands.ContextMenu(name=buttons.ASK_THIS_PANELIST, callback=self._ask)
        self._menu.error(tell_failure)

    async def cog_load(self) -> None:
        """Add the menu command."""
        self._tree.add_command(self._menu)

    async def cog_unload(self) -> None:
        """Take the menu command away."""
        self._tree.remove_command(buttons.ASK_THIS_PANELIST, type=discord.AppCommandType.message)

    @app_commands.guild_only()
    async def _ask(self, interaction: discord.Interaction, message: discord.Message) -> None:
        seat = await self._desk.talk.seat_behind(message.id)
        if seat is None:
            raise UsageError(talking.NO_SEAT)
        await _show_form(interaction, self._desk.talk, (seat,))


async def _show_form(interaction: discord.Interaction, talk: Talk, panel: tuple[Seat, ...]) -> None:
    if panel:
        await interaction.response.send_modal(AskModal(talk, panel))
    else:
        await whisper(interaction, talking.NO_PANELISTS)


def _heard(interaction: discord.Interaction, form: AskModal) -> Heard:
    return Heard(
        message_id=interaction.id,
        channel_id=interaction.channel_id or 0,
        guild_id=interaction.guild_id or 0,
        author_id=interaction.user.id,
        author=interaction.user.display_name,
        text=form.question,
        created_at=interaction.created_at.timestamp(),
        role_ids=asker_of(interaction.user).role_ids,
    )
