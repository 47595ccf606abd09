"""Loads panels.json: every problem at once, names made canonical, servers merged."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from bot.errors import ConfigError
from bot.messages.configuration import PanelsFileText
from bot.panels.config import PanelsConfig, ServerOverride
from bot.panels.references import reference_problems, with_canonical_names
from bot.panels.rules import rule_problems
from bot.panels.shape import Place, Problem, Shape

_OVERRIDABLE = frozenset(field.alias or name for name, field in ServerOverride.model_fields.items())


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys were written more than once."""

    repeated: tuple[str, ...] = ()


def _read_object(text: str) -> tuple[dict[str, Any], list[Problem]]:
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


StoredSettings = Mapping[int, Mapping[str, Any]]
"""By server, what admins stored above the file, in the shape of an entry of `servers`."""


def load_panels(path: Path) -> PanelsConfig:
    """Read and check a file; raises ConfigError with one line for each problem."""
    return parse_panels(read_panels(path))


def read_panels(path: Path) -> str:
    """The text of a file; raises ConfigError when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(PanelsFileText.no_file(str(path))) from None
    except UnicodeDecodeError:
        raise ConfigError(PanelsFileText.not_utf8(str(path))) from None
    except OSError as error:
        reason = error.strerror or PanelsFileText.CANNOT_BE_READ
        raise ConfigError(PanelsFileText.unreadable(str(path), reason)) from None


def parse_panels(text: str, stored: StoredSettings = MappingProxyType({})) -> PanelsConfig:
    """Check the text of a panels.json; raises ConfigError with one line for each problem.

    Stored settings that do not fit the file are left out.
    """
    data, repeated = _read_object(text)
    config, problems = _checked(data)
    merged = {}
    for server, override in _server_overrides(data).items():
        merged[server], found = _checked(_merged(_without_servers(data), override))
        problems += [p.under("servers", server) for p in found if p not in problems]
    lines = dict.fromkeys(str(p) for p in _first_of_each_place([*repeated, *problems]))
    if lines or config is None:
        raise ConfigError("\n".join(lines))
    servers = {int(k): c for k, c in merged.items() if c is not None}
    servers |= {guild: c for guild, c, problems in _with_stored(data, stored) if c and not problems}
    return config.with_servers(servers)


def setting_problems(text: str, stored: StoredSettings) -> dict[int, tuple[str, ...]]:
    """By server, why its stored settings cannot be used with a panels.json that is well."""
    found = _with_stored(_read_object(text)[0], stored)
    return {guild: tuple(dict.fromkeys(map(str, p))) for guild, _, p in found if p}


def _with_stored(
    data: dict[str, Any], stored: StoredSettings
) -> Iterator[tuple[int, PanelsConfig | None, list[Problem]]]:
    written = _server_overrides(data)
    for guild_id, settings in stored.items():
        below = _merged(_without_servers(data), written.get(str(guild_id), {}))
        yield guild_id, *_checked(_merged(below, dict(settings)))


def _checked(data: dict[str, Any]) -> tuple[PanelsConfig | None, list[Problem]]:
    shape = Shape.of(with_canonical_names(data))
    problems = [*shape.problems, *reference_problems(data), *_rules(shape)]
    return (None if problems else shape.config), problems


def _rules(shape: Shape) -> list[Problem]:
    """Broken rules, except where the file is already known to be wrong."""
    if shape.config is None:
        return []
    found = rule_problems(shape.config)
    return [p for p in found if not any(_touches(p.path, place) for place in shape.ignored)]


def _touches(one: Place, other: Place) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _first_of_each_place(problems: list[Problem]) -> list[Problem]:
    """A place that is wrong in itself need not also be named as wrong for a server."""
    first: dict[Place, Problem] = {}
    for problem in problems:
        first.setdefault(problem.path, problem)
    return list(first.values())


def _server_overrides(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    servers = data.get("servers")
    items = servers.items() if isinstance(servers, dict) else ()
    return {k: v for k, v in items if k.isascii() and k.isdigit() and isinstance(v, dict)}


def _without_servers(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "servers"}


def _merged(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """The base with a server's sections on top; objects merge, everything else replaces."""
    return _deep(base, {k: v for k, v in override.items() if k in _OVERRIDABLE})


def _deep(base: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, new in top.items():
        below = result.get(key)
        if isinstance(below, dict) and isinstance(new, dict):
            result[key] = _deep(below, new)
        else:
            result[key] = new
    return result
