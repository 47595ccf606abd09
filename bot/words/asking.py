"""Errors and notes about a `roundtable …` command that cannot be parsed, or only in part."""

from collections.abc import Iterable, Mapping
from typing import Final

EXAMPLES: Final[Mapping[str, str]] = {
    "--panel": "`--panel opus,grok,gemini`",
    "--context-from": "`--context-from 2026-05-01-our-queue`",
    "--link": "`--link https://github.com/owner/name/issues/12`",
    "--rounds": "`--rounds 2`",
}
"""How each flag that takes a value is written."""

NO_WORDS: Final = "Your topic has no words: write what the panel should discuss after `roundtable`."
PANEL_WITHOUT_NAMES: Final = f"`--panel` needs comma-separated model names: {EXAMPLES['--panel']}."
WRONG_ROUNDS: Final = f"A roundtable has 1 to 3 rounds: write {EXAMPLES['--rounds']}."
WRONG_NAME: Final = (
    "`--context-from` takes the name of an earlier roundtable (lowercase letters, digits and "
    f"dashes): {EXAMPLES['--context-from']}."
)
NO_VALIDATION: Final = "`--quick` skips validation, so `--validate` has no effect here."


def one_round_only(rounds: int | None) -> str:
    """More rounds were asked for than a quick roundtable holds."""
    return f"`--quick` runs one round, so `--rounds {rounds}` has no effect here."


def too_long(characters: int, limit: int) -> str:
    """The topic is longer than the server allows."""
    return (
        f"Your topic has {characters:,} characters and the limit is {limit:,}: shorten it, or post "
        "the long part as a separate message and write only the question here."
    )


def too_many_modes(modes: Iterable[str]) -> str:
    """Two flags name different kinds of meeting."""
    named = " and ".join(f"`--{mode}`" for mode in modes)
    return f"A roundtable has only one mode, but you gave {named}: keep one of them."


def needs_value(flag: str) -> str:
    """A flag that needs a value has none."""
    return f"`{flag}` needs a value: {EXAMPLES[flag]}."


def unknown_flag(flag: str, near: str | None, known: Iterable[str]) -> str:
    """A flag that does not exist; `near` is the one that was probably meant."""
    every = ", ".join(f"`{name}`" for name in known)
    hint = f"did you mean `{near}`?" if near else f"available flags: {every}."
    return f"Unknown flag `{flag}`: {hint} (If your topic starts with dashes, put `--` before it.)"
