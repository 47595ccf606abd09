"""Fills a template in one pass, so that nothing inside a value is ever taken for a placeholder."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from bot.prompting.template_file import PLACEHOLDER, Boundary, UnexpectedValueError
from bot.prompting.text import defuse, is_plain
from bot.types.characters import clean
from bot.types.mode import Mode

_STANCE_LINE: Final = """\
The very last line of your answer is your stance toward the proposition. Write it in exactly this
form, with AGREE, DISAGREE or NEUTRAL in place of X, and nothing after it:
[STANCE: X]"""

_BALLOT_LINE: Final = """\
The very last line of your answer is your ballot. The option is copied from the list of options, the
confidence is a whole number from 0 to 100, the reason has at most twenty words. Write the line in
exactly this form, and nothing after it:
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


def prepare(
    contract: TemplateContract, values: Mapping[str, str], boundary: Boundary
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
