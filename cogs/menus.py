"""Message menus: ask this panelist, who said this, a roundtable on this; and the ask button."""

from collections.abc import Sequence
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.errors import UsageError
from bot.floor import FloorSeat
from bot.messages.discord import ButtonText
from bot.messages.starting import StartText
from bot.messages.talk import TalkText
from bot.talk.service import TalkService
from cogs.components import PersistentItem, open_form
from cogs.replies import error_text, reply_ephemeral, reply_error, reply_text_ephemeral
from cogs.services import CogServices, services_of
from cogs.start import StartForm
from cogs.translation import heard_form, reader_of, with_names

_QUESTION_LIMIT: Final = 2000
_MOST_CHOICES: Final = 25
_TITLE_LIMIT: Final = 45


class _AskForm(discord.ui.Modal):
    """A question, and whom it is for when there are several to choose from."""

    def __init__(self, talk: TalkService, panel: Sequence[FloorSeat]) -> None:
        title = TalkText.form_title(panel[0].name if len(panel) == 1 else None)
        super().__init__(title=title[:_TITLE_LIMIT])
        self._talk = talk
        self._panel = panel[:_MOST_CHOICES]
        options = [
            discord.SelectOption(label=s.name, value=str(n)) for n, s in enumerate(self._panel)
        ]
        self._seat: discord.ui.Select[Any] = discord.ui.Select(custom_id="seat", options=options)
        self._text: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="question",
            style=discord.TextStyle.paragraph,
            placeholder=TalkText.FORM_EXAMPLE,
            max_length=_QUESTION_LIMIT,
        )
        if len(panel) > 1:
            self.add_item(discord.ui.Label(text=TalkText.FORM_PANELIST, component=self._seat))
        self.add_item(discord.ui.Label(text=TalkText.FORM_QUESTION, component=self._text))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Put the question to the panelist."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        seat = self._panel[int(self._seat.values[0]) if len(self._panel) > 1 else 0]
        question = heard_form(interaction, self._text.value.strip())
        await reply_ephemeral(interaction, await self._talk.ask(question, seat.key))

    async def on_error(  # type: ignore[override] # a modal's has no item, as discord.py says
        self, interaction: discord.Interaction, error: Exception, /
    ) -> None:
        """Tell the person why the question was not put."""
        await reply_ephemeral(interaction, error_text(error))


class AskButton(PersistentItem[discord.ui.Button[Any]], action="ask"):
    """The button under a conclusion."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Show the form."""
        await open_form(interaction, self._form(interaction))

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        talk = services_of(interaction).talk
        return _AskForm(talk, await talk.panel_of(self.said["run"]))


class MenusCog(commands.Cog):
    """Three entries in the menu of every message."""

    def __init__(self, bot: commands.Bot, services: CogServices) -> None:
        self._tree = bot.tree
        self._services = services
        self._menus = (
            app_commands.ContextMenu(name=ButtonText.ASK_THIS_PANELIST, callback=self._ask),
            app_commands.ContextMenu(name=ButtonText.WHO_SAID_THIS, callback=self._who_said),
            app_commands.ContextMenu(name=ButtonText.ROUNDTABLE_ON_THIS, callback=self._on_this),
        )
        for menu in self._menus:
            menu.error(reply_error)

    async def cog_load(self) -> None:
        """Add the entries."""
        for menu in self._menus:
            self._tree.add_command(menu)

    async def cog_unload(self) -> None:
        """Take the entries away."""
        for menu in self._menus:
            self._tree.remove_command(menu.name, type=menu.type)

    @app_commands.guild_only()
    async def _ask(self, interaction: discord.Interaction, message: discord.Message) -> None:
        talk = self._services.talk
        author = await talk.author_of(message.id)
        await interaction.response.send_modal(_AskForm(talk, (author,)))

    @app_commands.guild_only()
    async def _who_said(self, interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        library = self._services.run_service.library
        told = await library.who_said(reader_of(interaction), message.id)
        await reply_text_ephemeral(interaction, told)

    @app_commands.guild_only()
    async def _on_this(self, interaction: discord.Interaction, message: discord.Message) -> None:
        topic = with_names(message, message.content).strip()
        if not topic:
            raise UsageError(StartText.NO_TEXT)
        await interaction.response.send_modal(StartForm(self._services, topic))
