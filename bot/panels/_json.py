"""Reads the text of panels.json: strict JSON, no key twice, errors with line and column."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

from bot.errors import ConfigError
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
        raise ConfigError(f"the file is not JSON: {error}; correct it") from None
    except RecursionError:
        raise ConfigError("the file nests too deeply; start again from the shipped one") from None
    if not isinstance(data, dict):
        raise ConfigError("the file is not a JSON object; it must begin with { and end with }")
    return data, list(_repetitions(data, ()))


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    result = _Object(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        result.repeated = tuple(key for key in result if keys.count(key) > 1)
    return result


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _repetitions(data: Any, path: Place) -> Iterator[Problem]:
    if isinstance(data, _Object):
        for key in data.repeated:
            yield Problem((*path, key), "written more than once; keep one")
        for key, value in data.items():
            yield from _repetitions(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _repetitions(value, (*path, index))


def _syntax_problem(text: str, error: json.JSONDecodeError) -> str:
    place, rest = error.pos, text[error.pos :].lstrip()
    if rest.startswith(("//", "/*", "#")):
        place, what = len(text) - len(rest), "JSON has no comments; remove this one"
    elif rest.startswith(("}", "]")) and text[: error.pos].rstrip().endswith(","):
        what = "there is a comma before the closing bracket; remove it"
    elif rest.startswith("'"):
        what = "JSON wants double quotes; write \" instead of '"
    elif not rest:
        what = "the file ends too early; close every bracket and quote"
    elif error.msg.startswith("Expecting ',' delimiter"):
        what = "a comma or a closing bracket is missing; add it before this place"
    else:
        what = f"{error.msg[0].lower()}{error.msg[1:]}; correct the file here"
    return f"{_line_and_column(text, place)}: {what}"


def _line_and_column(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"line {line}, column {column}"
