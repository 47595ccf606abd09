"""Reads one prompt file into its two parts and says what is wrong with it."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.messages.configuration import PromptFileText
from bot.prompting.contract import PLACEHOLDERS, Kind, TemplateContract

# Two letters at least, so that source numbers such as [E1] stay ordinary text.
PLACEHOLDER: Final = re.compile(r"\[([A-Z]{2}[A-Z0-9_]*)\]")
_PARTS: Final = ("system", "user")
_PART_LINE: Final = re.compile(r"<!--\s{0,20}(\w{1,20})\s{0,20}-->")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a prompt file with the part it belongs to ("" before the first)."""

    number: int
    part: str
    text: str


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A prompt file taken apart; `where` is how its problems name it."""

    where: str
    lines: tuple[Line, ...]
    parts_found: tuple[str, ...]

    def part(self, name: str) -> str:
        """The text of one part."""
        return "\n".join(line.text for line in self.lines if line.part == name).strip()


def read_template(path: Path, folder_name: str) -> TemplateFile:
    """Read a prompt file; raises OSError or UnicodeDecodeError when that is impossible."""
    return take_apart(path.read_text(encoding="utf-8"), f"{folder_name}/{path.name}")


def take_apart(text: str, where: str) -> TemplateFile:
    """Split the text of a prompt file at its part lines."""
    lines: list[Line] = []
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        opening = _PART_LINE.fullmatch(line.strip())
        if opening and opening[1].lower() in _PARTS:
            found.append(opening[1].lower())
        else:
            lines.append(Line(number, found[-1] if found else "", line))
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
    name: str, where: str, line: Line, contract: TemplateContract
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
