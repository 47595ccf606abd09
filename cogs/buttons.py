"""The buttons of a run: stop, retry, read it, again, build it, agreeing to its price, voting."""

import re
from collections.abc import Sequence
from typing import Any, Final

import discord
from discord.ext import commands

from bot.messages.discord import ButtonText
from bot.messages.starting import AdmissionText, StartText
from bot.runs.requests import StartResult
from bot.stage.cards import button_view, consent_buttons, drawn, lasting_view
from bot.stage.port import PostButton, Tone, button_id, place_url
from bot.types.reply import ForgetOffer, ReplyText, Suggestion
from cogs.components import (
    FIELD_LIMIT,
    RUN,
    PersistentButton,
    PersistentItem,
    answer_press,
    open_form,
    paragraph,
    require_own_server,
    sent_form,
)
from cogs.privacy import forget_reply
from cogs.replies import NO_MENTIONS, error_text, reply_ephemeral, reply_text_ephemeral
from cogs.services import services_of
from cogs.translation import asker_of, reader_of

_WHEN: Final = r"(?P<when>before|after)"
_OPTIONS: Final = "options"
_OPTIONS_FORM: Final = re.compile(rf"rt:{RUN}:options:form")


class StopButton(PersistentButton, action="stop"):
    """The red button on the card."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Stop the run."""
        return await services_of(interaction).run_service.stop(
            self.said["run"], asker_of(interaction.user)
        )


class ConcludeButton(PersistentButton, action="(?:conclude|close)"):
    """Ends the rounds, or under the second ballot the vote."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Conclude the run."""
        return await services_of(interaction).run_service.conclude(
            self.said["run"], asker_of(interaction.user)
        )


class RetryButton(PersistentButton, action="retry"):
    """The way out under the post of an open circuit."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Take the run up again, if the person may."""
        return await services_of(interaction).run_service.retry(
            self.said["run"], asker_of(interaction.user)
        )


class MinutesButton(PersistentItem[discord.ui.Button[Any]], action="minutes"):
    """Hands the minutes so far to the person who asks for them."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Answer so that only this person sees it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        try:
            told = await self._read(interaction)
        except Exception as error:
            await reply_ephemeral(interaction, error_text(error))
        else:
            await reply_text_ephemeral(interaction, told)

    async def _read(self, interaction: discord.Interaction) -> ReplyText:
        library = services_of(interaction).run_service.library
        return await library.read(reader_of(interaction), self.said["run"])


class DetailsButton(MinutesButton, action="details"):
    """Shows the small print of a conclusion."""

    async def _read(self, interaction: discord.Interaction) -> ReplyText:
        library = services_of(interaction).run_service.library
        return await library.details(reader_of(interaction), self.said["run"])


class AgainButton(PersistentButton, action="(?P<how>again|challenge)"):
    """Holds a topic again: anyway, or against its old conclusion."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Start the new run where the button was pressed."""
        started = await services_of(interaction).run_service.start_again(
            self.said["run"],
            interaction.channel_id or 0,
            asker_of(interaction.user),
            challenge=self.said["how"] == "challenge",
        )
        return StartText.meets_in(started.place.target_id)


class BuildButton(PersistentButton, action="build"):
    """Turns a discussion that sounds like a build into one."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Start the build, if the person may start roundtables, unless somebody did already."""
        run_service, asker = services_of(interaction).run_service, asker_of(interaction.user)
        started = await run_service.build(self.said["run"], asker)
        target = started.place.target_id
        return (
            StartText.is_built_in(target)
            if started.reused
            else StartText.meets_in(target, started.price)
        )


class ConsentButton(PersistentButton, action="(?P<how>start|cancel)"):
    """Agrees to the price of a roundtable, or does not."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Hand the answer to the run that waits for it."""
        run_service, asker = services_of(interaction).run_service, asker_of(interaction.user)
        return await run_service.consent(self.said["run"], asker, agree=self.said["how"] == "start")


class OptionsButton(PersistentButton, action="options:(?P<how>use|edit)"):
    """Agrees to the options that were proposed for a vote, or opens them in a form."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Agree at once; editing asks for words first."""
        if self.said["how"] == "use":
            await super().callback(interaction)
        else:
            await open_form(interaction, self._form(interaction))

    async def press(self, interaction: discord.Interaction) -> str:
        """Agree."""
        run_service, asker = services_of(interaction).run_service, asker_of(interaction.user)
        return await run_service.consent(self.said["run"], asker, agree=True)

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        run_service, asker = services_of(interaction).run_service, asker_of(interaction.user)
        run_id = self.said["run"]
        return OptionsForm(run_id, await run_service.proposed_options(run_id, asker))


class OptionsForm(discord.ui.Modal):
    """The options to edit; the cog takes the answer, also after a restart."""

    def __init__(self, run_id: str, options: Sequence[str]) -> None:
        custom_id = button_id(run_id, "options:form")
        super().__init__(title=ButtonText.EDIT_OPTIONS, custom_id=custom_id)
        self.add_item(
            paragraph(_OPTIONS, ButtonText.OPTIONS_FIELD, FIELD_LIMIT, "\n".join(options))
        )

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class OptionsCog(commands.Cog):
    """Takes the options of votes from forms."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        form = sent_form(interaction, _OPTIONS_FORM)
        if form is None:
            return

        async def name(sent: discord.Interaction) -> str:
            await require_own_server(sent, form.said)
            run_service, asker = services_of(sent).run_service, asker_of(sent.user)
            text = form.written.get(_OPTIONS, "")
            return await run_service.name_options(form.said["run"], asker, text)

        await answer_press(interaction, name)


class VoteButton(
    PersistentItem[discord.ui.Button[Any]], action=rf"vote:{_WHEN}:(?P<number>\d{{1,2}})"
):
    """One option of a ballot."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Take the vote at once and ask in private how sure it is."""
        run_id, when, number = self.said["run"], self.said["when"], int(self.said["number"])
        await interaction.response.defer(ephemeral=True, thinking=True)
        vote, person_id = services_of(interaction).commands.vote, interaction.user.id
        try:
            choice = await vote(run_id, when, number, person_id, can_read=_can_read(interaction))
        except Exception as error:
            await reply_ephemeral(interaction, error_text(error))
            return
        await reply_ephemeral(interaction, ButtonText.voted(choice), _sure_menu(run_id, when))


class SureMenu(PersistentItem[discord.ui.Select[Any]], action=f"sure:{_WHEN}"):
    """Asks how sure somebody is of the vote they have just cast."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Note it, and say so in the same private message."""
        run_id, when = self.said["run"], self.said["when"]
        await interaction.response.defer()
        commands, person_id = services_of(interaction).commands, interaction.user.id
        try:
            percent = int(self.item.values[0])
            choice = await commands.set_confidence(
                run_id, when, percent, person_id, can_read=_can_read(interaction)
            )
        except Exception as error:
            text, view = error_text(error), None
        else:
            text, view = ButtonText.voted_surely(choice, percent), _sure_menu(run_id, when)
        await interaction.edit_original_response(
            content=text, view=view, allowed_mentions=NO_MENTIONS
        )


RUN_BUTTONS: Final = (
    StopButton,
    ConcludeButton,
    RetryButton,
    MinutesButton,
    DetailsButton,
    AgainButton,
    BuildButton,
    ConsentButton,
    OptionsButton,
    VoteButton,
    SureMenu,
)


def started_reply(started: StartResult) -> tuple[str, discord.ui.View | None]:
    """What the person who asked for a run is told, with what they can do next."""
    if started.reused:
        return AdmissionText.duplicate(started.outcome), _duplicate_view(started)
    consent = button_view(consent_buttons(started.run_id)) if started.asks_starter else None
    return StartText.meets_in(started.place.target_id, started.price), consent


class DoubtButton(
    PersistentItem[discord.ui.Button[Any]],
    about="said",
    action=r"(?P<message>\d{1,20}):(?P<how>meant|anyway)",
):
    """Does what a message was probably meant for, or holds a roundtable on it anyway."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Answer its author alone."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        services, own = services_of(interaction), interaction.application_id
        message_id, anyway = int(self.said["message"]), self.said["how"] == "anyway"
        try:
            reply = await services.text_commands.settle_doubt(
                message_id, reader_of(interaction), own, anyway=anyway
            )
        except Exception as error:
            await reply_ephemeral(interaction, error_text(error))
            return
        if isinstance(reply, ReplyText):
            await reply_text_ephemeral(interaction, reply)
        elif isinstance(reply, ForgetOffer):
            await reply_ephemeral(interaction, *forget_reply(reply))
        elif isinstance(reply, StartResult):
            await reply_ephemeral(interaction, *started_reply(reply))


def suggestion_reply(suggestion: Suggestion) -> tuple[str, discord.ui.View | None]:
    """What is said to a message that started nothing, with what its author can do."""
    about, buttons = f"rt:said:{suggestion.message_id}", []
    if suggestion.meant:
        buttons.append(PostButton(suggestion.meant, f"{about}:meant", Tone.GOOD))
    if suggestion.may_start:
        buttons.append(PostButton(ButtonText.START_ANYWAY, f"{about}:anyway"))
    return suggestion.text, button_view(buttons)


def _duplicate_view(started: StartResult) -> discord.ui.View:
    """Options when a topic already has a run: open it, challenge it, or run anyway."""
    items = [discord.ui.Button[Any](label=ButtonText.OPEN_THREAD, url=place_url(started.place))]
    if started.run_id:
        for action, label in (
            ("challenge", ButtonText.CHALLENGE),
            ("again", ButtonText.RUN_ANYWAY),
        ):
            items.append(drawn(PostButton(label, button_id(started.run_id, action))))
    return lasting_view(items)


def _can_read(interaction: discord.Interaction) -> bool:
    """Discord says with every press whether its person can read the channel."""
    return interaction.permissions.view_channel and not interaction.user.bot


def _sure_menu(run_id: str, when: str) -> discord.ui.View:
    options = [
        discord.SelectOption(label=label, value=str(percent))
        for percent, label in ButtonText.SURENESS.items()
    ]
    custom_id = button_id(run_id, f"sure:{when}")
    return lasting_view(
        [discord.ui.Select(custom_id=custom_id, options=options, placeholder=ButtonText.HOW_SURE)]
    )
