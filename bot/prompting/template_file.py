"""Reads one prompt file into its two parts and says what is wrong with it."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
            problem = _placeholder_problem(match[1], line.part, contract)
            if problem:
                yield f"{file.where}:{line.number}: {problem}"
    for name in sorted((contract.needs | contract.shows) - asked):
        yield f"{file.where}: the placeholder [{name}] is missing; put it back"


def _part_problems(file: TemplateFile) -> Iterator[str]:
    for part in _PARTS:
        if part not in file.parts_found:
            yield f"{file.where}: the line <!-- {part} --> is missing; add it before that part"
        elif file.parts_found.count(part) > 1:
            yield f"{file.where}: the line <!-- {part} --> stands there twice; keep one"
        elif not file.part(part):
            yield f"{file.where}: the {part} part is empty; write it"
    for line in file.lines:
        if not line.part and line.text.strip():
            yield f"{file.where}:{line.number}: text before the first part is never sent; move it"
            return


def _placeholder_problem(name: str, part: str, contract: TemplateContract) -> str | None:
    if name not in contract.known:
        near = difflib.get_close_matches(name, sorted(contract.known), n=1, cutoff=0.5)
        hint = f"did you mean [{near[0]}]?" if near else f"known are {_listed(contract.known)}"
        return f"unknown placeholder [{name}]; {hint}"
    if part == "system" and PLACEHOLDERS[name].kind is Kind.QUOTED:
        return f"[{name}] holds untrusted text; move it to the user part"
    return None


def _listed(names: frozenset[str]) -> str:
    return ", ".join(f"[{name}]" for name in sorted(names))
