"""The phrases of the rehearsal, read from their data files at the first answer and checked once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.errors import ConfigError
from bot.rehearsal.data_files import Strict, read_folder
from bot.rehearsal.phrase_types import (
    Build,
    Cards,
    Conclusion,
    Design,
    Manners,
    Roles,
    Stands,
    Voice,
    Words,
)
from bot.rehearsal.text import role_key

_FOLDER = Path(__file__).with_name("phrases")


@dataclass(frozen=True)
class _PhraseBook(Strict):
    """Everything the rehearsal can say; each field is one file."""

    build: Build
    cards: Cards
    conclusion: Conclusion
    design: Design
    manners: Manners
    roles: Roles
    stands: Stands
    words: Words

    def voice_for(self, role: str) -> Voice | None:
        """The voice of a role that has one of its own."""
        key = role_key(role)
        return self.roles.voices.get(self.roles.same_as.get(key, key))


@cache
def phrases() -> _PhraseBook:
    """The phrases that come with the bot."""
    return load_phrases(_FOLDER)


def load_phrases(folder: Path) -> _PhraseBook:
    """The phrases of a folder, or a ConfigError that says in a sentence what is wrong where."""
    book = read_folder(_PhraseBook, folder)
    if problems := _loose_ends(book):
        raise ConfigError("\n".join(problems))
    return book


def _loose_ends(book: _PhraseBook) -> list[str]:
    """Names that one place uses and another does not have."""
    roles, design = book.roles, book.design
    used: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("roles.toml has no voice", roles.same_as.values(), roles.voices),
        ("roles.toml has no voice", roles.favourites, roles.voices),
        ("design.toml has no roles for", ["debate"], design.roles),
        ("design.toml has no workflows for", ["debate"], design.workflows),
    ]
    return [
        f"{what} “{name}”." for what, names, known in used for name in names if name not in known
    ]
