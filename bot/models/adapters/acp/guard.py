"""Access control of a harness: files of its folder if allowed, and nothing else."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.files.nofollow import TooLargeError, read_below, write_below
from bot.messages.models import HarnessText

_LONGEST_FILE: Final = 1_000_000
_NEEDED: Final = {"read": "read", "search": "read", "edit": "write"}
"""Which capability each kind of tool needs; every other kind is denied."""


class DeniedError(Exception):
    """The harness asked for something it may not have; the text is for the record."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Decides for one call; `on_denied` receives each denial in the bot's own words."""

    folder: Path
    allow: frozenset[str]
    inputs: tuple[Path, ...]
    """Other folders, which it may read if it may read at all."""
    on_denied: Callable[[str], None]

    def read(self, path: str, first: int | None, count: int | None) -> str:
        """The text of a file, or some of its lines; raises DeniedError."""
        place, name = self._checked("read", path, HarnessText.READ_A_FILE)
        try:
            text = read_below(place, name, _LONGEST_FILE).decode()
        except TooLargeError as error:
            raise self._denied(HarnessText.READ_TOO_LARGE) from error
        except (OSError, UnicodeDecodeError) as error:
            raise FileNotFoundError(HarnessText.NO_TEXT_FILE) from error
        if first is None and count is None:
            return text
        start = max(0, (first or 1) - 1)
        lines = text.splitlines(keepends=True)
        return "".join(lines[start : None if count is None else start + count])

    def write(self, path: str, content: str) -> None:
        """Write a file; raises DeniedError."""
        place, name = self._checked("write", path, HarnessText.WRITE_A_FILE)
        written = content.encode("utf-8", "replace")
        if len(written) > _LONGEST_FILE:
            raise self._denied(HarnessText.WRITE_TOO_LARGE)
        write_below(place, name, written)

    def permits(self, kinds: Collection[str], paths: Collection[str]) -> bool:
        """Whether a tool may run: of allowed kinds only, and only on named files in the folder."""
        needed = {_NEEDED.get(kind, "") for kind in kinds}
        places = self._places("read" if needed == {"read"} else "write")
        if needed and needed <= self.allow and paths and all(_inside(p, places) for p in paths):
            return True
        self._denied(HarnessText.use_a_tool(kinds))
        return False

    def refuse(self, wish: str) -> DeniedError:
        """Deny what is never allowed."""
        return self._denied(wish)

    def _checked(self, capability: str, path: str, wish: str) -> tuple[Path, str]:
        """The allowed folder of a file and its name in it, with all links resolved."""
        if capability not in self.allow:
            raise self._denied(wish)
        inside = _inside(path, self._places(capability))
        if inside is None:
            raise self._denied(HarnessText.outside_its_folder(wish))
        return inside

    def _places(self, capability: str) -> tuple[Path, ...]:
        return (self.folder, *self.inputs) if capability == "read" else (self.folder,)

    def _denied(self, wish: str) -> DeniedError:
        text = HarnessText.denied(wish)
        self.on_denied(text)
        return DeniedError(text)


def _inside(path: str, places: Iterable[Path]) -> tuple[Path, str] | None:
    """The folder that a path leads into after following links, and the name in it."""
    if not Path(path).is_absolute():
        return None
    try:
        real, folders = Path(path).resolve(), [place.resolve() for place in places]
    except (OSError, ValueError, RuntimeError):
        return None
    found = (folder for folder in folders if real.is_relative_to(folder))
    return next(((folder, real.relative_to(folder).as_posix()) for folder in found), None)
