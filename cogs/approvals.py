"""Approvals: of effects outside the run, and of the spec of a build by its starter."""

import re
from typing import Final

import discord
from discord.ext import commands

from bot.approvals.card import DECISIONS, NOTE_LIMIT
from bot.delivery.spec import ACCEPT, CHANGES, EDIT, LABELS, WISH_LIMIT, spec_button_id
from bot.messages.discord import ButtonText
from bot.prompting.build_spec import BuildSpec, field_text
from bot.stage.port import button_id
from cogs.components import (
    FIELD_LIMIT,
    RUN,
    PersistentButton,
    answer_press,
    open_form,
    paragraph,
    require_own_server,
    sent_form,
)
from cogs.services import services_of
from cogs.translation import asker_of

_APPROVAL: Final = r"(?P<approval>apr_[0-9a-f]{8})"
_REASON: Final = "reason"
_REASON_FORM: Final = re.compile(rf"rt:{_APPROVAL}:(?P<decision>reject|changes):why")
_TITLES: Final = {"reject": ButtonText.REJECT_IT, "changes": ButtonText.REQUEST_CHANGES}
_QUESTIONS: Final = {"reject": ButtonText.WHY_NOT, "changes": ButtonText.WHAT_HAS_TO_CHANGE}

_VERSION: Final = r"(?P<version>\d{1,4})"
_WISH: Final = "wish"
_SPEC_FORM: Final = re.compile(rf"rt:{RUN}:spec:{_VERSION}:(?P<action>edit|changes):form")
# A form has at most five fields, so related headings share one.
_SPEC_PARTS: Final = {
    "goal": (ButtonText.GOAL_AND_RISKS, ("goal", "risks")),
    "scope": (ButtonText.SCOPE, ("scope_in", "scope_out")),
    "files": (ButtonText.INPUTS_AND_OUTPUTS, ("inputs", "outputs")),
    "criteria": (ButtonText.ACCEPTANCE_CRITERIA, ("acceptance_criteria",)),
}


class ApprovalButton(
    PersistentButton, about=_APPROVAL, action="(?P<decision>approve|reject|changes)"
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
        run_service, asker = services_of(interaction).run_service, asker_of(interaction.user)
        return await run_service.decide(self.said["approval"], DECISIONS["approve"], asker)

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        approval_id, asker = self.said["approval"], asker_of(interaction.user)
        await services_of(interaction).run_service.may_decide(approval_id, asker)
        return ReasonForm(approval_id, self.said["decision"])


class ReasonForm(discord.ui.Modal):
    """Asks why; the cog takes the answer, so that a form opened before a restart counts, too."""

    def __init__(self, approval_id: str, decision: str) -> None:
        custom_id = f"{button_id(approval_id, decision)}:why"
        super().__init__(title=_TITLES[decision], custom_id=custom_id)
        self.add_item(paragraph(_REASON, _QUESTIONS[decision], NOTE_LIMIT))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class ApprovalsCog(commands.Cog):
    """Takes reasons from forms."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        form = sent_form(interaction, _REASON_FORM)
        if form is None:
            return
        approval_id, decision = form.said["approval"], DECISIONS[form.said["decision"]]
        note = form.written.get(_REASON, "")[:NOTE_LIMIT]

        async def decide(sent: discord.Interaction) -> str:
            await require_own_server(sent, form.said)
            run_service, asker = services_of(sent).run_service, asker_of(sent.user)
            return await run_service.decide(approval_id, decision, asker, note)

        await answer_press(interaction, decide)


class SpecButton(PersistentButton, action=rf"spec:{_VERSION}:(?P<action>accept|edit|changes)"):
    """One of the three buttons under a spec."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Accept at once; the other two ask for words first."""
        if self.said["action"] == ACCEPT:
            await super().callback(interaction)
        else:
            await open_form(interaction, self._form(interaction))

    async def press(self, interaction: discord.Interaction) -> str:
        """Accept."""
        specs, asker = services_of(interaction).run_service.specs, asker_of(interaction.user)
        return await specs.accept(self.said["run"], int(self.said["version"]), asker)

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        run_id, version = self.said["run"], int(self.said["version"])
        specs = services_of(interaction).run_service.specs
        spec = await specs.text_of(run_id, version, asker_of(interaction.user))
        return SpecForm(run_id, version, self.said["action"], spec)


class SpecForm(discord.ui.Modal):
    """The spec to edit, or a field for a wish; the cog takes what was written."""

    def __init__(self, run_id: str, version: int, action: str, spec: BuildSpec) -> None:
        custom_id = f"{spec_button_id(run_id, version, action)}:form"
        super().__init__(title=ButtonText.spec_form(LABELS[action], version), custom_id=custom_id)
        if action == CHANGES:
            self.add_item(paragraph(_WISH, ButtonText.WHAT_HAS_TO_CHANGE, WISH_LIMIT))
            return
        for name, (label, headings) in _SPEC_PARTS.items():
            text = "\n".join(field_text(spec, heading) for heading in headings)
            self.add_item(paragraph(name, label, FIELD_LIMIT, text[:FIELD_LIMIT]))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class SpecsCog(commands.Cog):
    """Takes forms about specs, also those that were opened before a restart."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        form = sent_form(interaction, _SPEC_FORM)
        if form is None:
            return
        run_id, version, written = form.said["run"], int(form.said["version"]), form.written

        async def act(sent: discord.Interaction) -> str:
            await require_own_server(sent, form.said)
            specs, asker = services_of(sent).run_service.specs, asker_of(sent.user)
            if form.said["action"] == EDIT:
                text = "\n".join(written.get(name, "") for name in _SPEC_PARTS)
                return await specs.edit(run_id, version, asker, text)
            return await specs.change(run_id, version, asker, written.get(_WISH, ""), sent.id)

        await answer_press(interaction, act)
