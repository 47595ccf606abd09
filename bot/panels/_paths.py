"""Where in panels.json a problem is, and how that is written."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bot.panels.names import shown

Step = str | int
Place = tuple[Step, ...]
_PLAIN_KEY = re.compile(r"[\w$-]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: where, and a sentence `what is wrong; what to do`."""

    path: Place
    text: str

    def __str__(self) -> str:
        return f"{written(self.path)}: {self.text}" if self.path else self.text

    def under(self, *prefix: Step) -> "Problem":
        """The same problem further down."""
        return Problem((*prefix, *self.path), self.text)


def written(path: Place) -> str:
    """A path as people write it: `panels.debate.agents[1].model`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"['{shown(step)}']"
    return text


def at(data: Any, path: Iterable[Step]) -> Any:
    """What lies at a path, or None."""
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data
