"""A prompt for wire formats that keep the system text apart and want turns to alternate."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.models.port import Message, Voice
from bot.models.surrogates import sendable

GO_ON = "Go on."


@dataclass(frozen=True, slots=True)
class Conversation:
    """The system text, and turns of user and assistant that alternate and end with the user."""

    system: str
    turns: tuple[Message, ...]


def conversation(messages: Iterable[Message]) -> Conversation:
    """Sort a prompt's messages; blank ones are left out, for providers reject them."""
    said = [Message(m.voice, sendable(m.text)) for m in messages if m.text.strip()]
    system = "\n\n".join(message.text for message in said if message.voice == "system")
    turns = _alternating(message for message in said if message.voice != "system")
    if not turns:
        return Conversation("", (Message("user", system),))
    if turns[-1].voice == "assistant":
        # New models reject a prompt that ends with the assistant's own words.
        turns.append(Message("user", GO_ON))
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
