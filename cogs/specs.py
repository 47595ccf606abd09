"""Accept, edit, ask for changes: what the starter of a build presses under its spec."""

import re
from collections.abc import Iterator
from typing import Any, Final, Self, cast

import discord
from discord.ext import commands

from bot.council.delivery.deciding import WISH_LIMIT
from bot.council.delivery.spec_post import ACCEPT, CHANGES, EDIT, LABELS, spec_button_id
from bot.council.service import Council
from bot.prompting.build_spec import BuildSpec, field_text
from bot.words import buttons as words
from cogs.answering import sentence_for, whisper
from cogs.buttons import RUN, HasCouncil, answer_press
from cogs.people import asker_of

VERSION = r"(?P<version>\d{1,4})"
WISH: Final = "wish"
FIELD_LIMIT: Final = 4000
# A form has at most five fields, so related headings share one.
PARTS: Final = {
    "goal": (words.GOAL_AND_RISKS, ("goal", "risks")),
    "scope": (words.SCOPE, ("scope_in", "scope_out")),
    "files": (words.INPUTS_AND_OUTPUTS, ("inputs", "outputs")),
    "criteria": (words.ACCEPTANCE_CRITERIA, ("acceptance_criteria",)),
}
_FORM = re.compile(rf"rt:{RUN}:spec:{VERSION}:(?P<action>edit|changes):form")


class SpecButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"rt:{RUN}:spec:{VERSION}:(?P<action>accept|edit|changes)",
):
    """One of the three buttons under a spec."""

    def __init__(self, run_id: str, version: int, action: str) -> None:
        custom_id = spec_button_id(run_id, version, action)
        super().__init__(discord.ui.Button(label=LABELS[action], custom_id=custom_id))
        self._run_id, self._version, self._action = run_id, version, action

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction,  # noqa: ARG003 (the signature is discord.py's)
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
    ) -> Self:
        """Make the button again from what its custom id says."""
        return cls(match["run"], int(match["version"]), match["action"])

    async def callback(self, interaction: discord.Interaction) -> None:
        """Accept at once; the other two ask for words first."""
        asker, run_id, version = asker_of(interaction.user), self._run_id, self._version
        if self._action == ACCEPT:
            await answer_press(
                interaction, lambda council: council.specs.accept(run_id, version, asker)
            )
            return
        try:
            council = cast("HasCouncil", interaction.client).council
            spec = await council.specs.text_of(run_id, version, asker)
        except Exception as error:
            await whisper(interaction, sentence_for(error))
            return
        await interaction.response.send_modal(SpecForm(run_id, version, self._action, spec))


class SpecForm(discord.ui.Modal):
    """The spec to edit, or a field for a wish; the cog takes what was written."""

    def __init__(self, run_id: str, version: int, action: str, spec: BuildSpec) -> None:
        custom_id = f"{spec_button_id(run_id, version, action)}:form"
        super().__init__(title=words.spec_form(LABELS[action], version), custom_id=custom_id)
        if action == CHANGES:
            self._ask(WISH, words.WHAT_HAS_TO_CHANGE, "", WISH_LIMIT)
            return
        for name, (label, headings) in PARTS.items():
            text = "\n".join(field_text(spec, heading) for heading in headings)
            self._ask(name, label, text[:FIELD_LIMIT], FIELD_LIMIT)

    def _ask(self, name: str, label: str, text: str, limit: int) -> None:
        field: discord.ui.TextInput[Self] = discord.ui.TextInput(
            custom_id=name,
            style=discord.TextStyle.paragraph,
            default=text or None,
            max_length=limit,
        )
        self.add_item(discord.ui.Label(text=label, component=field))

    async def on_submit(self, interaction: discord.Interaction, /) -> None:
        """Leave it to the cog."""


class SpecsCog(commands.Cog):
    """Takes forms about specs, also those that were opened before a restart."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form of ours was sent off."""
        data = cast("dict[str, Any]", interaction.data or {})
        form = _FORM.fullmatch(str(data.get("custom_id", "")))
        if interaction.type is not discord.InteractionType.modal_submit or form is None:
            return
        written = dict(_written(data.get("components", [])))
        asker, run_id, version = asker_of(interaction.user), form["run"], int(form["version"])

        async def act(council: Council) -> str:
            if form["action"] == EDIT:
                text = "\n".join(written.get(name, "") for name in PARTS)
                return await council.specs.edit(run_id, version, asker, text)
            return await council.specs.change(run_id, version, asker, written.get(WISH, ""))

        await answer_press(interaction, act)


def _written(components: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """What was typed into each field, whichever way they are nested."""
    for part in components:
        if "value" in part:
            yield str(part.get("custom_id", "")), str(part["value"])[:FIELD_LIMIT]
        yield from _written([*part.get("components", []), *filter(None, [part.get("component")])])
