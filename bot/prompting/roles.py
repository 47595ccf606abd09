"""Recognises seats by their role in prose, whatever its case, underscores, apostrophes or stars."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

# Every replacement is one character long, so places in the levelled text are places in the text.
_LEVEL: Final = str.maketrans(
    {
        **dict.fromkeys('_*[]`"“”«»<>', " "),
        **dict.fromkeys("’‘ʼ´′＇", "'"),
        **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
        "：": ":",
        "／": "/",
        "｜": "|",
    }
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A known role at a place in a text."""

    role: str
    start: int
    end: int


def level(text: str) -> str:
    """The text without decoration around names, character for character as long as before."""
    return text.translate(_LEVEL)


class Roles:
    """The roles that may be mentioned; where one name contains another the longer one is meant."""

    def __init__(self, roles: Sequence[str]) -> None:
        self._by_key = {_key(role): role for role in reversed(roles) if _key(role)}
        names = sorted(self._by_key, key=len, reverse=True)
        pattern = "|".join(r"\s{1,4}".join(map(re.escape, name.split(" "))) for name in names)
        self._pattern = re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE) if names else None

    def mentions(self, text: str) -> Iterator[Mention]:
        """Every role named in a text, in order, with its place."""
        if self._pattern is None:
            return
        for match in self._pattern.finditer(level(text)):
            role = self._by_key.get(_key(match[0]))
            if role is not None:
                yield Mention(role, match.start(), match.end())

    def first(self, text: str) -> Mention | None:
        """The first role named in a text."""
        return next(self.mentions(text), None)

    def named(self, name: str) -> str | None:
        """The role that this name spells, if it spells one and nothing else."""
        return self._by_key.get(_key(name))


@lru_cache(maxsize=512)
def _key(name: str) -> str:
    return " ".join(level(name).casefold().split())
