"""People's ballots: a button for each option, and a private menu that asks how sure one is."""

import re
from typing import Any, Final, Self, cast

import discord

from bot.errors import NotAllowedError
from bot.stage.port import button_id
from bot.store import BallotTime
from bot.words import buttons as words
from cogs.answering import NOBODY, sentence_for, whisper
from cogs.buttons import RUN, HasCouncil

WHEN: Final = r"(?P<when>before|after)"


class VoteButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{RUN}:vote:{WHEN}:(?P<number>\d{{1,2}})",
):
    """One option of a ballot."""

    def __init__(self, run_id: str, when: BallotTime, number: int) -> None:
        custom_id = button_id(run_id, f"vote:{when}:{number}")
        super().__init__(discord.ui.Button(label=str(number), custom_id=custom_id))
        self._run_id, self._when, self._number = run_id, when, number

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"], BallotTime(match["when"]), int(match["number"]))

    async def callback(self, interaction: discord.Interaction) -> None:
        """Take the vote at once and ask in private how sure it is."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        try:
            person = _voter(interaction)
            people = cast("HasCouncil", interaction.client).council.people
            choice = await people.vote(self._run_id, self._when, self._number, person)
        except Exception as error:
            await whisper(interaction, sentence_for(error))
            return
        await whisper(interaction, words.voted(choice), _menu(self._run_id, self._when))


class SureMenu(
    discord.ui.DynamicItem[discord.ui.Select[Any]],
    template=rf"rt:{RUN}:sure:{WHEN}",
):
    """Asks how sure somebody is of the vote they have just cast."""

    def __init__(self, run_id: str, when: BallotTime) -> None:
        options = [
            discord.SelectOption(label=label, value=str(percent))
            for percent, label in words.SURENESS.items()
        ]
        custom_id = button_id(run_id, f"sure:{when}")
        super().__init__(
            discord.ui.Select(custom_id=custom_id, options=options, placeholder=words.HOW_SURE)
        )
        self._run_id, self._when = run_id, when

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the menu again from what its custom id says."""
        return cls(match["run"], BallotTime(match["when"]))

    async def callback(self, interaction: discord.Interaction) -> None:
        """Note it, and say so in the same private message."""
        await interaction.response.defer()
        try:
            person, percent = _voter(interaction), int(self.item.values[0])
            people = cast("HasCouncil", interaction.client).council.people
            choice = await people.be_sure(self._run_id, self._when, percent, person)
        except Exception as error:
            text, view = sentence_for(error), None
        else:
            text = words.voted_surely(choice, percent)
            view = _menu(self._run_id, self._when)
        await interaction.edit_original_response(content=text, view=view, allowed_mentions=NOBODY)


BALLOT_ITEMS: Final = (VoteButton, SureMenu)


def _voter(interaction: discord.Interaction) -> int:
    """Whoever can read the thread may vote; Discord says with every press whether they can."""
    if interaction.user.bot or not interaction.permissions.view_channel:
        raise NotAllowedError(words.ONLY_READERS_VOTE)
    return interaction.user.id


def _menu(run_id: str, when: BallotTime) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(SureMenu(run_id, when))
    view.stop()
    return view
