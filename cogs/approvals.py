"""Approve, reject, request changes: buttons and forms that still work after a restart."""

import re
from typing import Any, Self, cast

import discord
from discord.ext import commands

from bot.council.approval_card import DECISIONS, NOTE_LIMIT, button_id
from bot.store import ApprovalStatus
from bot.words import buttons as words
from cogs.answering import sentence_for, whisper
from cogs.buttons import HasCouncil, answer_press
from cogs.desk import FrontDesk
from cogs.people import asker_of

APPROVAL = r"(?P<approval>apr_[0-9a-f]{8})"
REASON = "reason"
_FORM = re.compile(rf"rt:{APPROVAL}:(?P<decision>reject|changes):why")
_TITLES = {"reject": words.REJECT_IT, "changes": words.REQUEST_CHANGES}
_QUESTIONS = {"reject": words.WHY_NOT, "changes": words.WHAT_HAS_TO_CHANGE}


class ApprovalButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{APPROVAL}:(?P<decision>approve|reject|changes)",
):
    """One of the three buttons under an approval card."""

    def __init__(self, approval_id: str, decision: str) -> None:
        custom_id = button_id(approval_id, decision)
        super().__init__(discord.ui.Button(label=decision, custom_id=custom_id))
        self._approval_id = approval_id
        self._decision = decision

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["approval"], match["decision"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Approve at once; the other two ask for the reason first."""
        asker = asker_of(interaction.user)
        if self._decision == "approve":
            approved = ApprovalStatus.APPROVED
            await answer_press(
                interaction, lambda council: council.decide(self._approval_id, approved, asker)
            )
            return
        try:
            council = cast("HasCouncil", interaction.client).council
            await council.may_decide(self._approval_id, asker)
        except Exception as error:
            await whisper(interaction, sentence_for(error))
            return
        await interaction.response.send_modal(ReasonForm(self._approval_id, self._decision))


class ReasonForm(discord.ui.Modal):
    """Asks why; the cog takes the answer, so that a form opened before a restart counts, too."""

    def __init__(self, approval_id: str, decision: str) -> None:
        custom_id = f"{button_id(approval_id, decision)}:why"
        super().__init__(title=_TITLES[decision], custom_id=custom_id)
        style = discord.TextStyle.paragraph
        answer: discord.ui.TextInput[Self] = discord.ui.TextInput(
            custom_id=REASON, style=style, max_length=NOTE_LIMIT
        )
        self.add_item(discord.ui.Label(text=_QUESTIONS[decision], component=answer))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class ApprovalsCog(commands.Cog):
    """Takes reasons from forms."""

    def __init__(self, desk: FrontDesk) -> None:
        self._desk = desk

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        data = cast("dict[str, Any]", interaction.data or {})
        form = _FORM.fullmatch(str(data.get("custom_id", "")))
        if interaction.type is not discord.InteractionType.modal_submit or form is None:
            return
        decision, note = DECISIONS[form["decision"]], _written(data.get("components", []))
        asker = asker_of(interaction.user)
        await answer_press(
            interaction, lambda council: council.decide(form["approval"], decision, asker, note)
        )


def _written(components: list[dict[str, Any]]) -> str:
    """What was typed into the form, whichever way its fields are nested."""
    for part in components:
        if part.get("custom_id") == REASON:
            return str(part.get("value", ""))[:NOTE_LIMIT]
        inner = [*part.get("components", []), *filter(None, [part.get("component")])]
        if found := _written(inner):
            return found
    return ""
