"""`/roundtable resolve`, `reopen`, `record`; the menu under conclusions, and what comes of it."""

import re
from functools import partial
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.decisions.reopening import NEWS_LIMIT
from bot.errors import UserError
from bot.messages.decisions import AgainText, RecordText, ReopenText
from bot.messages.library import ReadText
from bot.stage.port import button_id
from cogs.buttons import started_reply
from cogs.completions import Choices, concluded
from cogs.components import (
    RUN,
    PersistentButton,
    PersistentItem,
    SentForm,
    answer_press,
    line,
    open_form,
    paragraph,
    require_own_server,
    sent_form,
)
from cogs.replies import error_text, reply_ephemeral, reply_text_ephemeral
from cogs.services import CogServices, services_of
from cogs.translation import asker_of, reader_of

_DATE: Final = "date"
_DATE_LIMIT: Final = 20
_DATE_FORM: Final = re.compile(rf"rt:{RUN}:look:form")
_NEWS: Final = "news"
_REOPEN_FORM: Final = re.compile(rf"rt:{RUN}:reopen:form")
_MOST_CHOICES: Final = 25


class LookAgainMenu(PersistentItem[discord.ui.Select[Any]], action="look"):
    """Under a conclusion: when to ask what became of it."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Keep the choice; a date is asked for in a form."""
        if self.item.values[0] == _DATE:
            await open_form(interaction, self._form(interaction))
        else:
            await answer_press(interaction, self._choose)

    async def _choose(self, interaction: discord.Interaction) -> str:
        decisions = services_of(interaction).run_service.decisions
        asker, choice = asker_of(interaction.user), self.item.values[0]
        return await decisions.look_again(self.said["run"], asker, choice)

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        decisions = services_of(interaction).run_service.decisions
        await decisions.require_chooser(self.said["run"], asker_of(interaction.user))
        return DateForm(self.said["run"])


class OutcomeButton(
    PersistentButton, action=r"outcome:(?P<answer>\d{1,2}|right|wrong|mixed|early|unknown)"
):
    """One answer to the question what happened."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Take the answer."""
        decisions = services_of(interaction).run_service.decisions
        return await decisions.answer(
            self.said["run"], asker_of(interaction.user), self.said["answer"]
        )


class ReopenButton(PersistentItem[discord.ui.Button[Any]], action="reopen"):
    """Under a conclusion: look at it again because something is new."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Ask what is new."""
        await open_form(interaction, self._form(interaction))

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        await services_of(interaction).run_service.decisions.concluded(self.said["run"])
        return ReopenForm(self.said["run"])


class ReopenForm(discord.ui.Modal):
    """What is new; the cog takes it, also after a restart."""

    def __init__(self, run_id: str) -> None:
        super().__init__(title=ReopenText.FORM, custom_id=button_id(run_id, "reopen:form"))
        self.add_item(paragraph(_NEWS, ReopenText.FIELD, NEWS_LIMIT))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class DateForm(discord.ui.Modal):
    """The date on which to look again; the cog takes it, also after a restart."""

    def __init__(self, run_id: str) -> None:
        super().__init__(title=AgainText.FORM, custom_id=button_id(run_id, "look:form"))
        self.add_item(line(_DATE, AgainText.DATE_FIELD, _DATE_LIMIT))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class DecisionsCog(commands.Cog):
    """Takes what people write about decisions in forms."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        dated, reopened = (sent_form(interaction, form) for form in (_DATE_FORM, _REOPEN_FORM))
        if dated is not None:
            await answer_press(interaction, partial(_look, dated))
        elif reopened is not None:
            await _reopen(interaction, reopened)


async def _look(form: SentForm, sent: discord.Interaction) -> str:
    await require_own_server(sent, form.said)
    decisions, asker = services_of(sent).run_service.decisions, asker_of(sent.user)
    # A form without a date was not filled in: it is refused like any other that is none.
    date = form.written.get(_DATE, "") or "-"
    return await decisions.look_again(form.said["run"], asker, _DATE, date)


async def _reopen(sent: discord.Interaction, form: SentForm) -> None:
    await sent.response.defer(ephemeral=True, thinking=True)
    try:
        await require_own_server(sent, form.said)
        run_service, news = services_of(sent).run_service, form.written.get(_NEWS, "")
        started = await run_service.reopen(form.said["run"], asker_of(sent.user), news)
    except Exception as error:
        await reply_ephemeral(sent, error_text(error))
    else:
        await reply_ephemeral(sent, *started_reply(started))


async def answers(interaction: discord.Interaction, typed: str) -> Choices:
    """What can be said about the decision that is meant."""
    run_id = interaction.namespace.id
    try:
        found = await services_of(interaction).commands.answers(reader_of(interaction), run_id)
    except UserError:
        return []
    fitting = [one for one in found if typed.casefold() in one.casefold()]
    return [app_commands.Choice(name=one, value=one) for one in fitting[:_MOST_CHOICES]]


class DecisionCommands(commands.Cog):
    """The part of `/roundtable` about decisions; the cog of that name brings the services."""

    _services: CogServices

    @app_commands.command(name="resolve", description=ReadText.RESOLVE)
    @app_commands.guild_only()
    @app_commands.describe(answer=ReadText.WHAT_HAPPENED, id=ReadText.WHICH)
    @app_commands.autocomplete(answer=answers, id=concluded)
    async def resolve(
        self,
        interaction: discord.Interaction,
        answer: str,
        id: str | None = None,  # noqa: A002 (the option's name)
    ) -> None:
        """Say what became of a decision."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        told = await self._services.commands.resolve(reader_of(interaction), id, answer)
        await reply_ephemeral(interaction, told)

    @app_commands.command(name="reopen", description=ReadText.REOPEN)
    @app_commands.guild_only()
    @app_commands.describe(news=ReopenText.FIELD, id=ReadText.WHICH)
    @app_commands.autocomplete(id=concluded)
    async def reopen(
        self,
        interaction: discord.Interaction,
        news: str,
        id: str | None = None,  # noqa: A002 (the option's name)
    ) -> None:
        """Look at a decision again because something is new."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        started = await self._services.commands.reopen(reader_of(interaction), id, news)
        await reply_ephemeral(interaction, *started_reply(started))

    @app_commands.command(name="record", description=ReadText.RECORD)
    @app_commands.guild_only()
    @app_commands.describe(what=RecordText.WHICH)
    @app_commands.choices(
        what=[app_commands.Choice(name=n, value=v) for v, n in RecordText.CHOICES.items()]
    )
    async def record(
        self, interaction: discord.Interaction, what: app_commands.Choice[str] | None = None
    ) -> None:
        """Show how often panels, models and people were right here."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        action = what.value if what else ""
        told = await self._services.commands.record(action, reader_of(interaction))
        await reply_text_ephemeral(interaction, told)


DECISION_ITEMS: Final = (LookAgainMenu, OutcomeButton, ReopenButton)
