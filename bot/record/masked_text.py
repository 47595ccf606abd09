"""Finds in a text whatever would tell who a masked panelist is, and replaces it as a whole."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from bot.messages.meeting import MaskText

_NOTHING: Final = "(?!)"
_WORD: Final = re.compile(r"[^\W_]+")
_FIRST: Final = r"(?<![^\W_])"
_LAST: Final = r"(?![^\W_])"
_BETWEEN: Final = r"[\W_]{0,4}"
"""What may stand between the words of a name: spaces, hyphens, apostrophes, markup."""
_VERSION: Final = r"v?\d[\d.]*[^\W\d_]{0,2}"
_HERE: Final = "\ue000"
"""Stands for a hidden name until the longer name around it is known."""
_TOKEN: Final = re.compile(rf"[\w.:/@+\-{_HERE}]+")
_AROUND: Final = "_.:/@+-"
_ROLE_FOLLOWS: Final = re.compile(
    r"(?i)(?:(?<![^\W_])(?:the|as|am|i['’]m|role|role of|called|named)[\s:*_`\"“]{1,4})"
    r"(?:(?:an?|the|your|our|this panel['’]s)[\s*_`\"“]{1,3})?$"
)
_LEAD: Final = 40
"""How many characters before a role are looked at."""
_EVERYDAY: Final = frozenset(
    "base chat code experimental fast flash flex free high instant instruct large latest light lite"
    " live low max medium mini model nano next plus preview prime small standard thinking tiny"
    " turbo ultra vision".split()
)
"""Parts of models' names that are words of their own, hidden only behind a name."""
_LEAST_PART: Final = 4


class MaskedWords:
    """The names of one panel; `topic` is what people asked, so its words give nobody away."""

    def __init__(self, aliases: Mapping[str, str], models: Collection[str], topic: str) -> None:
        self._roles = {_folded(role): alias for role, alias in aliases.items()}
        self._written = {form for role in aliases for form in (role, role.upper(), role.title())}
        self._role = re.compile(_roles_pattern(aliases)) if aliases else None
        names = [name for name in models if not _models_pattern([name]).search(topic)]
        self._model = _models_pattern(names) if names else None
        self._in_topic = {_folded(found[0]) for found in self._roles_in(topic)}

    def replaced(self, text: str) -> str:
        """The text without any of the names."""
        text = self._plain(text)
        if self._model is not None:
            text = _TOKEN.sub(_whole, self._model.sub(_HERE, text))
        return self._role.sub(self._alias, text) if self._role else text

    def _plain(self, text: str) -> str:
        """The text with compatibility letters unified, if these spell a name."""
        if text.isascii():
            return text
        unified = unicodedata.normalize("NFKC", text)
        return unified if self._names_in(unified) != self._names_in(text) else text

    def _names_in(self, text: str) -> int:
        models = sum(1 for _ in self._model.finditer(text)) if self._model else 0
        return models + sum(1 for _ in self._roles_in(text))

    def _roles_in(self, text: str) -> Iterator[re.Match[str]]:
        return self._role.finditer(text) if self._role else iter(())

    def _alias(self, found: re.Match[str]) -> str:
        name = found["role"] or found["run"]
        if not name or not self._is_name(found):
            return found[0]
        if found["plural"]:
            return MaskText.PANELISTS if name[0].isupper() else MaskText.PANELISTS.lower()
        folded = _folded(name)
        # Beside the topic an alias would say which of its words the panelist is called.
        return MaskText.PANELIST if folded in self._in_topic else self._roles[folded]

    def _is_name(self, found: re.Match[str]) -> bool:
        """In lower case one word may be a common noun, unless it follows "the", "as a" …"""
        name = found["role"] or found["run"]
        if name in self._written or len(_WORD.findall(name)) > 1:
            return True
        before = found.string[max(0, found.start() - _LEAD) : found.start()]
        return _ROLE_FOLLOWS.search(before) is not None


def _folded(name: str) -> str:
    return "".join(_WORD.findall(name)).casefold()


def _whole(found: re.Match[str]) -> str:
    """A longer name around a hidden one, such as a path or a version, is hidden with it."""
    token = found[0]
    if _HERE not in token:
        return token
    return token.replace(token.strip(_AROUND), MaskText.MASKED, 1)


def _roles_pattern(aliases: Mapping[str, str]) -> str:
    """Every role, the longest first; an alias is found before them and stays."""
    kept = "|".join(re.escape(alias) for alias in _longest_first(set(aliases.values())))
    roles = _longest_first(aliases)
    apart = "|".join(_spaced(role) for role in roles if _stands_apart(role)) or _NOTHING
    inside = "|".join(_spaced(role) for role in roles if not _stands_apart(role)) or _NOTHING
    return (
        rf"{_FIRST}(?:{kept}){_LAST}"
        rf"|{_FIRST}(?i:(?P<role>{apart})(?P<plural>(?:e?s)?)){_LAST}|(?P<run>{inside})"
    )


def _models_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Every name with what follows it: "Opus" and "4.6" of "Claude Opus 4.6" go with "Claude"."""
    known = _longest_first(names)
    parts = _longest_first({part for name in known for part in _WORD.findall(name)})
    follows = "|".join([*(re.escape(part) for part in parts), _VERSION])
    rest = rf"(?:[\s\-./:_]{{0,2}}(?:{follows}){_LAST})*"
    named = "|".join(_spaced(name) for name in known)
    alone = "|".join(re.escape(part.title()) for part in parts if _tells(part))
    single = rf"|{_FIRST}(?:{alone})s?{_LAST}" if alone else ""
    ends = rf"(?:\d[\d.]*[^\W\d_]?|s)?{_LAST}"
    return re.compile(rf"(?i:{_FIRST}(?:{named}){ends}{rest}){single}")


def _tells(part: str) -> bool:
    return len(part) >= _LEAST_PART and part.isalpha() and part.casefold() not in _EVERYDAY


def _spaced(name: str) -> str:
    """A name however its words are held together."""
    words = _WORD.findall(name)
    return _BETWEEN.join(map(re.escape, words)) if words else re.escape(name)


def _stands_apart(name: str) -> bool:
    """Whether words of its script stand between spaces; others are found inside longer runs."""
    return all(unicodedata.category(letter) != "Lo" for letter in name)


def _longest_first(names: Iterable[str]) -> list[str]:
    return sorted((name for name in names if name), key=lambda name: (-len(name), name))
