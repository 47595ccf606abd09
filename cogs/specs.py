"""Accept, edit, ask for changes: what the starter of a build presses under its spec."""

import re
from typing import Final

import discord
from discord.ext import commands

from bot.council.delivery.deciding import WISH_LIMIT
from bot.council.delivery.spec_post import ACCEPT, CHANGES, EDIT, LABELS, spec_button_id
from bot.prompting.build_spec import BuildSpec, field_text
from bot.words import buttons as words
from cogs.forms import FIELD_LIMIT, paragraph, sent_form
from cogs.people import asker_of
from cogs.persistent import (
    RUN,
    PersistentButton,
    answer_press,
    bot_of,
    open_form,
    require_own_server,
)

VERSION = r"(?P<version>\d{1,4})"
WISH: Final = "wish"
# A form has at most five fields, so related headings share one.
PARTS: Final = {
    "goal": (words.GOAL_AND_RISKS, ("goal", "risks")),
    "scope": (words.SCOPE, ("scope_in", "scope_out")),
    "files": (words.INPUTS_AND_OUTPUTS, ("inputs", "outputs")),
    "criteria": (words.ACCEPTANCE_CRITERIA, ("acceptance_criteria",)),
}
_FORM = re.compile(rf"rt:{RUN}:spec:{VERSION}:(?P<action>edit|changes):form")


class SpecButton(PersistentButton, action=rf"spec:{VERSION}:(?P<action>accept|edit|changes)"):
    """One of the three buttons under a spec."""

    async def callback(self, interaction: discord.Interaction) -> None:
        """Accept at once; the other two ask for words first."""
        if self.said["action"] == ACCEPT:
            await super().callback(interaction)
        else:
            await open_form(interaction, self._form(interaction))

    async def press(self, interaction: discord.Interaction) -> str:
        """Accept."""
        specs, asker = bot_of(interaction).council.specs, asker_of(interaction.user)
        return await specs.accept(self.said["run"], int(self.said["version"]), asker)

    async def _form(self, interaction: discord.Interaction) -> discord.ui.Modal:
        run_id, version = self.said["run"], int(self.said["version"])
        specs = bot_of(interaction).council.specs
        spec = await specs.text_of(run_id, version, asker_of(interaction.user))
        return SpecForm(run_id, version, self.said["action"], spec)


class SpecForm(discord.ui.Modal):
    """The spec to edit, or a field for a wish; the cog takes what was written."""

    def __init__(self, run_id: str, version: int, action: str, spec: BuildSpec) -> None:
        custom_id = f"{spec_button_id(run_id, version, action)}:form"
        super().__init__(title=words.spec_form(LABELS[action], version), custom_id=custom_id)
        if action == CHANGES:
            self.add_item(paragraph(WISH, words.WHAT_HAS_TO_CHANGE, WISH_LIMIT))
            return
        for name, (label, headings) in PARTS.items():
            text = "\n".join(field_text(spec, heading) for heading in headings)
            self.add_item(paragraph(name, label, FIELD_LIMIT, text[:FIELD_LIMIT]))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class SpecsCog(commands.Cog):
    """Takes forms about specs, also those that were opened before a restart."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        form = sent_form(interaction, _FORM)
        if form is None:
            return
        run_id, version, written = form.said["run"], int(form.said["version"]), form.written

        async def act(sent: discord.Interaction) -> str:
            await require_own_server(sent, form.said)
            specs, asker = bot_of(sent).council.specs, asker_of(sent.user)
            if form.said["action"] == EDIT:
                text = "\n".join(written.get(name, "") for name in PARTS)
                return await specs.edit(run_id, version, asker, text)
            return await specs.change(run_id, version, asker, written.get(WISH, ""))

        await answer_press(interaction, act)
