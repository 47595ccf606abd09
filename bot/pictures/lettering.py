"""Writing in pictures with the one font that Pillow brings along."""

from functools import cache

from PIL import ImageFont

_NO_SUCH_GLYPH = "\U0010ffff"


@cache
def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font in a size."""
    return ImageFont.load_default(size)


@cache
def _has_glyph(letter: str) -> bool:
    face = font(24)
    return letter.isspace() or bytes(face.getmask(letter)) != bytes(face.getmask(_NO_SUCH_GLYPH))


def can_write(text: str) -> bool:
    """Whether the font knows every letter; it knows Latin ones and little else."""
    return all(_has_glyph(letter) for letter in text)


def fitted(text: str, size: float, width: float) -> str:
    """The text, cut so that it takes no more than so many pixels."""
    face = font(size)
    if face.getlength(text) <= width:
        return text
    while text and face.getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text.rstrip()}..."
