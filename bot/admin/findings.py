"""What the doctor found, and how it is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.admin.fitting import fitted
from bot.messages.admin import AdminText


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
