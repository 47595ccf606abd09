"""The calibration picture of a server's record."""

import io

from PIL import Image

from bot.messages.decisions import RecordText
from bot.pictures.calibration import draw_calibration


def pixels(points: list[tuple[float, float, int]]) -> Image.Image:
    return Image.open(io.BytesIO(draw_calibration(points))).convert("RGB")


def test_a_dot_lies_where_it_says() -> None:
    """Issue 24, 6: said to the right, right to the top."""
    drawn, empty = pixels([(0.25, 0.75, 12)]), pixels([])
    assert drawn.size == empty.size
    # Above its number.
    x, y = 2 * (74 + 330 * 0.25), 2 * (70 + 330 * 0.25) - 16
    assert drawn.getpixel((round(x), round(y))) != empty.getpixel((round(x), round(y)))
    elsewhere = (round(2 * (74 + 330 * 0.75)), round(2 * (70 + 330 * 0.7)))
    assert drawn.getpixel(elsewhere) == empty.getpixel(elsewhere)


def test_the_picture_is_told_in_words() -> None:
    """Issue 24, 6: nobody needs to see it."""
    assert RecordText.in_words([(0.5, 1.0, 1), (0.9, 0.62, 50)]) == (
        "How sure votes were, and how often they were right: 1 vote said about 50 % and was right "
        "in 100 %; 50 votes said about 90 % and were right in 62 %."
    )
