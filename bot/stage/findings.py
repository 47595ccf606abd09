"""What the doctor found, and how it is shown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.messages.admin import AdminText

_MESSAGE_LIMIT: Final = 2000


def fitted(lines: Iterable[str], rest: str = "", limit: int = _MESSAGE_LIMIT) -> str:
    """As many lines as fit; when some do not, `rest` says where they stand."""
    every = list(lines)
    whole = "\n".join(every)
    if len(whole) <= limit:
        return whole
    kept: list[str] = []
    room = limit - len(AdminText.left_out(len(every), rest)) - 1
    for line in every:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, AdminText.left_out(len(every) - len(kept), rest)])


@dataclass(frozen=True, slots=True)
class Finding:
    """One checked item; `fix` is empty when there is no problem."""

    what: str
    fix: str = ""

    @property
    def line(self) -> str:
        """As admins read it."""
        return AdminText.finding(self.what, self.fix)


def findings_text(findings: Sequence[Finding]) -> str:
    """Problems first, each with its fix, then what is well."""
    return fitted(_lines(findings), AdminText.REST_OF_PROBLEMS)


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    problems = [finding for finding in findings if finding.fix]
    yield AdminText.problems(len(problems)) if problems else AdminText.ALL_WELL
    yield from (finding.line for finding in problems)
    yield from (finding.line for finding in findings if not finding.fix)
