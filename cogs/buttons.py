"""The buttons of a run: stop, retry, minutes, again, build it, and agreeing to its price."""

from typing import Any

import discord

from bot.council.summons import Convened
from bot.stage.buttons import button_view, consent_buttons, drawn, lasting_view
from bot.stage.port import PostButton, button_id, place_url
from bot.words import buttons as words
from bot.words.admission import DUPLICATE
from bot.words.starting import is_built_in, meets_in
from cogs.answering import sentence_for, tell_in_private, whisper
from cogs.people import asker_of, reader_of
from cogs.persistent import PersistentButton, PersistentItem, bot_of


class StopButton(PersistentButton, action="stop"):
    """The red button on the card."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Stop the run."""
        return await bot_of(interaction).council.stop(self.said["run"], asker_of(interaction.user))


class RetryButton(PersistentButton, action="retry"):
    """The way out under the post of an open circuit."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Take the run up again, if the person may."""
        return await bot_of(interaction).council.retry(self.said["run"], asker_of(interaction.user))


class MinutesButton(PersistentItem[discord.ui.Button[Any]], action="minutes"):
    """Hands the minutes so far to the person who asks for them."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Send the file so that only this person sees it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        library = bot_of(interaction).council.library
        try:
            told = await library.read(reader_of(interaction), self.said["run"])
        except Exception as error:
            await whisper(interaction, sentence_for(error))
        else:
            await tell_in_private(interaction, told)


class AgainButton(PersistentButton, action="(?P<how>again|challenge)"):
    """Holds a topic again: anyway, or against its old conclusion."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Start the new run where the button was pressed."""
        convened = await bot_of(interaction).council.reconvene(
            self.said["run"],
            interaction.channel_id or 0,
            asker_of(interaction.user),
            challenge=self.said["how"] == "challenge",
        )
        return meets_in(convened.place.target_id)


class BuildButton(PersistentButton, action="build"):
    """Turns a discussion that sounds like a build into one."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Start the build, if the person may start roundtables, unless somebody did already."""
        council, asker = bot_of(interaction).council, asker_of(interaction.user)
        convened = await council.build(self.said["run"], asker)
        target = convened.place.target_id
        return is_built_in(target) if convened.reused else meets_in(target, convened.price)


class ConsentButton(PersistentButton, action="(?P<how>start|cancel)"):
    """Agrees to the price of a roundtable, or does not."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Hand the answer to the run that waits for it."""
        council, asker = bot_of(interaction).council, asker_of(interaction.user)
        return await council.consent(self.said["run"], asker, agree=self.said["how"] == "start")


RUN_BUTTONS = (
    StopButton,
    RetryButton,
    MinutesButton,
    AgainButton,
    BuildButton,
    ConsentButton,
)


def consent_view(convened: Convened) -> discord.ui.View | None:
    """The buttons of a run that waits for its starter, for the answer to the starter."""
    return button_view(consent_buttons(convened.run_id)) if convened.asks_starter else None


def duplicate_view(convened: Convened) -> discord.ui.View:
    """Options when a topic already has a run: open it, challenge it, or run anyway."""
    items = [discord.ui.Button[Any](label=words.OPEN_THREAD, url=place_url(convened.place))]
    if convened.run_id:
        for action, label in (("challenge", words.CHALLENGE), ("again", words.RUN_ANYWAY)):
            items.append(drawn(PostButton(label, button_id(convened.run_id, action))))
    return lasting_view(items)


def where_it_meets(convened: Convened) -> str:
    """What the person who asked is told."""
    if convened.reused:
        return DUPLICATE
    return meets_in(convened.place.target_id, convened.price)
