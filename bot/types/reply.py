"""The reply to a person: a text, and perhaps files; or a question back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file to hand over."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture to hand over, and what it shows, for those who cannot see it."""

    name: str
    png: bytes
    alt: str


@dataclass(frozen=True, slots=True)
class ReplyText:
    """An answer to one person; a long text is sent in parts."""

    text: str
    files: tuple[TextFile, ...] = ()
    pictures: tuple[PictureFile, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetOffer:
    """What would be forgotten about a person, who has to confirm it."""

    person_id: int
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a message that started nothing was probably meant to be; only its author decides."""

    message_id: int
    text: str
    meant: str = ""
    """What the button says that does it; empty where nobody can tell."""
    may_start: bool = True
