"""Fills a template in one pass, so that nothing inside a value is ever taken for a placeholder."""

from collections.abc import Mapping, Sequence
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


class MissingValue(Exception):  # noqa: N818  (a fact the conductor acts on, E111-E113 and E116)
    """A placeholder that has no default was given no value."""

    def __init__(self, placeholder: str, template: str) -> None:
        super().__init__(f"prompts/{template}.md cannot be rendered without [{placeholder}]")
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


def fill(part: str, texts: Mapping[str, str]) -> str:
    """Put the prepared texts into a part; a line that held only an empty one disappears."""
    return "\n".join(line for _, line in _filled(part, texts)).strip()


def shared_lengths(part: str, texts: Mapping[str, str]) -> tuple[int, ...]:
    """Where, in the filled part, the run's own beginning ends and where the step's does.

    Both count whole lines, so that two prompts with the same values begin with the same text.
    """
    lines = _filled(part, texts)
    lengths = {_length_of(lines, reach) for reach in (Reach.RUN, Reach.STEP)}
    return tuple(sorted(lengths - {0}))


def _length_of(lines: Sequence[tuple[Reach, str]], reach: Reach) -> int:
    shared = takewhile(lambda line: line[0] <= reach, lines)
    return len("\n".join(line for _, line in shared).strip())


def _filled(part: str, texts: Mapping[str, str]) -> list[tuple[Reach, str]]:
    """The lines that are left, each with how far it is shared."""
    kept: list[tuple[Reach, str]] = []
    for line in part.split("\n"):
        filled = PLACEHOLDER.sub(lambda match: texts[match[1]], line)
        vanished = bool(line.strip()) and not filled.strip()
        doubled_blank = not line.strip() and bool(kept) and not kept[-1][1]
        if not vanished and not doubled_blank:
            names = PLACEHOLDER.findall(line)
            kept.append((max(map(reach_of, names), default=Reach.RUN), filled))
    return kept


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
