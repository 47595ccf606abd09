"""The calibration picture: how sure votes were against how often they were right.

A vote that is as good as it says lies on the line. Every dot says how many votes it stands for, so
that neither size nor colour is needed to read it.
"""

import io
from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from bot.messages.decisions import RecordText

_SCALE: Final = 2
_WIDTH, _HEIGHT = 440, 510
_LEFT, _TOP, _SIDE = 74, 70, 330
_STEPS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_GROUND, _PANEL, _LINE = "#1e1f22", "#2b2d31", "#6d717a"
_INK, _FAINT, _DOT = "#f2f3f5", "#a8acb3", "#56b4e9"
_SMALLEST, _LARGEST = 11, 20


def draw_calibration(points: Sequence[tuple[float, float, int]]) -> bytes:
    """The picture as PNG; a point is (said, right, votes), both shares between 0 and 1."""
    image = Image.new("RGB", (_WIDTH * _SCALE, _HEIGHT * _SCALE), _GROUND)
    draw = ImageDraw.Draw(image)
    _axes(draw)
    most = max((votes for _, _, votes in points), default=1)
    for said, right, votes in points:
        _dot(draw, said, right, votes, most)
    file = io.BytesIO()
    few = image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(file, "PNG", compress_level=3)
    return file.getvalue()


def _axes(draw: ImageDraw.ImageDraw) -> None:
    _text(draw, (_WIDTH / 2, 22), RecordText.PICTURE_HEAD, 17, _INK, "mm")
    box = (_LEFT, _TOP, _LEFT + _SIDE, _TOP + _SIDE)
    draw.rectangle([edge * _SCALE for edge in box], _PANEL, _LINE, _SCALE)
    for share in _STEPS:
        x, y = _at(share, share)
        _rule(draw, (x, _TOP), (x, _TOP + _SIDE))
        _rule(draw, (_LEFT, y), (_LEFT + _SIDE, y))
        label = RecordText.percent(share)
        _text(draw, (x, _TOP + _SIDE + 14), label, 13, _FAINT, "mm")
        _text(draw, (_LEFT - 8, y), label, 13, _FAINT, "rm")
    ends = [edge * _SCALE for point in (_at(0, 0), _at(1, 1)) for edge in point]
    draw.line(ends, _FAINT, 2 * _SCALE)
    _text(draw, (_LEFT + _SIDE / 2, _TOP + _SIDE + 38), RecordText.AXIS_SAID, 14, _INK, "mm")
    _text(draw, (_LEFT - 46, _TOP - 16), RecordText.AXIS_RIGHT, 14, _INK, "lm")
    for number, line in enumerate(RecordText.LEGEND):
        _text(draw, (_WIDTH / 2, _TOP + _SIDE + 66 + 20 * number), line, 13, _FAINT, "mm")


def _rule(draw: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float]) -> None:
    draw.line([edge * _SCALE for edge in (*start, *end)], "#3a3d44", 1)


def _dot(draw: ImageDraw.ImageDraw, said: float, right: float, votes: int, most: int) -> None:
    x, y = _at(said, right)
    size = _SMALLEST + (_LARGEST - _SMALLEST) * (votes / most) ** 0.5
    box = (x - size, y - size, x + size, y + size)
    draw.ellipse([edge * _SCALE for edge in box], _DOT, _GROUND, _SCALE)
    _text(draw, (x, y), str(votes), 13, _GROUND, "mm")


def _at(said: float, right: float) -> tuple[float, float]:
    return _LEFT + _SIDE * said, _TOP + _SIDE * (1 - right)


def _text(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: float,
    ink: str,
    anchor: str,
) -> None:
    font = ImageFont.load_default(size * _SCALE)
    draw.text((at[0] * _SCALE, at[1] * _SCALE), text, ink, font, anchor)
