"""A palette in which the numbers between a ground and its ink are the shades between the two.

A picture drawn in such numbers needs no search for its colours: where the edge of a letter blends
two numbers, the number in between is the shade in between. That search took half of the drawing.
"""

from itertools import pairwise

from PIL import ImageColor

SHADES = 12
"""From one colour of a run to the next; more than the eye sees at the edge of a letter."""


class Palette:
    """Numbers for colours, given out run by run."""

    def __init__(self) -> None:
        self._colours: list[tuple[int, ...]] = []

    def run(self, *colours: str) -> tuple[int, ...]:
        """The numbers of these colours, with the shades from each to the next between them."""
        known = [ImageColor.getrgb(colour) for colour in colours]
        numbers = [len(self._colours)]
        self._colours.append(known[0])
        for before, after in pairwise(known):
            self._colours += [_between(before, after, step) for step in range(1, SHADES + 1)]
            numbers.append(len(self._colours) - 1)
        return tuple(numbers)

    def channels(self) -> list[int]:
        """Red, green and blue of every number, one after the other."""
        return [channel for colour in self._colours for channel in colour]


def _between(before: tuple[int, ...], after: tuple[int, ...], step: int) -> tuple[int, ...]:
    pairs = zip(before, after, strict=True)
    return tuple(round(start + (end - start) * step / SHADES) for start, end in pairs)
