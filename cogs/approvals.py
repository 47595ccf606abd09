"""Approve, reject, request changes: buttons and forms that still work after a restart."""

import re

import discord
from discord.ext import commands

from bot.council.approval_card import DECISIONS, NOTE_LIMIT
from bot.stage.port import button_id
from bot.store import ApprovalStatus
from bot.words import buttons as words
from cogs.forms import paragraph, sent_form
from cogs.people import asker_of
from cogs.persistent import (
    PersistentButton,
    answer_press,
    bot_of,
    open_form,
    require_own_server,
)

APPROVAL = r"(?P<approval>apr_[0-9a-f]{8})"
REASON = "reason"
_FORM = re.compile(rf"rt:{APPROVAL}:(?P<decision>reject|changes):why")
_TITLES = {"reject": words.REJECT_IT, "changes": words.REQUEST_CHANGES}
_QUESTIONS = {"reject": words.WHY_NOT, "changes": words.WHAT_HAS_TO_CHANGE}


class ApprovalButton(
    PersistentButton, about=APPROVAL, action="(?P<decision>approve|reject|changes)"
):
    """One of the three buttons under an approval card."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Approve at once; the other two ask for the reason first."""
        if self.said["decision"] == "approve":
            await super().callback(interaction)
        else:
            await open_form(interaction, self._form(interaction))

    async def press(self, interaction: discord.Interaction) -> str:
        """Approve."""
        council, asker = bot_of(interaction).council, asker_of(interaction.user)
        return await council.decide(self.said["approval"], ApprovalStatus.APPROVED, asker)

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        approval_id, asker = self.said["approval"], asker_of(interaction.user)
        await bot_of(interaction).council.may_decide(approval_id, asker)
        return ReasonForm(approval_id, self.said["decision"])


class ReasonForm(discord.ui.Modal):
    """Asks why; the cog takes the answer, so that a form opened before a restart counts, too."""

    def __init__(self, approval_id: str, decision: str) -> None:
        custom_id = f"{button_id(approval_id, decision)}:why"
        super().__init__(title=_TITLES[decision], custom_id=custom_id)
        self.add_item(paragraph(REASON, _QUESTIONS[decision], NOTE_LIMIT))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class ApprovalsCog(commands.Cog):
    """Takes reasons from forms."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        form = sent_form(interaction, _FORM)
        if form is None:
            return
        approval_id, decision = form.said["approval"], DECISIONS[form.said["decision"]]
        note = form.written.get(REASON, "")[:NOTE_LIMIT]

        async def decide(sent: discord.Interaction) -> str:
            await require_own_server(sent, form.said)
            council, asker = bot_of(sent).council, asker_of(sent.user)
            return await council.decide(approval_id, decision, asker, note)

        await answer_press(interaction, decide)
