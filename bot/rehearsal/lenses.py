"""Lenses: what a guest at the table, a role without a place of its own, pays attention to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.rehearsal.dice import Dice
from bot.rehearsal.voices import Patterns, Voice, role_key


@dataclass(frozen=True, slots=True)
class Lens:
    """A way of looking: `words` give it away, `whom` is for whom it speaks."""

    name: str
    words: re.Pattern[str]
    whom: Patterns
    voice: Voice


def lens_of(lenses: Sequence[Lens], role: str, *hints: str) -> Lens:
    """The lens a role looks through: told by its name, else by the hints, else always the same."""
    for text in (role, *hints):
        fitting = [lens for lens in lenses if lens.words.search(text)]
        if fitting:
            return fitting[0]
    return Dice("lens", role_key(role)).pick(lenses)
