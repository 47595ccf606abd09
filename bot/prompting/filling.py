"""Prompt files, and filling them in one pass so that no value is taken for a placeholder."""

import difflib
import re
import secrets
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.messages.configuration import PromptFileText
from bot.prompting.contract import (
    PLACEHOLDERS,
    Kind,
    Placeholder,
    TemplateContract,
    Visibility,
    reach_of,
)
from bot.prompting.text import defuse, is_plain
from bot.types.characters import clean
from bot.types.mode import Mode

TokenFactory = Callable[[], str]
_DRAWS: Final = 100
_RUNS_KEPT: Final = 1000


class UnexpectedValueError(ValueError):
    """A value that the template does not know or cannot hold: a bug of the caller."""


def random_token() -> str:
    """A boundary that nobody can guess."""
    return secrets.token_hex(4)


class _Boundary:
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
        self._kept: OrderedDict[str, _Boundary] = OrderedDict()

    def of(self, run_id: str) -> _Boundary:
        """The boundary of a run; a prompt of no run gets one of its own."""
        if not run_id:
            return _Boundary(self._new_token)
        boundary = self._kept.setdefault(run_id, _Boundary(self._new_token))
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


_STANCE_LINE: Final = """\
The very last line is your stance toward the proposition, with AGREE, DISAGREE or NEUTRAL for X:
[STANCE: X]"""

_BALLOT_LINE: Final = """\
The very last line is your ballot: an option copied from the list, your confidence from 0 to 100, a
reason of at most twenty words:
[BALLOT: option | confidence | reason]"""


def _closing_line(mode: str) -> str:
    """The instruction that ends the system part of a panel prompt."""
    return _BALLOT_LINE if mode == Mode.VOTE else _STANCE_LINE


def _closing_subject(mode: str) -> str:
    """The placeholder that the closing instruction speaks about and therefore needs."""
    return "OPTIONS" if mode == Mode.VOTE else "PROPOSITION"


class MissingValue(Exception):  # noqa: N818  (a fact the conductor acts on, E111-E113 and E116)
    """A placeholder that has no default was given no value."""

    def __init__(self, placeholder: str, template: str) -> None:
        super().__init__(PromptFileText.cannot_render(template, placeholder))
        self.placeholder = placeholder
        self.template = template


def in_language(language: str) -> str:
    """The end of a system prompt whose answer is to be in one language, whoever asks."""
    return f"\n\nWrite in {language}, whatever the question's language; headings in English."


def prepare(
    contract: TemplateContract, values: Mapping[str, str], boundary: _Boundary
) -> dict[str, str]:
    """The text for every placeholder the contract knows, checked, cleaned and quoted."""
    _refuse_unknown(contract, values)
    given = {name: text for name, raw in values.items() if (text := clean(raw).strip())}
    closes = "CLOSING_LINE" in contract.known
    needed = (
        contract.needs | {_closing_subject(values.get("MODE", ""))} if closes else contract.needs
    )
    if missing := needed - given.keys():
        raise MissingValue(min(missing), contract.name)
    token = boundary.absent_from(given.values())
    texts = dict(contract.defaults)
    for name, text in given.items():
        texts[name] = _text_for(PLACEHOLDERS[name], text, token)
    if closes:
        texts["CLOSING_LINE"] = _closing_line(given.get("MODE", ""))
    return texts


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines that are filled together and shared equally far; `form` takes texts by `%`.

    `after_blank` is what is left of it behind a blank line, None when that is nothing.
    """

    form: str
    after_blank: str | None
    ends_blank: bool
    reach: Visibility
    may_vanish: bool


class Part:
    """One part of a template, taken apart once to be filled many times."""

    def __init__(self, text: str) -> None:
        self._stretches = tuple(_stretches(text.split("\n")))

    def fill(self, texts: Mapping[str, str]) -> "_Filled":
        """Put the prepared texts in; a line that held only an empty one disappears."""
        kept: list[str] = []
        reaches: list[Visibility] = []
        reach, after_blank = Visibility.RUN, False
        for stretch in self._stretches:
            form = stretch.after_blank if after_blank else stretch.form
            if form is None:
                continue
            filled = form % texts
            if stretch.may_vanish and not filled.strip():
                continue
            if stretch.reach > reach:
                reach = stretch.reach
            kept.append(filled)
            reaches.append(reach)
            after_blank = stretch.ends_blank
        return _Filled(kept, reaches)


class _Filled:
    """A filled part: its pieces, each with how far the text up to its end is shared."""

    def __init__(self, pieces: Sequence[str], reaches: Sequence[Visibility]) -> None:
        self._pieces = pieces
        self._reaches = reaches

    @property
    def text(self) -> str:
        """The whole part."""
        return "\n".join(self._pieces).strip()

    def shared_lengths(self) -> tuple[int, ...]:
        """Where the run's own beginning ends and where the step's does.

        Both count whole lines, so that two prompts with the same values begin with the same text.
        """
        lengths = {self._length_of(Visibility.RUN), self._length_of(Visibility.STEP)}
        return tuple(sorted(lengths - {0}))

    def _length_of(self, reach: Visibility) -> int:
        return len("\n".join(self._pieces[: bisect_right(self._reaches, reach)]).strip())


def _stretches(lines: Sequence[str]) -> Iterator[_Stretch]:
    """A line that may vanish stands alone; others go together until one is shared less far."""
    together: list[str] = []
    reach = Visibility.RUN
    for line in lines:
        pieces = PLACEHOLDER.split(line)
        own = max(map(reach_of, pieces[1::2]), default=Visibility.RUN)
        may_vanish = len(pieces) > 1 and not "".join(pieces[::2]).strip()
        if together and (may_vanish or own > reach):
            yield _stretch(together, reach)
            together = []
        if may_vanish:
            yield _Stretch(
                _form(pieces), _form(pieces), ends_blank=False, reach=own, may_vanish=True
            )
        else:
            reach = max(reach, own)
            together.append(_form(pieces))
    if together:
        yield _stretch(together, reach)


def _stretch(forms: Sequence[str], reach: Visibility) -> _Stretch:
    kept = _without_doubled_blanks(forms)
    _, *after_blank = _without_doubled_blanks(["", *forms])
    left = "\n".join(after_blank) if after_blank else None
    return _Stretch("\n".join(kept), left, not kept[-1], reach, may_vanish=False)


def _without_doubled_blanks(lines: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if line.strip() or not kept or kept[-1]:
            kept.append(line)
    return kept


def _form(pieces: Sequence[str]) -> str:
    """A line as `%` takes it, from its texts with the names of placeholders between them."""
    return "".join(
        f"%({piece})s" if n % 2 else piece.replace("%", "%%") for n, piece in enumerate(pieces)
    )


def _refuse_unknown(contract: TemplateContract, values: Mapping[str, str]) -> None:
    if unknown := values.keys() - contract.accepts:
        listed = ", ".join(f"[{name}]" for name in sorted(unknown))
        raise UnexpectedValueError(f"prompts/{contract.name}.md takes no value for {listed}")


def _text_for(placeholder: Placeholder, text: str, token: str) -> str:
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
