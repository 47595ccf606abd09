"""What the operator said about a harness: its command, its folder, what it may ask for."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.models.port import Origin

INHERITED: Final = (
    "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR XDG_CONFIG_HOME "
    "XDG_DATA_HOME XDG_CACHE_HOME SYSTEMROOT USERPROFILE APPDATA LOCALAPPDATA PATHEXT TEMP"
).split()
"""All a harness gets of our environment: enough to find programs and its own login."""
WORKSPACES: Final = "workspaces"
_NAME: Final = re.compile(r"[^\w-]")


@dataclass(frozen=True, slots=True)
class Harness:
    """A program that only panels.json can name; it is started without a shell."""

    command: tuple[str, ...]
    home: Path
    workspace: Path | None = None
    allow: frozenset[str] = frozenset()
    environment: Mapping[str, str] = field(default_factory=dict)

    def folder(self, origin: Origin | None) -> Path:
        """The folder it works in: the operator's, or an own one for each run."""
        if self.workspace is not None:
            return self.workspace
        run = _NAME.sub("", origin.run_id) if origin else ""
        return self.home / WORKSPACES / (run or "unnamed")


def harness_environment(passed: Mapping[str, str | None]) -> dict[str, str]:
    """The environment of a harness: the usual few variables and those the operator passes on."""
    usual = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return usual | {name: value for name, value in passed.items() if value}
