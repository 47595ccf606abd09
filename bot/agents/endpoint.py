"""Where a running bot can be reached by its own command line: a file only its owner can read."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.files.private import replace_file

_FILE = "agents.json"
PATH = "/mcp"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address on this machine and the token that opens it."""

    url: str
    token: str

    def write(self, home: Path) -> None:
        """Write the address for the command line, readable by the owner only."""
        replace_file(home / _FILE, json.dumps(asdict(self)))

    @classmethod
    def read(cls, home: Path) -> "Endpoint | None":
        """The address of the running bot, if it is on this machine."""
        try:
            found = json.loads((home / _FILE).read_text(encoding="utf-8"))
            endpoint = cls(str(found["url"]), str(found["token"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        # The token must never leave this machine, no matter who wrote the file.
        return endpoint if endpoint.url.startswith("http://127.0.0.1:") else None


def remove(home: Path) -> None:
    """Remove the address when the bot stops."""
    (home / _FILE).unlink(missing_ok=True)
