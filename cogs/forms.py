"""Forms that count even if they were opened before a restart: what was sent says what it is for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

import discord

FIELD_LIMIT: Final = 4000


@dataclass(frozen=True, slots=True)
class SentForm:
    """What the custom id of a form says, and what was typed into each field."""

    said: re.Match[str]
    written: dict[str, str]


def sent_form(interaction: discord.Interaction, ids: re.Pattern[str]) -> SentForm | None:
    """The form that an interaction hands in, if it has such an id."""
    data = cast("dict[str, Any]", interaction.data or {})
    said = ids.fullmatch(str(data.get("custom_id", "")))
    if interaction.type is not discord.InteractionType.modal_submit or said is None:
        return None
    return SentForm(said, dict(_written(data.get("components", []))))


def paragraph(name: str, label: str, limit: int, text: str = "") -> "discord.ui.Label[Any]":
    """A field for a long text under its label."""
    field: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=name,
        style=discord.TextStyle.paragraph,
        default=text or None,
        max_length=limit,
    )
    return discord.ui.Label(text=label, component=field)


def _written(components: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """What was typed into each field, whichever way they are nested."""
    for part in components:
        if "value" in part:
            yield str(part.get("custom_id", "")), str(part["value"])[:FIELD_LIMIT]
        yield from _written([*part.get("components", []), *filter(None, [part.get("component")])])
