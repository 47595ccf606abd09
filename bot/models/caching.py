"""Where a prompt is cut so that a provider's cache can keep the beginning other prompts share."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from bot.models.port import Prompt

CHARS_PER_TOKEN: Final = 4
SHORTEST: Final = 1024
"""What most Claude models keep at the least, in tokens; shorter beginnings are never cached."""
_SHORTEST_BY_NAME: Final = (
    (re.compile(r"(?:opus|haiku)-4[-.][56]"), 4096),
    (re.compile(r"opus-4[-.]7|haiku"), 2048),
)
MARK: Final[Mapping[str, Any]] = MappingProxyType({"cache_control": {"type": "ephemeral"}})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message; `kept` asks the provider to keep everything up to its end."""

    text: str
    kept: bool

    def block(self) -> dict[str, Any]:
        """The piece as a content block of the Messages API."""
        return {"type": "text", "text": self.text, **(MARK if self.kept else {})}


def shortest_cached(model: str) -> int:
    """How many tokens a beginning must have for a model to keep it."""
    name = model.casefold()
    return next((least for known, least in _SHORTEST_BY_NAME if known.search(name)), SHORTEST)


def pieces(prompt: Prompt, system: str, text: str, model: str) -> tuple[Piece, ...]:
    """The user's text in pieces that end where shared beginnings end, if they are long enough.

    A text that is not the prompt's last message as it stands is left whole, for its positions
    are not known.
    """
    if not prompt.messages or prompt.messages[-1].text != text:
        return (Piece(text, False),)
    return tuple(_cut(text, _marks(prompt.shared, system, text, model)))


def _marks(shared: tuple[int, ...], system: str, text: str, model: str) -> Iterator[int]:
    least = shortest_cached(model) * CHARS_PER_TOKEN
    before = len(system.encode())
    for length in shared:
        if length < len(text) and before + len(text[:length].encode()) >= least:
            yield length


def _cut(text: str, marks: Iterator[int]) -> Iterator[Piece]:
    start = 0
    for mark in marks:
        yield Piece(text[start:mark], True)
        start = mark
    yield Piece(text[start:], False)
