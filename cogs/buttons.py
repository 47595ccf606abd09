"""Buttons that still work after a restart: their meaning is in the custom id."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, Self, cast

import discord

from bot.council.retrying import retry_button
from bot.council.service import Council
from bot.council.summons import Convened
from bot.stage.buttons import button_view, consent_buttons
from bot.stage.cards import stop_button_id
from bot.stage.port import button_id, place_url
from bot.words import buttons as words
from bot.words.admission import DUPLICATE
from bot.words.starting import meets_in
from cogs.answering import sentence_for, tell_in_private, whisper
from cogs.people import asker_of, reader_of

RUN = r"(?P<run>rt_[0-9a-f]{8})"
AGAIN_LABELS = {"again": words.RUN_ANYWAY, "challenge": words.CHALLENGE}


class HasCouncil(Protocol):
    """What the buttons expect of the client they are pressed in."""

    council: Council


async def answer_press(
    interaction: discord.Interaction, act: Callable[[Council], Awaitable[str]]
) -> None:
    """Do what a button says, or say why not, to the person who pressed it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    try:
        text = await act(cast("HasCouncil", interaction.client).council)
    except Exception as error:
        text = sentence_for(error)
    await whisper(interaction, text)


class StopButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{RUN}:stop",
):
    """The red button on the card."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            discord.ui.Button(
                label=words.STOP, style=discord.ButtonStyle.danger, custom_id=stop_button_id(run_id)
            )
        )
        self._run_id = run_id

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Stop the run."""
        asker = asker_of(interaction.user)
        await answer_press(interaction, lambda council: council.stop(self._run_id, asker))


class RetryButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{RUN}:retry",
):
    """The way out under the post of an open circuit."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            discord.ui.Button(label=words.RETRY, custom_id=retry_button(run_id).custom_id)
        )
        self._run_id = run_id

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Take the run up again, if the person may."""
        asker = asker_of(interaction.user)
        await answer_press(interaction, lambda council: council.retry(self._run_id, asker))


class MinutesButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{RUN}:minutes",
):
    """Hands the minutes so far to the person who asks for them."""

    def __init__(self, run_id: str) -> None:
        custom_id = button_id(run_id, "minutes")
        super().__init__(discord.ui.Button(label=words.MINUTES, custom_id=custom_id))
        self._run_id = run_id

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Send the file so that only this person sees it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        library = cast("HasCouncil", interaction.client).council.library
        try:
            told = await library.read(reader_of(interaction), self._run_id)
        except Exception as error:
            await whisper(interaction, sentence_for(error))
        else:
            await tell_in_private(interaction, told)


class AgainButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{RUN}:(?P<how>again|challenge)",
):
    """Holds a topic again: anyway, or against its old conclusion."""

    def __init__(self, run_id: str, how: str) -> None:
        super().__init__(discord.ui.Button(label=AGAIN_LABELS[how], custom_id=f"rt:{run_id}:{how}"))
        self._run_id = run_id
        self._how = how

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"], match["how"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Start the new run where the button was pressed."""
        asker, channel_id = asker_of(interaction.user), interaction.channel_id or 0

        async def act(council: Council) -> str:
            challenge = self._how == "challenge"
            convened = await council.reconvene(self._run_id, channel_id, asker, challenge=challenge)
            return meets_in(convened.place.target_id)

        await answer_press(interaction, act)


class ConsentButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{RUN}:(?P<how>start|cancel)",
):
    """Agrees to the price of a roundtable, or does not."""

    def __init__(self, run_id: str, how: str) -> None:
        super().__init__(discord.ui.Button(label=how, custom_id=button_id(run_id, how)))
        self._run_id = run_id
        self._agree = how == "start"

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"], match["how"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Hand the answer to the run that waits for it."""
        asker = asker_of(interaction.user)
        await answer_press(
            interaction, lambda council: council.consent(self._run_id, asker, agree=self._agree)
        )


PERSISTENT = (StopButton, RetryButton, MinutesButton, AgainButton, ConsentButton)


def consent_view(convened: Convened) -> discord.ui.View | None:
    """The buttons of a run that waits for its starter, for the answer to the starter."""
    return button_view(consent_buttons(convened.run_id)) if convened.asks_starter else None


def duplicate_view(convened: Convened) -> discord.ui.View:
    """What people want next when their topic is on the table: open, challenge, or run anyway."""
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label=words.OPEN_THREAD, url=place_url(convened.place)))
    if convened.run_id:
        view.add_item(AgainButton(convened.run_id, "challenge"))
        view.add_item(AgainButton(convened.run_id, "again"))
    view.stop()
    return view


def where_it_meets(convened: Convened) -> str:
    """What the person who asked is told."""
    if convened.reused:
        return DUPLICATE
    return meets_in(convened.place.target_id, convened.price)
