"""The reply to a person: a text, and perhaps files."""

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
