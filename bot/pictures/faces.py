"""A face for every role: the same name always gets the same one, and different names differ."""

import hashlib
import io
from collections.abc import Callable
from functools import lru_cache, partial

from PIL import Image, ImageDraw

_SIZE = 128
# Drawn large and scaled down, because Pillow draws without smoothing.
_LARGE = 4
_INK = "#26221f"
_WHITE = "#ffffff"
_GROUNDS = (
    "#f2b134", "#ed553b", "#3caea3", "#20639b", "#8e5ea2", "#c2d76b",
    "#f78fa7", "#5fa8d3", "#a3785a", "#6c757d", "#2a9d8f", "#e07a5f",
)  # fmt: skip
# Nobody's skin: a panelist is a model, and no role may look like a kind of person.
_SKINS = ("#ffffff", "#d6f5e6", "#ddd8ff", "#fff0c2", "#cfe8ff", "#ffdbe4")
_HAIRS = ("#2f2a26", "#6b4226", "#b5763a", "#d9b26f", "#8a8f98", "#3b3f6b")

_Pen = ImageDraw.ImageDraw


def draw_face(name: str) -> bytes:
    """The face of a role as PNG, 128 pixels square."""
    choices = _choices(name)
    side = _SIZE * _LARGE
    ground = choices(len(_GROUNDS))
    image = Image.new("RGB", (side, side), _GROUNDS[ground])
    pen = ImageDraw.Draw(image)
    hair, skin = _HAIRS[choices(len(_HAIRS))], _SKINS[choices(len(_SKINS))]
    _shoulders(pen, _GROUNDS[ground - 1 - choices(len(_GROUNDS) - 1)])
    top = _TOPS[choices(len(_TOPS))]
    if top is _long_hair:
        _box(pen, "rounded", (32, 34, 96, 104), hair, 26)
    _HEADS[choices(len(_HEADS))](pen, skin)
    top(pen, hair)
    _EYES[choices(len(_EYES))](pen)
    _MOUTHS[choices(len(_MOUTHS))](pen)
    file = io.BytesIO()
    image.resize((_SIZE, _SIZE), Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


def _choices(name: str) -> Callable[[int], int]:
    """Picks from so many, one byte of the name's hash after the other."""
    numbers = iter(hashlib.sha256(name.strip().casefold().encode()).digest())
    return lambda count: next(numbers) % count


def _box(
    pen: _Pen, shape: str, box: tuple[float, float, float, float], fill: str, radius: float = 0
) -> None:
    scaled = tuple(edge * _LARGE for edge in box)
    if shape == "rounded":
        pen.rounded_rectangle(scaled, radius * _LARGE, fill)
    else:
        pen.ellipse(scaled, fill)


def _stroke(pen: _Pen, points: list[tuple[float, float]], width: float) -> None:
    pen.line([(x * _LARGE, y * _LARGE) for x, y in points], _INK, round(width * _LARGE), "curve")


def _shoulders(pen: _Pen, colour: str) -> None:
    _box(pen, "rounded", (22, 100, 106, 170), colour, 30)


def _head(pen: _Pen, skin: str, box: tuple[float, float, float, float], radius: float) -> None:
    _box(pen, "rounded", box, skin, radius)


def _short_hair(pen: _Pen, hair: str) -> None:
    _box(pen, "rounded", (36, 22, 92, 46), hair, 16)


def _long_hair(pen: _Pen, hair: str) -> None:
    _box(pen, "rounded", (34, 20, 94, 46), hair, 18)


def _curls(pen: _Pen, hair: str) -> None:
    for left in (32, 44, 56, 68):
        _box(pen, "ellipse", (left, 18, left + 28, 44), hair)


def _cap(pen: _Pen, hair: str) -> None:
    _box(pen, "rounded", (36, 18, 92, 44), hair, 20)
    _box(pen, "rounded", (60, 38, 106, 46), hair, 4)


def _bald(pen: _Pen, hair: str) -> None:
    _box(pen, "ellipse", (32, 52, 40, 70), hair)
    _box(pen, "ellipse", (88, 52, 96, 70), hair)


def _dots(pen: _Pen) -> None:
    for x in (52, 76):
        _box(pen, "ellipse", (x - 4, 60, x + 4, 68), _INK)


def _wide_eyes(pen: _Pen) -> None:
    for x in (52, 76):
        _box(pen, "ellipse", (x - 8, 56, x + 8, 72), _WHITE)
        _box(pen, "ellipse", (x - 4, 61, x + 4, 69), _INK)


def _glasses(pen: _Pen) -> None:
    for x in (51, 77):
        _box(pen, "ellipse", (x - 12, 52, x + 12, 76), _INK)
        _box(pen, "ellipse", (x - 9, 55, x + 9, 73), _WHITE)
        _box(pen, "ellipse", (x - 4, 60, x + 4, 68), _INK)
    _stroke(pen, [(61, 62), (67, 62)], 3)


def _brows(pen: _Pen) -> None:
    _dots(pen)
    _stroke(pen, [(44, 53), (58, 56)], 3.5)
    _stroke(pen, [(70, 56), (84, 53)], 3.5)


def _smile(pen: _Pen) -> None:
    box = tuple(edge * _LARGE for edge in (50, 70, 78, 92))
    pen.arc(box, 20, 160, _INK, round(3.5 * _LARGE))


def _straight(pen: _Pen) -> None:
    _stroke(pen, [(54, 86), (74, 86)], 3.5)


def _talking(pen: _Pen) -> None:
    _box(pen, "ellipse", (57, 80, 71, 93), _INK)


def _half_smile(pen: _Pen) -> None:
    _stroke(pen, [(53, 87), (66, 87), (76, 81)], 3.5)


_HEADS: tuple[Callable[[_Pen, str], None], ...] = (
    partial(_head, box=(36, 26, 92, 106), radius=28),
    partial(_head, box=(34, 28, 94, 102), radius=36),
    partial(_head, box=(38, 26, 90, 108), radius=18),
)
_TOPS = (_short_hair, _long_hair, _curls, _cap, _bald)
_EYES = (_dots, _wide_eyes, _glasses, _brows)
_MOUTHS = (_smile, _straight, _talking, _half_smile)


@lru_cache(maxsize=256)
def drawn_face(role: str) -> bytes:
    """The face as PNG."""
    # Pillow is slow to import, and a start should not pay for it.

    return draw_face(role)
