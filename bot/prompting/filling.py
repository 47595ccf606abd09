"""Fills a template in one pass, so that nothing inside a value is ever taken for a placeholder."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from bot.prompting.boundaries import Boundary, UnexpectedValueError
from bot.prompting.cleaning import clean, defuse, is_plain
from bot.prompting.closing import closing_line, closing_subject
from bot.prompting.contract import (
    PLACEHOLDERS,
    Kind,
    Placeholder,
    Reach,
    TemplateContract,
    reach_of,
)
from bot.prompting.template_file import PLACEHOLDER
from bot.words.prompt_files import cannot_render


class MissingValue(Exception):  # noqa: N818  (a fact the conductor acts on, E111-E113 and E116)
    """A placeholder that has no default was given no value."""

    def __init__(self, placeholder: str, template: str) -> None:
        super().__init__(cannot_render(template, placeholder))
        self.placeholder = placeholder
        self.template = template


def prepare(
    contract: TemplateContract, values: Mapping[str, str], boundary: Boundary
) -> dict[str, str]:
    """The text for every placeholder the contract knows, checked, cleaned and quoted."""
    _refuse_unknown(contract, values)
    needed = set(contract.needs)
    if "CLOSING_LINE" in contract.known:
        needed.add(closing_subject(values.get("MODE", "")))
    given = {name: clean(text).strip() for name, text in values.items()}
    for name in sorted(needed):
        if not given.get(name):
            raise MissingValue(name, contract.name)
    token = boundary.absent_from(given.values())
    return {name: _text_for(PLACEHOLDERS[name], given, token) for name in contract.known}


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a template taken apart: texts, and between them the names of placeholders."""

    pieces: tuple[str, ...]
    reach: Reach
    blank: bool

    def filled(self, texts: Mapping[str, str]) -> str:
        if len(self.pieces) == 1:
            return self.pieces[0]
        return "".join(texts[s] if n % 2 else s for n, s in enumerate(self.pieces))


class Part:
    """One part of a template, taken apart once to be filled many times."""

    def __init__(self, text: str) -> None:
        self._lines = tuple(_line(line) for line in text.split("\n"))

    def fill(self, texts: Mapping[str, str]) -> "Filled":
        """Put the prepared texts in; a line that held only an empty one disappears."""
        kept: list[tuple[Reach, str]] = []
        for line in self._lines:
            filled = line.filled(texts)
            vanished = not line.blank and not filled.strip()
            doubled_blank = line.blank and bool(kept) and not kept[-1][1]
            if not vanished and not doubled_blank:
                kept.append((line.reach, filled))
        return Filled(kept)


class Filled:
    """A filled part: its lines, each with how far it is shared."""

    def __init__(self, lines: Sequence[tuple[Reach, str]]) -> None:
        self._lines = lines

    @property
    def text(self) -> str:
        """The whole part."""
        return _joined(self._lines)

    def shared_lengths(self) -> tuple[int, ...]:
        """Where the run's own beginning ends and where the step's does.

        Both count whole lines, so that two prompts with the same values begin with the same text.
        """
        lengths = {self._length_of(reach) for reach in (Reach.RUN, Reach.STEP)}
        return tuple(sorted(lengths - {0}))

    def _length_of(self, reach: Reach) -> int:
        return len(_joined(takewhile(lambda line: line[0] <= reach, self._lines)))


def _line(line: str) -> _Line:
    pieces = tuple(PLACEHOLDER.split(line))
    reach = max(map(reach_of, pieces[1::2]), default=Reach.RUN)
    return _Line(pieces, reach, blank=not line.strip())


def _joined(lines: Iterable[tuple[Reach, str]]) -> str:
    return "\n".join(line for _, line in lines).strip()


def _refuse_unknown(contract: TemplateContract, values: Mapping[str, str]) -> None:
    unknown = sorted(set(values) - contract.accepts)
    if unknown:
        listed = ", ".join(f"[{name}]" for name in unknown)
        raise UnexpectedValueError(f"prompts/{contract.name}.md takes no value for {listed}")


def _text_for(placeholder: Placeholder, given: Mapping[str, str], token: str) -> str:
    if placeholder.kind is Kind.FIXED:
        return closing_line(given.get("MODE", ""))
    text = given.get(placeholder.name) or ""
    if not text:
        return placeholder.default or ""
    if placeholder.kind is Kind.PLAIN:
        return _checked(placeholder.name, text)
    block = f'<data-{token} name="{placeholder.block_name}">\n{defuse(text)}\n</data-{token}>'
    return f"{placeholder.lead}\n{block}" if placeholder.lead else block


def _checked(name: str, text: str) -> str:
    if not is_plain(text):
        raise UnexpectedValueError(
            f"[{name}] must be one short line without brackets; pass it through plain_words()"
        )
    return text
