"""The golden files, and what differs between one of them and the code of today."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
ACCEPT = (
    "If that is meant, write the files anew with `.venv/bin/python -m tests.golden`"
    " and say why in the commit."
)
_MISSING = object()


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def write(name: str, data: Any) -> Path:
    """Keep this as what people rely on."""
    path = path_of(name)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def read(name: str) -> Any:
    return json.loads(path_of(name).read_text(encoding="utf-8"))


def kept() -> set[str]:
    """The names of the golden files."""
    return {path.stem for path in FOLDER.glob("*.json")}


def complaint(name: str, now: Any) -> str:
    """Which keys differ from the file and how to accept that; empty when nothing does."""
    found = list(differences(read(name), json.loads(json.dumps(now))))
    if not found:
        return ""
    return "\n".join(
        [
            f"What people rely on differs from tests/golden/{name}.json:",
            *found,
            ACCEPT,
        ]
    )


def differences(then: Any, now: Any, where: str = "") -> Iterator[str]:
    """One line for each key that is gone, new or different."""
    if isinstance(then, dict) and isinstance(now, dict):
        pairs = [
            (f"{where}.{k}".lstrip("."), then.get(k, _MISSING), now.get(k, _MISSING))
            for k in {**then, **now}
        ]
    elif isinstance(then, list) and isinstance(now, list):
        if all(isinstance(entry, str) for entry in [*then, *now]):
            yield from _listed(then, now, where)
            return
        longest = range(max(len(then), len(now)))
        pairs = [(f"{where}[{n}]", _at(then, n), _at(now, n)) for n in longest]
    else:
        if then != now or type(then) is not type(now):  # True equals 1
            yield f"- {where}{_change(then, now)}"
        return
    for key, old, new in pairs:
        yield from differences(old, new, key)


def _listed(then: list[str], now: list[str], where: str) -> Iterator[str]:
    """Lists of words are told word by word, because one that is gone would shift all others."""
    gone, new = Counter(then) - Counter(now), Counter(now) - Counter(then)
    yield from (f"- {where}: {word} is gone" for word in gone.elements())
    yield from (f"- {where}: {word} is new" for word in new.elements())
    if then != now and not gone and not new:
        yield f"- {where}: the order differs"


def _at(entries: list[Any], number: int) -> Any:
    return entries[number] if number < len(entries) else _MISSING


def _change(then: Any, now: Any) -> str:
    if then is _MISSING:
        return " is new"
    return " is gone" if now is _MISSING else f": {json.dumps(then)} became {json.dumps(now)}"
