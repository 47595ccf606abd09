"""Writing in pictures with the one font that Pillow brings along."""

from functools import cache, lru_cache

from PIL import Image, ImageDraw, ImageFont

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


@lru_cache(maxsize=128)
def written(text: str, size: float, anchor: str) -> tuple[Image.Image, float, float]:
    """How much of each pixel the text covers, and where its corner lies seen from its anchor.

    Kept, because letters, figures and roles come again in every picture.
    """
    face = font(size)
    left, top, right, bottom = face.getbbox(text, anchor=anchor)
    cover = Image.new("L", (max(1, round(right - left)), max(1, round(bottom - top))))
    ImageDraw.Draw(cover).text((-left, -top), text, 255, font=face, anchor=anchor)
    return cover, left, top
