"""People's ballots: a button for each option, and a private menu that asks how sure one is."""

from typing import Any, Final

import discord

from bot.errors import NotAllowedError
from bot.stage.buttons import lasting_view
from bot.stage.port import button_id
from bot.store import BallotTime
from bot.words import buttons as words
from cogs.answering import NOBODY, sentence_for, whisper
from cogs.persistent import PersistentItem, bot_of

WHEN: Final = r"(?P<when>before|after)"


class VoteButton(
    PersistentItem[discord.ui.Button[Any]], action=rf"vote:{WHEN}:(?P<number>\d{{1,2}})"
):
    """One option of a ballot."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Take the vote at once and ask in private how sure it is."""
        run_id, when = self.said["run"], BallotTime(self.said["when"])
        await interaction.response.defer(ephemeral=True, thinking=True)
        try:
            person = _voter(interaction)
            people = bot_of(interaction).council.people
            choice = await people.vote(run_id, when, int(self.said["number"]), person)
        except Exception as error:
            await whisper(interaction, sentence_for(error))
            return
        await whisper(interaction, words.voted(choice), _menu(run_id, when))


class SureMenu(PersistentItem[discord.ui.Select[Any]], action=f"sure:{WHEN}"):
    """Asks how sure somebody is of the vote they have just cast."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Note it, and say so in the same private message."""
        run_id, when = self.said["run"], BallotTime(self.said["when"])
        await interaction.response.defer()
        try:
            person, percent = _voter(interaction), int(self.item.values[0])
            people = bot_of(interaction).council.people
            choice = await people.be_sure(run_id, when, percent, person)
        except Exception as error:
            text, view = sentence_for(error), None
        else:
            text, view = words.voted_surely(choice, percent), _menu(run_id, when)
        await interaction.edit_original_response(content=text, view=view, allowed_mentions=NOBODY)


BALLOT_ITEMS: Final = (VoteButton, SureMenu)


def _voter(interaction: discord.Interaction) -> int:
    """Everyone who can read the thread can vote; every interaction carries their permissions."""
    if interaction.user.bot or not interaction.permissions.view_channel:
        raise NotAllowedError(words.ONLY_READERS_VOTE)
    return interaction.user.id


def _menu(run_id: str, when: BallotTime) -> discord.ui.View:
    options = [
        discord.SelectOption(label=label, value=str(percent))
        for percent, label in words.SURENESS.items()
    ]
    custom_id = button_id(run_id, f"sure:{when}")
    return lasting_view(
        [discord.ui.Select(custom_id=custom_id, options=options, placeholder=words.HOW_SURE)]
    )
