"""The agreement picture: where every seat stood by round, who moved, and who scored whom.

Positions differ in shape and scores in their number, so that colour is never needed to read it.
The picture brings its own dark ground, because Discord's may be dark or light.
"""

import io
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from string import ascii_uppercase

from PIL import Image, ImageDraw, ImageFont

from bot.messages.conclusion import PictureText
from bot.pictures.facts import AgreementPicture, RoundOfPicture

_NO_SUCH_GLYPH = "\U0010ffff"
_SCALE = 2
_MARGIN = 20
_NAME_WIDTH = 190
_ROUND_WIDTH = 84
_ROW_HEIGHT = 36
_HEAD_HEIGHT = 62
_CELL = 32
_GAP = 34
_LEGEND_HEIGHT = 30
_LEGEND_SIZE = 14
_LEGEND_GAP = 24
_MARK_ROOM = 34
_NARROWEST = 460
_NARROWEST_MATRIX = 130
_BAR_HEIGHT = 10
_HIGHEST_SCORE = 5
_GROUND, _PANEL, _LINE = "#1e1f22", "#2b2d31", "#6d717a"
_INK, _FAINT, _MOVED = "#f2f3f5", "#a8acb3", "#ffffff"
# Blue and orange stay apart for every common kind of colour blindness.
_OPTIONS = ("#56b4e9", "#e69f00", "#c8ccd4", "#cc79a7", "#f0e442", "#009e73")
_AGREES, _DISAGREES, _NEITHER = _OPTIONS[:3]
_SCORES = (
    ("#3a3d44", _INK),
    ("#33475b", _INK),
    ("#2d5f86", _INK),
    ("#2b7cb4", _INK),
    ("#56b4e9", _GROUND),
)
"""The ground and the ink of each score."""
_Box = tuple[float, float, float, float]


@cache
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font in a size."""
    return ImageFont.load_default(size)


@cache
def _has_glyph(letter: str) -> bool:
    face = _font(24)
    return letter.isspace() or bytes(face.getmask(letter)) != bytes(face.getmask(_NO_SUCH_GLYPH))


def _can_write(text: str) -> bool:
    """Whether the font knows every letter; it knows Latin ones and little else."""
    return all(_has_glyph(letter) for letter in text)


def _fitted(text: str, size: float, width: float) -> str:
    """The text, cut so that it takes no more than so many pixels."""
    face = _font(size)
    if face.getlength(text) <= width:
        return text
    while text and face.getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text.rstrip()}..."


def draw_agreement(picture: AgreementPicture) -> bytes:
    """The picture as PNG."""
    return _Drawing(picture).png()


class _Drawing:
    """The picture being drawn, all lengths in unscaled pixels."""

    def __init__(self, picture: AgreementPicture) -> None:
        self._picture = picture
        self._scored = [entry for entry in picture.rounds if entry.scores]
        self._matrix_width = max(_CELL * len(picture.seats), _NARROWEST_MATRIX)
        self._legend = self._flowing(_legend(picture))
        self._foot = _MARGIN + _HEAD_HEIGHT + _ROW_HEIGHT * len(picture.seats) + 14
        height = self._foot + _LEGEND_HEIGHT * len(self._legend) + _MARGIN
        size = (round(self._width() * _SCALE), round(height * _SCALE))
        self._image = Image.new("RGB", size, _GROUND)
        self._draw = ImageDraw.Draw(self._image)

    def _width(self) -> float:
        tracks = _NAME_WIDTH + _ROUND_WIDTH * len(self._picture.rounds)
        matrices = (self._matrix_width + _GAP) * len(self._scored)
        return max(_MARGIN * 2 + tracks + matrices, _NARROWEST)

    def _flowing(self, entries: Sequence[tuple[str, str]]) -> list[list[tuple[float, str, str]]]:
        """The legend in lines, each entry with where it begins."""
        lines: list[list[tuple[float, str, str]]] = []
        left = right = self._width() - _MARGIN
        for position, text in entries:
            shown = _fitted(text, _LEGEND_SIZE, right - _MARGIN - _MARK_ROOM)
            width = _MARK_ROOM + _font(_LEGEND_SIZE).getlength(shown) + _LEGEND_GAP
            if left + width - _LEGEND_GAP > right or not position:
                lines.append([])
                left = _MARGIN
            lines[-1].append((left, position, shown))
            left += width
        return lines

    def png(self) -> bytes:
        """Draw everything."""
        self._names()
        self._rounds()
        left = _MARGIN + _NAME_WIDTH + _ROUND_WIDTH * len(self._picture.rounds) + _GAP
        for entry in self._scored:
            self._matrix(entry, left)
            left += self._matrix_width + _GAP
        for number, line in enumerate(self._legend):
            self._legend_line(self._foot + _LEGEND_HEIGHT * (number + 0.5), line)
        file = io.BytesIO()
        few = self._image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(file, "PNG", compress_level=3)
        return file.getvalue()

    def _row(self, index: int) -> float:
        return _MARGIN + _HEAD_HEIGHT + _ROW_HEIGHT * (index + 0.5)

    def _column(self, index: int) -> float:
        return _MARGIN + _NAME_WIDTH + _ROUND_WIDTH * (index + 0.5)

    def _names(self) -> None:
        for index, seat in enumerate(self._picture.seats):
            y, letter = self._row(index), ascii_uppercase[index]
            self._text((_MARGIN + 8, y), letter, 17, _FAINT, "mm")
            name = seat if _can_write(seat) else PictureText.panelist(letter)
            self._text((_MARGIN + 26, y), _fitted(name, 17, _NAME_WIDTH - 44), 17, _INK, "lm")

    def _rounds(self) -> None:
        for column, entry in enumerate(self._picture.rounds):
            x = self._column(column)
            self._text((x, _MARGIN + 10), PictureText.round_head(entry.number), 16, _INK, "mm")
            self._converged(entry, x)
        for index, seat in enumerate(self._picture.seats):
            self._track(index, seat)

    def _converged(self, entry: RoundOfPicture, x: float) -> None:
        if entry.converged is None:
            return
        width = _ROUND_WIDTH - 20
        left, top = x - width / 2, _MARGIN + 26
        self._box((left, top, left + width, top + _BAR_HEIGHT), _PANEL, _LINE)
        self._box((left, top, left + width * entry.converged, top + _BAR_HEIGHT), _FAINT)
        self._text((x, top + 20), PictureText.shared(entry.converged), 12, _FAINT, "mm")

    def _track(self, index: int, seat: str) -> None:
        y = self._row(index)
        stood = [
            (self._column(column), entry.positions[seat])
            for column, entry in enumerate(self._picture.rounds)
            if seat in entry.positions
        ]
        for (x, before), (then, after) in pairwise(stood):
            self._step(x + 15, then - 15, y, moved=before != after)
        for x, position in stood:
            self._mark(x, y, position)

    def _step(self, start: float, end: float, y: float, *, moved: bool) -> None:
        if not moved:
            self._line((start, y, end, y), _LINE, 1)
            return
        self._line((start, y, end - 6, y), _MOVED, 3)
        self._shape([(end - 9, y - 6), (end, y), (end - 9, y + 6)], _MOVED)

    def _mark(self, x: float, y: float, position: str) -> None:
        if position == "AGREE":
            self._round((x - 11, y - 11, x + 11, y + 11), _AGREES)
            self._line((x - 5, y, x - 1, y + 4), _GROUND, 3)
            self._line((x - 1, y + 4, x + 6, y - 5), _GROUND, 3)
        elif position == "DISAGREE":
            self._box((x - 10, y - 10, x + 10, y + 10), _DISAGREES)
            self._line((x - 5, y - 5, x + 5, y + 5), _GROUND, 3)
            self._line((x - 5, y + 5, x + 5, y - 5), _GROUND, 3)
        elif position == "NEUTRAL":
            self._shape([(x, y - 12), (x + 12, y), (x, y + 12), (x - 12, y)], _NEITHER)
        else:
            self._round((x - 12, y - 12, x + 12, y + 12), self._option_colour(position))
            self._text((x, y), self._option_number(position), 15, _GROUND, "mm")

    def _option_number(self, option: str) -> str:
        options = list(self._picture.options)
        return str(options.index(option) + 1) if option in options else "?"

    def _option_colour(self, option: str) -> str:
        options = list(self._picture.options)
        known = option in options
        return _OPTIONS[options.index(option) % len(_OPTIONS)] if known else _OPTIONS[2]

    def _matrix(self, entry: RoundOfPicture, left: float) -> None:
        seats = self._picture.seats
        middle = left + self._matrix_width / 2
        left = middle - _CELL * len(seats) / 2
        self._text((middle, _MARGIN + 10), PictureText.scores_head(entry.number), 16, _INK, "mm")
        for column, _ in enumerate(seats):
            x = left + _CELL * (column + 0.5)
            self._text((x, _MARGIN + _HEAD_HEIGHT - 14), ascii_uppercase[column], 15, _FAINT, "mm")
        for row, giver in enumerate(seats):
            for column, peer in enumerate(seats):
                score = entry.scores.get(giver, {}).get(peer)
                self._cell(left + _CELL * column, self._row(row), score, own=giver == peer)

    def _cell(self, left: float, y: float, score: int | None, *, own: bool) -> None:
        box = (left + 1, y - 16, left + _CELL - 1, y + 16)
        if own or score is None:
            self._box(box, _GROUND, _PANEL)
            if not own:
                self._text((left + _CELL / 2, y), "-", 15, _FAINT, "mm")
            return
        fill, ink = _SCORES[min(max(score, 1), _HIGHEST_SCORE) - 1]
        self._box(box, fill)
        self._text((left + _CELL / 2, y), str(score), 16, ink, "mm")

    def _legend_line(self, y: float, line: Sequence[tuple[float, str, str]]) -> None:
        for left, position, text in line:
            if position:
                self._mark(left + 12, y, position)
            start = left + _MARK_ROOM if position else left
            self._text((start, y), text, _LEGEND_SIZE, _FAINT, "lm")

    def _text(self, at: tuple[float, float], text: str, size: float, ink: str, anchor: str) -> None:
        self._draw.text((at[0] * _SCALE, at[1] * _SCALE), text, ink, _font(size * _SCALE), anchor)

    def _box(self, box: _Box, fill: str, outline: str | None = None) -> None:
        self._draw.rounded_rectangle(_scaled(box), 4 * _SCALE, fill, outline, _SCALE)

    def _round(self, box: _Box, fill: str) -> None:
        self._draw.ellipse(_scaled(box), fill)

    def _line(self, box: _Box, ink: str, width: int) -> None:
        self._draw.line(_scaled(box), ink, width * _SCALE)

    def _shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        self._draw.polygon([(x * _SCALE, y * _SCALE) for x, y in points], fill)


def _scaled(box: _Box) -> _Box:
    left, top, right, bottom = box
    return left * _SCALE, top * _SCALE, right * _SCALE, bottom * _SCALE


def _legend(picture: AgreementPicture) -> list[tuple[str, str]]:
    shown = {position for entry in picture.rounds for position in entry.positions.values()}
    if picture.options:
        entries = [
            (option, option if _can_write(option) else PictureText.option(number))
            for number, option in enumerate(picture.options, 1)
        ]
    else:
        entries = [
            (stance, text) for stance, text in PictureText.STANCES.items() if stance in shown
        ]
    if any(entry.scores for entry in picture.rounds):
        entries.append(("", PictureText.SCORES))
    return entries
