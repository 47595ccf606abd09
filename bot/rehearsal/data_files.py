"""Reading the data files of the rehearsal; what is wrong is said in a sentence with its place."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from bot.errors import ConfigError

_T = TypeVar("_T")


class Strict:
    """A table of a file; unknown keys are refused."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid")


def read_folder(kind: type[_T], folder: Path) -> _T:
    """The files of a folder by their names, or a ConfigError with a sentence for each problem."""
    data = {path.stem: _read(path) for path in sorted(folder.glob("*.toml"))}
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise ConfigError("\n".join(_sentence(dict(problem)) for problem in found)) from None


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not TOML: {error}.") from None


def _sentence(found: Mapping[str, Any]) -> str:
    file, *keys = found["loc"]
    place = " ".join([f"{file}.toml", *(f"“{_key(key)}”" for key in keys)])
    match found["type"]:
        case "missing":
            return f"{place} is missing."
        case "unexpected_keyword_argument":
            return f"{place} is not known."
        case "value_error":
            return f"{place} {found['ctx']['error']}."
        case _:
            return f"{place}: {found['msg'][0].lower()}{found['msg'][1:]}."


def _key(key: str | int) -> str:
    return f"number {key + 1}" if isinstance(key, int) else key
