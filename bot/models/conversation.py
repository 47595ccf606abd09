"""Prompts for wire formats: valid text, alternating turns, marks for caches."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from bot.types.model_port import Message, Prompt, Voice

_GO_ON = "Go on."
CHARS_PER_TOKEN: Final = 4
_SHORTEST: Final = 1024
"""The shortest prefix that most Claude models cache, in tokens."""
_SHORTEST_BY_NAME: Final = (
    (re.compile(r"(?:opus|haiku)-4[-.][56]"), 4096),
    (re.compile(r"opus-4[-.]7|haiku"), 2048),
)
_MARK: Final[Mapping[str, Any]] = MappingProxyType({"cache_control": {"type": "ephemeral"}})


def sendable(text: str) -> str:
    """The text as valid UTF-8: surrogate pairs are joined, lone surrogates replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def sendable_body(body: Any) -> Any:
    """The same for every text of a JSON document."""
    if isinstance(body, str):
        return sendable(body)
    if isinstance(body, list | tuple):
        return [sendable_body(item) for item in body]
    if isinstance(body, dict):
        return {sendable(str(name)): sendable_body(item) for name, item in body.items()}
    return body


@dataclass(frozen=True, slots=True)
class Conversation:
    """The system text, and turns of user and assistant that alternate and end with the user."""

    system: str
    turns: tuple[Message, ...]


def conversation(messages: Iterable[Message]) -> Conversation:
    """Turn a prompt into a conversation; blank messages, which providers reject, are dropped."""
    said = [Message(m.voice, sendable(m.text)) for m in messages if m.text.strip()]
    system = "\n\n".join(message.text for message in said if message.voice == "system")
    turns = _alternating(message for message in said if message.voice != "system")
    if not turns:
        return Conversation("", (Message("user", system),))
    if turns[-1].voice == "assistant":
        # New models reject a prompt that ends with the assistant's own words.
        turns.append(Message("user", _GO_ON))
    return Conversation(system, tuple(turns))


def _alternating(messages: Iterable[Message]) -> list[Message]:
    turns: list[Message] = []
    for message in messages:
        if turns and turns[-1].voice == message.voice:
            turns[-1] = _joined(message.voice, turns[-1], message)
        else:
            turns.append(message)
    return turns


def _joined(voice: Voice, first: Message, second: Message) -> Message:
    return Message(voice, f"{first.text}\n\n{second.text}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message; `kept` asks the provider to cache everything up to its end."""

    text: str
    kept: bool

    def block(self) -> dict[str, Any]:
        """The piece as a content block of the Messages API."""
        return {"type": "text", "text": self.text, **(_MARK if self.kept else {})}


def shortest_cached(model: str) -> int:
    """The shortest prefix in tokens that a model caches."""
    name = model.casefold()
    return next((least for known, least in _SHORTEST_BY_NAME if known.search(name)), _SHORTEST)


def pieces(prompt: Prompt, system: str, text: str, model: str) -> tuple[Piece, ...]:
    """The user's text in pieces that end where shared prefixes end, if they are long enough.

    A text that is not exactly the prompt's last message is one piece, because its positions are not
    known.
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
