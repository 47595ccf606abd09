"""Reads the files a builder wrote; a name that could lead anywhere else is refused."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.messages.delivery import BuildAnswerText
from bot.types.characters import clean

_MOST_FILES: Final = 20
FILE_BYTES: Final = 100_000
_ALL_BYTES: Final = 400_000
_NAME_CHARS: Final = 120
_DEEPEST: Final = 6
_HEADER: Final = re.compile(
    r"[\s#*_>-]{0,12}FILE(?:NAME)?[\s*_]{0,6}[:：][\s*_`\"']{0,8}(?P<name>[^`\"'*\n]{1,300}?)"
    r"[\s`\"'*_]{0,8}\Z",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"\s{0,3}(?P<fence>`{3,}|~{3,})[^`]{0,60}\Z")
_NAME: Final = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_.][A-Za-z0-9_.+-]*)*")
_RESERVED: Final = re.compile(
    r"(?:(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|\.git|git~1)\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """One file with a checked name."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class BuiltFiles:
    """What was written, and why something of it was not taken."""

    files: tuple[BuiltFile, ...] = ()
    refused: tuple[str, ...] = ()


def parse_built_files(answer: str) -> BuiltFiles:
    """Take an answer apart into files; any text gives a result, one without files an empty one."""
    lines = clean(answer).replace("\r\n", "\n").split("\n")
    return checked_files(_written(lines))


def checked_files(written: Iterable[tuple[str, str]], *, may_be_empty: bool = False) -> BuiltFiles:
    """Take files by name and content, and say of the others why they were refused.

    Where files may be empty, such as a package's `__init__.py`, not all of them may be.
    """
    written = list(written)
    fills = may_be_empty and any(content.strip() for _, content in written)
    found, refused = list[BuiltFile](), list[str]()
    for name, content in written:
        problem = _problem(name, content, found, may_be_empty=fills)
        if problem:
            refused.append(problem)
        else:
            found.append(BuiltFile(name, content))
    return BuiltFiles(tuple(found), tuple(refused))


def name_problem(name: str) -> str:
    """Why a file may not be called so, or nothing."""
    parts = name.split("/")
    if len(name) > _NAME_CHARS or len(parts) > _DEEPEST:
        return BuildAnswerText.NAME_TOO_LONG
    if not _NAME.fullmatch(name) or any(set(part) <= {"."} for part in parts):
        return BuildAnswerText.NAME_LEADS_AWAY
    if any(_RESERVED.match(part) or part.endswith(".") for part in parts):
        return BuildAnswerText.NAME_RESERVED
    return ""


def _problem(name: str, content: str, earlier: Sequence[BuiltFile], *, may_be_empty: bool) -> str:
    """Why a file was not taken, or nothing."""
    shown = clean(name).replace("`", "'")[:_NAME_CHARS]
    reason = name_problem(name) or _content_problem(name, content, earlier)
    if not reason and not may_be_empty and not content.strip():
        reason = BuildAnswerText.EMPTY
    return BuildAnswerText.refused(shown, reason) if reason else ""


def _content_problem(name: str, content: str, earlier: Sequence[BuiltFile]) -> str:
    if any(file.name.casefold() == name.casefold() for file in earlier):
        return BuildAnswerText.WRITTEN_TWICE
    size = len(content.encode())
    if size > FILE_BYTES:
        return BuildAnswerText.too_large(size, FILE_BYTES)
    if len(earlier) >= _MOST_FILES:
        return BuildAnswerText.too_many(_MOST_FILES)
    if size + sum(len(file.content.encode()) for file in earlier) > _ALL_BYTES:
        return BuildAnswerText.all_too_large(_ALL_BYTES)
    return ""


def _written(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Every name with what stands in the fence under it, in order."""
    found, fence, position = list[tuple[str, str]](), None, 0
    while position < len(lines):
        header = _HEADER.match(lines[position][:400])
        start = _opening(lines, position + 1) if header else None
        position += 1
        if header is None or start is None:
            continue
        fence = _FENCE.match(lines[start])
        end = _closing(lines, start + 1, fence["fence"] if fence else "```")
        content = "\n".join(lines[start + 1 : end])
        found.append((header["name"].strip(), f"{content}\n" if content else ""))
        position = end
    return found


def _opening(lines: Sequence[str], start: int) -> int | None:
    """The line of the fence that follows a header, blank lines aside."""
    for number in range(start, min(start + 4, len(lines))):
        if _FENCE.match(lines[number]):
            return number
        if lines[number].strip():
            return None
    return None


def _closing(lines: Sequence[str], start: int, fence: str) -> int:
    """Where a file ends: its long fence, or the last short one before the next file begins."""
    last = None
    for number in range(start, len(lines)):
        line = lines[number].strip()
        if set(line) == {fence[0]} and len(line) >= len(fence):
            last = number
            if len(fence) > 3:
                return number
        elif last is not None and _begins_file(lines, number):
            return last
    return len(lines) if last is None else last


def _begins_file(lines: Sequence[str], number: int) -> bool:
    header = _HEADER.match(lines[number][:400])
    return header is not None and _opening(lines, number + 1) is not None
