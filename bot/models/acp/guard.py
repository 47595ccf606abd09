"""What a harness may have: files of its folder if that was allowed, and nothing else."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.words import harness as words

LONGEST_FILE: Final = 1_000_000
NEEDED: Final = {"read": "read", "search": "read", "edit": "write"}
"""Which capability a tool of the harness's own needs; every other kind is denied."""


class DeniedError(Exception):
    """The harness asked for what it may not have; the text is for the record."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Decides for one call; whatever is denied is told to `on_denied` in words of our own."""

    folder: Path
    allow: frozenset[str]
    inputs: tuple[Path, ...]
    """Folders of others, which it may read if it may read at all."""
    on_denied: Callable[[str], None]

    def read(self, path: str, first: int | None, count: int | None) -> str:
        """The text of a file, or some of its lines; raises DeniedError."""
        file = self._checked("read", path, words.READ_A_FILE)
        try:
            if file.stat().st_size > LONGEST_FILE:
                raise self._denied(words.READ_TOO_LARGE)
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileNotFoundError(words.NO_TEXT_FILE) from error
        if first is None and count is None:
            return text
        start = max(0, (first or 1) - 1)
        lines = text.splitlines(keepends=True)
        return "".join(lines[start : None if count is None else start + count])

    def write(self, path: str, content: str) -> None:
        """Write a file; raises DeniedError."""
        file = self._checked("write", path, words.WRITE_A_FILE)
        if len(content.encode("utf-8", "replace")) > LONGEST_FILE:
            raise self._denied(words.WRITE_TOO_LARGE)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")

    def permits(self, kind: str | None, paths: Iterable[str]) -> bool:
        """Whether a tool may run: of an allowed kind, and only on named files of the folder."""
        named = list(paths)
        needed = NEEDED.get(kind or "")
        places = self._places(needed or "")
        if needed in self.allow and named and all(_inside(path, places) for path in named):
            return True
        self._denied(words.use_a_tool(kind))
        return False

    def refuse(self, wish: str) -> DeniedError:
        """Deny what is never allowed."""
        return self._denied(wish)

    def _checked(self, capability: str, path: str, wish: str) -> Path:
        if capability not in self.allow:
            raise self._denied(wish)
        inside = _inside(path, self._places(capability))
        if inside is None:
            raise self._denied(words.outside_its_folder(wish))
        return inside

    def _places(self, capability: str) -> tuple[Path, ...]:
        return (self.folder, *self.inputs) if capability == "read" else (self.folder,)

    def _denied(self, wish: str) -> DeniedError:
        text = words.denied(wish)
        self.on_denied(text)
        return DeniedError(text)


def _inside(path: str, places: Iterable[Path]) -> Path | None:
    """The real file behind a path, with every link followed, if it lies in one of the folders."""
    try:
        real = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    there = Path(path).is_absolute() and any(real.is_relative_to(p.resolve()) for p in places)
    return real if there else None
