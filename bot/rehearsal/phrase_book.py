"""The phrases of the rehearsal, read from their data files at the first answer and checked once."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bot.errors import ConfigError
from bot.rehearsal.dice import Dice
from bot.rehearsal.phrase_types import (
    Build,
    Cards,
    Conclusion,
    Deck,
    Design,
    Guests,
    Lens,
    Manners,
    Roles,
    Seats,
    Stands,
    Strict,
    Voice,
    Words,
)
from bot.rehearsal.text import clean, cut, role_key

_FOLDER = Path(__file__).with_name("phrases")
_OPENERS = frozenset("as for it there to with on between neither both whether".split())


@dataclass(frozen=True)
class _PhraseBook(Strict):
    """Everything the rehearsal can say; each field is one file."""

    build: Build
    cards: Cards
    conclusion: Conclusion
    design: Design
    guests: Guests
    manners: dict[str, Manners]
    roles: Roles
    seats: Seats
    stands: Stands
    words: Words

    def voice_for(self, role: str) -> Voice | None:
        """The voice of a role that has one of its own."""
        key = role_key(role)
        return self.roles.voices.get(self.roles.same_as.get(key, key))

    def is_guest(self, role: str, mode: str) -> bool:
        """True when the role is not at home in this mode, so that its cards may clash."""
        at_home = self.roles.at_home.get(mode)
        return self.voice_for(role) is None if at_home is None else role_key(role) not in at_home

    def lens_for(self, role: str, *hints: str) -> Lens:
        """The lens a role looks through: by its name, else by the hints, else always the same."""
        for text in (role, *hints):
            for lens in self.guests.lenses:
                if lens.words.search(text):
                    return lens
        return Dice("lens", role_key(role)).pick(self.guests.lenses)

    @cached_property
    def technical_deck(self) -> Deck:
        """The considerations for a technical topic."""
        cards = self.cards
        return _named(cards.build, cards.technical) + _named(cards.plan, cards.practical)

    @cached_property
    def danger_deck(self) -> Deck:
        """The considerations for what can go wrong with something that is no system."""
        return _named(self.cards.attack, self.cards.human) + self.cards.plan[:-4]

    def uncoloured(self, text: str) -> str:
        """A guest's clause without the words that coloured it."""
        return self._colour.sub("", text)

    def quoted(self, text: str, limit: int = 80) -> str:
        """A piece of somebody's text, short and harmless, to stand between quotation marks."""
        return cut(self.uncoloured(clean(text).rstrip(" .;:,")), limit)

    def plain(self, text: str, limit: int = 90) -> str:
        """A piece of somebody's text as a clause in a new sentence; names keep their capital."""
        short = self.quoted(text, limit)
        opener = short.split(" ", 1)[0].lower()
        return short[:1].lower() + short[1:] if opener in self._openers else short

    @cached_property
    def _colour(self) -> re.Pattern[str]:
        whens = map(re.escape, self.guests.whens)
        whom = [re.escape(whom) for lens in self.guests.lenses for whom in lens.whom]
        return re.compile(rf", (?:{'|'.join(whens)}) and (?:{'|'.join(whom)})$")

    @cached_property
    def _openers(self) -> frozenset[str]:
        """Words that begin a clause of ours, so that they are not names."""
        cards = self.cards
        decks = (*cards.plan, *cards.build, *cards.attack, *cards.choice)
        clauses = [text for card in decks for text in (card.pro, card.con, card.risk)]
        return _OPENERS | {text.split(" ", 1)[0] for text in clauses if not text.startswith("{")}


def _names(deck: Deck) -> set[str]:
    return {card.name for card in deck}


def _named(deck: Deck, names: tuple[str, ...]) -> Deck:
    return tuple(card for card in deck if card.name in names)


@cache
def phrases() -> _PhraseBook:
    """The phrases that come with the bot."""
    return load_phrases(_FOLDER)


def load_phrases(folder: Path) -> _PhraseBook:
    """The phrases of a folder, or a ConfigError that says in a sentence what is wrong where."""
    data = {path.stem: _read(path) for path in folder.glob("*.toml")}
    try:
        book = TypeAdapter(_PhraseBook).validate_python(data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise ConfigError("\n".join(_sentence(dict(problem)) for problem in found)) from None
    if problems := _loose_ends(book):
        raise ConfigError("\n".join(problems))
    return book


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not TOML: {error}.") from None


def _sentence(found: Mapping[str, Any]) -> str:
    file, *keys = found["loc"]
    place = " ".join([f"{file}.toml", *(f"“{_key(key)}”" for key in keys)])
    match found["type"]:
        case "missing":
            return f"{place} is missing."
        case "unexpected_keyword_argument":
            return f"{place} is not known."
        case "value_error":
            return f"{place} {found['ctx']['error']}."
        case _:
            return f"{place}: {found['msg'][0].lower()}{found['msg'][1:]}."


def _key(key: str | int) -> str:
    return f"number {key + 1}" if isinstance(key, int) else key


def _loose_ends(book: _PhraseBook) -> list[str]:
    """Names that one place uses and another does not have."""
    roles, cards, design = book.roles, book.cards, book.design
    at_home = sorted({role for home in roles.at_home.values() for role in home})
    manners = sorted({voice.manner for voice in roles.voices.values()})
    used: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("roles.toml has no voice", roles.same_as.values(), roles.voices),
        ("roles.toml has no voice", at_home, {*roles.voices, *roles.same_as}),
        ("manners.toml has no table", manners, book.manners),
        ("cards.toml has no card to build with called", cards.technical, _names(cards.build)),
        ("cards.toml has no card for plans called", cards.practical, _names(cards.plan)),
        ("cards.toml has no card for attacks called", cards.human, _names(cards.attack)),
        ("design.toml has no roles for", ["debate"], design.roles),
        ("design.toml has no workflows for", ["debate"], design.workflows),
    ]
    return [
        f"{what} “{name}”." for what, names, known in used for name in names if name not in known
    ]
