"""Compression: what a round's summary is made of, and how it is read.

A summary is JSON if the model wrote some, else text without findings. This module is part of the
core, which knows neither models nor Discord.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.prompting.closing_lines import strip_markers
from bot.prompting.roles import Roles, roles_of
from bot.prompting.text import cut_words, label_voices, one_line, tidy

SUMMARY_WORDS: Final = 350
"""The longest rolling summary: about 500 tokens. prompts/rolling-summary.md asks for it, too."""
_ANSWER_WORDS: Final = 350
_POINT_WORDS: Final = 60
_MAX_POINTS: Final = 10
_ATTEMPTS: Final = 4
_SUMMARY_KEY: Final = re.compile(r'"summary"\s{0,20}:\s{0,20}')
_BLANK: Final = "…"
_JSON: Final = json.JSONDecoder(strict=False)  # which allows raw line ends


@dataclass(frozen=True, slots=True)
class Point:
    """One finding and the roles that made it."""

    text: str
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """The new rolling summary and the findings of the round; `parsed` is False for plain text."""

    summary: str
    consensus: tuple[Point, ...] = ()
    disagreement: tuple[Point, ...] = ()
    new_points: tuple[Point, ...] = ()
    parsed: bool = False


def compression_values(
    topic: str, number: int, rounds: int, answers: Sequence[tuple[str, str]], earlier: str
) -> dict[str, str]:
    """What the prompt of a summary quotes: the summary so far and this round, nothing older."""
    values = {
        "PROMPT": topic,
        "ROUND": str(number),
        "MAX_ROUNDS": str(rounds),
        "ROUND_ANSWERS": label_voices(answers),
    }
    if earlier:
        values["ROLLING_SUMMARY"] = earlier
    return values


def shorten_answer(text: str) -> str:
    """A whole answer, where there is no digest of it."""
    return cut_words(text, _ANSWER_WORDS)


def parse_summary(answer: str, roles: Sequence[str] = ()) -> RoundSummary:
    """Read a summary; `from` keeps only the given roles, in their own spelling."""
    text = tidy(answer)
    known = roles_of(*roles)
    consensus = _points if not roles else _points_of_seats
    for data in _objects(text):
        summary = data.get("summary")
        if isinstance(summary, str) and summary.strip() not in ("", _BLANK):
            return RoundSummary(
                _shortened(summary),
                consensus(data.get("consensus"), known),
                _points(data.get("disagreement"), known),
                _points(data.get("new_points"), known),
                parsed=True,
            )
    return RoundSummary(_shortened(_cut_off_summary(text) or text))


def _shortened(text: str) -> str:
    return cut_words(strip_markers(tidy(text)), SUMMARY_WORDS)


def _objects(text: str) -> Iterator[dict[str, object]]:
    """JSON objects that hold a summary, the last one written first."""
    keys = [match.start() for match in _SUMMARY_KEY.finditer(text)]
    for key in reversed(keys[-_ATTEMPTS:]):
        data = _decoded(text, text.rfind("{", 0, key))
        if isinstance(data, dict):
            yield data
    whole = _decoded(text, text.find("{"))
    if isinstance(whole, dict):
        yield whole


def _decoded(text: str, start: int) -> object:
    """The JSON value at a place, None when there is none."""
    if start < 0:
        return None
    try:
        return _JSON.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _cut_off_summary(text: str) -> str:
    """The summary's own text when only the rest of the JSON is broken or cut off."""
    for match in list(_SUMMARY_KEY.finditer(text))[-1:]:
        value = _decoded(text, match.end())
        if isinstance(value, str):
            return value
    return ""


def _points(value: object, roles: Roles) -> tuple[Point, ...]:
    if not isinstance(value, list):
        return ()
    points = [_point(item, roles) for item in value[:_MAX_POINTS]]
    return tuple([point for point in points if point.text not in ("", _BLANK)])


def _points_of_seats(value: object, roles: Roles) -> tuple[Point, ...]:
    """The points without those that only name somebody who is not here."""
    items = value if isinstance(value, list) else []
    return _points([item for item in items if not _is_strangers(item, roles)], roles)


def _is_strangers(item: object, roles: Roles) -> bool:
    named = item.get("from") if isinstance(item, dict) else None
    return bool(named) and not _from(named, roles)


def _point(item: object, roles: Roles) -> Point:
    if not isinstance(item, dict):
        return Point(_short(item), ())
    return Point(_short(item.get("text")), _from(item.get("from"), roles))


def _short(value: object) -> str:
    return cut_words(one_line(value), _POINT_WORDS) if isinstance(value, str) else ""


def _from(value: object, roles: Roles) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    text = " | ".join([name[:200] for name in names[:20] if isinstance(name, str)])
    return tuple(dict.fromkeys([mention.role for mention in roles.mentions(text)]))
