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


SCALE = 2
MARGIN = 20
NAME_WIDTH = 190
ROUND_WIDTH = 84
ROW_HEIGHT = 36
HEAD_HEIGHT = 62
CELL = 32
GAP = 34
LEGEND_HEIGHT = 30
LEGEND_SIZE = 14
LEGEND_GAP = 24
MARK_ROOM = 34
NARROWEST = 460
NARROWEST_MATRIX = 130
BAR_HEIGHT = 10
HIGHEST_SCORE = 5
GROUND, PANEL, LINE = "#1e1f22", "#2b2d31", "#6d717a"
INK, FAINT, MOVED = "#f2f3f5", "#a8acb3", "#ffffff"
# Blue and orange stay apart for every common kind of colour blindness.
OPTIONS = ("#56b4e9", "#e69f00", "#c8ccd4", "#cc79a7", "#f0e442", "#009e73")
AGREES, DISAGREES, NEITHER = OPTIONS[:3]
SCORES = (
    ("#3a3d44", INK),
    ("#33475b", INK),
    ("#2d5f86", INK),
    ("#2b7cb4", INK),
    ("#56b4e9", GROUND),
)
"""The ground and the ink of each score."""

Box = tuple[float, float, float, float]


def draw_agreement(picture: AgreementPicture) -> bytes:
    """The picture as PNG."""
    return _Drawing(picture).png()


class _Drawing:
    """The picture being drawn, all lengths in unscaled pixels."""

    def __init__(self, picture: AgreementPicture) -> None:
        self._picture = picture
        self._scored = [entry for entry in picture.rounds if entry.scores]
        self._matrix_width = max(CELL * len(picture.seats), NARROWEST_MATRIX)
        self._legend = self._flowing(_legend(picture))
        self._foot = MARGIN + HEAD_HEIGHT + ROW_HEIGHT * len(picture.seats) + 14
        height = self._foot + LEGEND_HEIGHT * len(self._legend) + MARGIN
        size = (round(self._width() * SCALE), round(height * SCALE))
        self._image = Image.new("RGB", size, GROUND)
        self._draw = ImageDraw.Draw(self._image)

    def _width(self) -> float:
        tracks = NAME_WIDTH + ROUND_WIDTH * len(self._picture.rounds)
        matrices = (self._matrix_width + GAP) * len(self._scored)
        return max(MARGIN * 2 + tracks + matrices, NARROWEST)

    def _flowing(self, entries: Sequence[tuple[str, str]]) -> list[list[tuple[float, str, str]]]:
        """The legend in lines, each entry with where it begins."""
        lines: list[list[tuple[float, str, str]]] = []
        left = right = self._width() - MARGIN
        for position, text in entries:
            shown = fitted(text, LEGEND_SIZE, right - MARGIN - MARK_ROOM)
            width = MARK_ROOM + font(LEGEND_SIZE).getlength(shown) + LEGEND_GAP
            if left + width - LEGEND_GAP > right or not position:
                lines.append([])
                left = MARGIN
            lines[-1].append((left, position, shown))
            left += width
        return lines

    def png(self) -> bytes:
        """Draw everything."""
        self._names()
        self._rounds()
        left = MARGIN + NAME_WIDTH + ROUND_WIDTH * len(self._picture.rounds) + GAP
        for entry in self._scored:
            self._matrix(entry, left)
            left += self._matrix_width + GAP
        for number, line in enumerate(self._legend):
            self._legend_line(self._foot + LEGEND_HEIGHT * (number + 0.5), line)
        file = io.BytesIO()
        few = self._image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(file, "PNG", compress_level=3)
        return file.getvalue()

    def _row(self, index: int) -> float:
        return MARGIN + HEAD_HEIGHT + ROW_HEIGHT * (index + 0.5)

    def _column(self, index: int) -> float:
        return MARGIN + NAME_WIDTH + ROUND_WIDTH * (index + 0.5)

    def _names(self) -> None:
        for index, seat in enumerate(self._picture.seats):
            y, letter = self._row(index), ascii_uppercase[index]
            self._text((MARGIN + 8, y), letter, 17, FAINT, "mm")
            name = seat if can_write(seat) else PictureText.panelist(letter)
            self._text((MARGIN + 26, y), fitted(name, 17, NAME_WIDTH - 44), 17, INK, "lm")

    def _rounds(self) -> None:
        for column, entry in enumerate(self._picture.rounds):
            x = self._column(column)
            self._text((x, MARGIN + 10), PictureText.round_head(entry.number), 16, INK, "mm")
            self._converged(entry, x)
        for index, seat in enumerate(self._picture.seats):
            self._track(index, seat)

    def _converged(self, entry: RoundOfPicture, x: float) -> None:
        if entry.converged is None:
            return
        width = ROUND_WIDTH - 20
        left, top = x - width / 2, MARGIN + 26
        self._box((left, top, left + width, top + BAR_HEIGHT), PANEL, LINE)
        self._box((left, top, left + width * entry.converged, top + BAR_HEIGHT), FAINT)
        self._text((x, top + 20), PictureText.shared(entry.converged), 12, FAINT, "mm")

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
            self._line((start, y, end, y), LINE, 1)
            return
        self._line((start, y, end - 6, y), MOVED, 3)
        self._shape([(end - 9, y - 6), (end, y), (end - 9, y + 6)], MOVED)

    def _mark(self, x: float, y: float, position: str) -> None:
        if position == "AGREE":
            self._round((x - 11, y - 11, x + 11, y + 11), AGREES)
            self._line((x - 5, y, x - 1, y + 4), GROUND, 3)
            self._line((x - 1, y + 4, x + 6, y - 5), GROUND, 3)
        elif position == "DISAGREE":
            self._box((x - 10, y - 10, x + 10, y + 10), DISAGREES)
            self._line((x - 5, y - 5, x + 5, y + 5), GROUND, 3)
            self._line((x - 5, y + 5, x + 5, y - 5), GROUND, 3)
        elif position == "NEUTRAL":
            self._shape([(x, y - 12), (x + 12, y), (x, y + 12), (x - 12, y)], NEITHER)
        else:
            self._round((x - 12, y - 12, x + 12, y + 12), self._option_colour(position))
            self._text((x, y), self._option_number(position), 15, GROUND, "mm")

    def _option_number(self, option: str) -> str:
        options = list(self._picture.options)
        return str(options.index(option) + 1) if option in options else "?"

    def _option_colour(self, option: str) -> str:
        options = list(self._picture.options)
        known = option in options
        return OPTIONS[options.index(option) % len(OPTIONS)] if known else OPTIONS[2]

    def _matrix(self, entry: RoundOfPicture, left: float) -> None:
        seats = self._picture.seats
        middle = left + self._matrix_width / 2
        left = middle - CELL * len(seats) / 2
        self._text((middle, MARGIN + 10), PictureText.scores_head(entry.number), 16, INK, "mm")
        for column, _ in enumerate(seats):
            x = left + CELL * (column + 0.5)
            self._text((x, MARGIN + HEAD_HEIGHT - 14), ascii_uppercase[column], 15, FAINT, "mm")
        for row, giver in enumerate(seats):
            for column, peer in enumerate(seats):
                score = entry.scores.get(giver, {}).get(peer)
                self._cell(left + CELL * column, self._row(row), score, own=giver == peer)

    def _cell(self, left: float, y: float, score: int | None, *, own: bool) -> None:
        box = (left + 1, y - 16, left + CELL - 1, y + 16)
        if own or score is None:
            self._box(box, GROUND, PANEL)
            if not own:
                self._text((left + CELL / 2, y), "-", 15, FAINT, "mm")
            return
        fill, ink = SCORES[min(max(score, 1), HIGHEST_SCORE) - 1]
        self._box(box, fill)
        self._text((left + CELL / 2, y), str(score), 16, ink, "mm")

    def _legend_line(self, y: float, line: Sequence[tuple[float, str, str]]) -> None:
        for left, position, text in line:
            if position:
                self._mark(left + 12, y, position)
            start = left + MARK_ROOM if position else left
            self._text((start, y), text, LEGEND_SIZE, FAINT, "lm")

    def _text(self, at: tuple[float, float], text: str, size: float, ink: str, anchor: str) -> None:
        self._draw.text((at[0] * SCALE, at[1] * SCALE), text, ink, font(size * SCALE), anchor)

    def _box(self, box: Box, fill: str, outline: str | None = None) -> None:
        self._draw.rounded_rectangle(_scaled(box), 4 * SCALE, fill, outline, SCALE)

    def _round(self, box: Box, fill: str) -> None:
        self._draw.ellipse(_scaled(box), fill)

    def _line(self, box: Box, ink: str, width: int) -> None:
        self._draw.line(_scaled(box), ink, width * SCALE)

    def _shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        self._draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill)


def _scaled(box: Box) -> Box:
    left, top, right, bottom = box
    return left * SCALE, top * SCALE, right * SCALE, bottom * SCALE


def _legend(picture: AgreementPicture) -> list[tuple[str, str]]:
    shown = {position for entry in picture.rounds for position in entry.positions.values()}
    if picture.options:
        entries = [
            (option, option if can_write(option) else PictureText.option(number))
            for number, option in enumerate(picture.options, 1)
        ]
    else:
        entries = [
            (stance, text) for stance, text in PictureText.STANCES.items() if stance in shown
        ]
    if any(entry.scores for entry in picture.rounds):
        entries.append(("", PictureText.SCORES))
    return entries
