"""What the doctor found, and how it is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.admin.fitting import fitted


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `fix` is empty when there is nothing to mend."""

    what: str
    fix: str = ""

    @property
    def line(self) -> str:
        """As admins read it."""
        return f"⚠️ {self.what}: {self.fix}" if self.fix else f"✅ {self.what}"


def findings_text(findings: Sequence[Finding]) -> str:
    """Problems first, each with its fix, then what is well."""
    return fitted(_lines(findings), "mend these first and ask again")


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    problems = [finding for finding in findings if finding.fix]
    if not problems:
        yield "**Everything is well.**"
    else:
        yield f"**{len(problems)} {'problem' if len(problems) == 1 else 'problems'}**"
    yield from (finding.line for finding in problems)
    yield from (finding.line for finding in findings if not finding.fix)
