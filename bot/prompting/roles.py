"""Recognises seats by their role in prose, whatever its case, underscores, apostrophes or stars."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

_BLANKS: Final = '_*[]`"“”«»<>'
_ALIKE: Final[Mapping[str, str]] = {
    "'": "’‘ʼ´′＇",
    **{str(digit): chr(0xFF10 + digit) for digit in range(10)},
    ":": "：",
    "/": "／",
    "|": "｜",
}
# Every replacement is one character long, so places in the levelled text are places in the text.
_LEVEL: Final[Mapping[str, str]] = {
    **dict.fromkeys(_BLANKS, " "),
    **{other: plain for plain, others in _ALIKE.items() for other in others},
}
_UNLEVEL: Final = re.compile(f"[{re.escape(''.join(_LEVEL))}]")
_BLANK: Final = rf"[\s{re.escape(_BLANKS)}]"
# The underscore and one of the apostrophes count as parts of words elsewhere.
_OF_A_WORD: Final = r"[^\W_ʼ]"


class Mention(NamedTuple):
    """A known role at a place in a text."""

    role: str
    start: int
    end: int


def level(text: str) -> str:
    """The text without decoration around names, character for character as long as before."""
    return _UNLEVEL.sub(_levelled, text)


def _levelled(match: re.Match[str]) -> str:
    return _LEVEL[match[0]]


class Roles:
    """The roles that may be mentioned; where one name contains another the longer one is meant."""

    def __init__(self, roles: Sequence[str]) -> None:
        self._by_key = {_key(role): role for role in reversed(roles) if _key(role)}
        names = sorted(self._by_key, key=len, reverse=True)
        pattern = "|".join(map(_spelling, names)) or "(?!)"
        self._pattern = re.compile(f"(?<!{_OF_A_WORD})(?:{pattern})(?!{_OF_A_WORD})", re.IGNORECASE)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Every role named in a text, in order, with its place."""
        return filter(None, map(self._mention, self._pattern.finditer(text)))

    def first(self, text: str) -> Mention | None:
        """The first role named in a text."""
        return next(self.mentions(text), None)

    def leading(self, text: str) -> Mention | None:
        """The role that a text begins with."""
        match = self._pattern.match(text)
        return self._mention(match) if match else None

    def named(self, name: str) -> str | None:
        """The role that this name spells, if it spells one and nothing else."""
        return self._by_key.get(_key(name))

    def _mention(self, match: re.Match[str]) -> Mention | None:
        role = self.named(match[0])
        return None if role is None else Mention(role, *match.span())


@lru_cache(maxsize=1024)
def roles_of(*roles: str) -> Roles:
    """The roles of a panel, made ready once for all its answers."""
    return Roles(roles)


@lru_cache(maxsize=512)
def _key(name: str) -> str:
    return " ".join(level(name).casefold().split())


def _spelling(name: str) -> str:
    """A pattern for a name however it is decorated."""
    return "".join(map(_character, name))


def _character(character: str) -> str:
    if character == " ":
        return f"{_BLANK}{{1,4}}"
    if character in _ALIKE:
        return f"[{re.escape(character + _ALIKE[character])}]"
    return "(?!)" if character in _LEVEL else re.escape(character)
