"""Reads one prompt file into its two parts and says what is wrong with it."""

import difflib
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.messages.configuration import PromptFileText
from bot.prompting.contract import PLACEHOLDERS, Kind, TemplateContract

TokenFactory = Callable[[], str]
_DRAWS: Final = 100
_RUNS_KEPT: Final = 1000


class UnexpectedValueError(ValueError):
    """A value that the template does not know or cannot hold: a bug of the caller."""


def random_token() -> str:
    """A boundary that nobody can guess."""
    return secrets.token_hex(6)


class Boundary:
    """The boundary of one run; a model that learned it and writes it gets its words quoted anew."""

    def __init__(self, new_token: TokenFactory) -> None:
        self._new_token = new_token
        self._token = ""

    def absent_from(self, texts: Iterable[str]) -> str:
        """The boundary, drawn again if one of the texts holds it."""
        quoted = tuple(texts)
        for _ in range(_DRAWS):
            if self._token and not any(self._token in text for text in quoted):
                return self._token
            self._token = self._new_token()
        raise UnexpectedValueError("no boundary could be drawn that is absent from every value")


class Boundaries:
    """The boundaries of the latest runs, kept in memory only: a restart draws new ones."""

    def __init__(self, new_token: TokenFactory) -> None:
        self._new_token = new_token
        self._kept: OrderedDict[str, Boundary] = OrderedDict()

    def of(self, run_id: str) -> Boundary:
        """The boundary of a run; a prompt of no run gets one of its own."""
        if not run_id:
            return Boundary(self._new_token)
        boundary = self._kept.setdefault(run_id, Boundary(self._new_token))
        self._kept.move_to_end(run_id)
        if len(self._kept) > _RUNS_KEPT:
            self._kept.popitem(last=False)
        return boundary


# Two letters at least, so that source numbers such as [E1] stay ordinary text.
PLACEHOLDER: Final = re.compile(r"\[([A-Z]{2}[A-Z0-9_]*)\]")
_PARTS: Final = ("system", "user")
_PART_LINE: Final = re.compile(r"<!--\s{0,20}(\w{1,20})\s{0,20}-->")


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a prompt file with the part it belongs to ("" before the first)."""

    number: int
    part: str
    text: str


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A prompt file taken apart; `where` is how its problems name it."""

    where: str
    lines: tuple[_Line, ...]
    parts_found: tuple[str, ...]

    def part(self, name: str) -> str:
        """The text of one part."""
        return "\n".join(line.text for line in self.lines if line.part == name).strip()


def read_template(path: Path, folder_name: str) -> TemplateFile:
    """Read a prompt file; raises OSError or UnicodeDecodeError when that is impossible."""
    return _take_apart(path.read_text(encoding="utf-8"), f"{folder_name}/{path.name}")


def _take_apart(text: str, where: str) -> TemplateFile:
    """Split the text of a prompt file at its part lines."""
    lines: list[_Line] = []
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        opening = _PART_LINE.fullmatch(line.strip())
        if opening and opening[1].lower() in _PARTS:
            found.append(opening[1].lower())
        else:
            lines.append(_Line(number, found[-1] if found else "", line))
    return TemplateFile(where, tuple(lines), tuple(found))


def template_problems(file: TemplateFile, contract: TemplateContract) -> Iterator[str]:
    """Every way in which a prompt file breaks its contract, one sentence each."""
    yield from _part_problems(file)
    asked: set[str] = set()
    for line in file.lines:
        for match in PLACEHOLDER.finditer(line.text):
            asked.add(match[1])
            yield from _placeholder_problems(match[1], file.where, line, contract)
    for name in sorted((contract.needs | contract.shows) - asked):
        yield PromptFileText.missing_placeholder(file.where, name)


def _part_problems(file: TemplateFile) -> Iterator[str]:
    for part in _PARTS:
        if part not in file.parts_found:
            yield PromptFileText.missing_part(file.where, part)
        elif file.parts_found.count(part) > 1:
            yield PromptFileText.repeated_part(file.where, part)
        elif not file.part(part):
            yield PromptFileText.empty_part(file.where, part)
    for line in file.lines:
        if not line.part and line.text.strip():
            yield PromptFileText.text_before_parts(file.where, line.number)
            return


def _placeholder_problems(
    name: str, where: str, line: _Line, contract: TemplateContract
) -> Iterator[str]:
    known = sorted(contract.known)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        if near:
            yield PromptFileText.unknown_placeholder(where, line.number, name, near[0])
        else:
            yield PromptFileText.strange_placeholder(where, line.number, name, known)
    elif line.part == "system" and PLACEHOLDERS[name].kind is Kind.QUOTED:
        yield PromptFileText.untrusted_placeholder(where, line.number, name)
