"""Reads the text of panels.json: strict JSON, no key twice, errors with line and column."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

from bot.errors import ConfigError
from bot.messages.configuration import PanelsFileText
from bot.panels._paths import Place, Problem


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys were written more than once."""

    repeated: tuple[str, ...] = ()


def read_object(text: str) -> tuple[dict[str, Any], list[Problem]]:
    """The JSON object in a text and its repeated keys; raises ConfigError when it is no JSON."""
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ConfigError(_syntax_problem(text, error)) from None
    except ValueError as error:
        raise ConfigError(PanelsFileText.not_json(str(error))) from None
    except RecursionError:
        raise ConfigError(PanelsFileText.TOO_DEEP) from None
    if not isinstance(data, dict):
        raise ConfigError(PanelsFileText.NO_OBJECT)
    return data, list(_repetitions(data, ()))


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    result = _Object(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        result.repeated = tuple(key for key in result if keys.count(key) > 1)
    return result


def _no_constant(word: str) -> NoReturn:
    raise ValueError(PanelsFileText.no_json_number(word))


def _repetitions(data: Any, path: Place) -> Iterator[Problem]:
    if isinstance(data, _Object):
        for key in data.repeated:
            yield Problem((*path, key), PanelsFileText.WRITTEN_TWICE)
        for key, value in data.items():
            yield from _repetitions(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _repetitions(value, (*path, index))


def _syntax_problem(text: str, error: json.JSONDecodeError) -> str:
    place, rest = error.pos, text[error.pos :].lstrip()
    if rest.startswith(("//", "/*", "#")):
        place, what = len(text) - len(rest), PanelsFileText.NO_COMMENTS
    elif rest.startswith(("}", "]")) and text[: error.pos].rstrip().endswith(","):
        what = PanelsFileText.COMMA_TOO_MANY
    elif rest.startswith("'"):
        what = PanelsFileText.DOUBLE_QUOTES
    elif not rest:
        what = PanelsFileText.ENDS_TOO_EARLY
    elif error.msg.startswith("Expecting ',' delimiter"):
        what = PanelsFileText.COMMA_MISSING
    else:
        what = PanelsFileText.correct_here(error.msg)
    return PanelsFileText.at_place(*_line_and_column(text, place), what)


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return line, column
