"""Loads panels.json: every problem at once, names made canonical, servers merged."""

from pathlib import Path
from typing import Any

from bot.errors import ConfigError
from bot.messages.configuration import PanelsFileText
from bot.panels._json import read_object
from bot.panels._paths import Place, Problem
from bot.panels._references import reference_problems, with_canonical_names
from bot.panels._rules import rule_problems
from bot.panels._shape import Shape, shape_of
from bot.panels.config import PanelsConfig
from bot.panels.panel import ServerOverride

OVERRIDABLE = frozenset(field.alias or name for name, field in ServerOverride.model_fields.items())


def load_panels(path: Path) -> PanelsConfig:
    """Read and check a file; raises ConfigError with one line for each problem."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(PanelsFileText.no_file(str(path))) from None
    except UnicodeDecodeError:
        raise ConfigError(PanelsFileText.not_utf8(str(path))) from None
    except OSError as error:
        reason = error.strerror or PanelsFileText.CANNOT_BE_READ
        raise ConfigError(PanelsFileText.unreadable(str(path), reason)) from None
    return parse_panels(text)


def parse_panels(text: str) -> PanelsConfig:
    """Check the text of a panels.json; raises ConfigError with one line for each problem."""
    data, repeated = read_object(text)
    config, problems = _checked(data)
    merged = {}
    for server, override in _server_overrides(data).items():
        merged[server], found = _checked(_merged(_without_servers(data), override))
        problems += [p.under("servers", server) for p in found if p not in problems]
    lines = dict.fromkeys(str(p) for p in _first_of_each_place([*repeated, *problems]))
    if lines or config is None:
        raise ConfigError("\n".join(lines))
    return config.with_servers({int(k): c for k, c in merged.items() if c is not None})


def _checked(data: dict[str, Any]) -> tuple[PanelsConfig | None, list[Problem]]:
    shape = shape_of(with_canonical_names(data))
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
    return _deep(base, {k: v for k, v in override.items() if k in OVERRIDABLE})


def _deep(base: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, new in top.items():
        below = result.get(key)
        if isinstance(below, dict) and isinstance(new, dict):
            result[key] = _deep(below, new)
        else:
            result[key] = new
    return result
