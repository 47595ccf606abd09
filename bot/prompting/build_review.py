"""Reads what a reviewer of a build found: a verdict, criteria one by one, and findings."""

import enum
import re
from dataclasses import dataclass
from typing import Final

from bot.messages.delivery import BuildText
from bot.prompting.sections import Headings, last_body, list_items, split_sections
from bot.prompting.text import cut_words, one_line, tidy

_SUMMARY_WORDS: Final = 80
_FINDING_WORDS: Final = 60
_MOST_FINDINGS: Final = 12
_MOST_CRITERIA: Final = 12
_NAMES: Final = ("verdict", "summary", "criteria", "findings", "test_gaps", "risk")
_HEADINGS: Final = Headings(
    {
        "verdict": ("VERDICT", "RECOMMENDATION"),
        "summary": ("SUMMARY", "REASONING"),
        "criteria": ("CRITERIA", "ACCEPTANCE CRITERIA"),
        "findings": ("FINDINGS", "CONCERNS", "MAINTAINABILITY CONCERNS"),
        "test_gaps": ("TEST GAPS", "TESTS"),
        "risk": ("RISK", "RISKS", "SAFETY AND REGRESSION RISK"),
    }
)
_VERDICT: Final = re.compile(
    r"[\W_]{0,12}(?P<word>approved?|changes[\s_-]{0,3}requested|rework|request[\s_-]changes|"
    r"block(?:ed)?)\b(?P<rest>[^\n]{0,60})",
    re.IGNORECASE,
)
_OFFERED: Final = re.compile(r"[\s*_`]{0,6}(?:[/|]|or\b)", re.IGNORECASE)
_CRITERION: Final = re.compile(
    r"[\s*_(]{0,8}(?:[-•]\s{0,4})?(?:C|criterion\s{0,3})?(?P<number>\d{1,2})[\s*_).:|-]{1,8}"
    r"(?P<word>not[\s_-]met|unmet|partly[\s_-]met|partially[\s_-]met|missing|met|yes|no)\b"
    r"[\s*_]{0,6}(?P<rest>.{0,600})",
    re.IGNORECASE,
)
_BAR: Final = re.compile(r"\s{0,6}[|｜—–]\s{0,6}")
_SEVERITY: Final = re.compile(
    r"[\W_]{0,8}(?P<word>critical|major|minor)\b[\W_]{0,8}", re.IGNORECASE
)
_NOTHING: Final = re.compile(
    r"\W{0,12}(?:none|nothing|no (?:findings|concerns|(?:test )?gaps?))"
    r"(?: (?:found|noted|identified|known|seen|remain|remaining|major|worth noting|to report|"
    r"to note|to add)){0,2}(?:\W{0,12}\Z|[*_\s]{0,6}[.,;:!()|–—]|\s-\s)",
    re.IGNORECASE,
)
"""A word for nothing that is the whole of an item, apart from a reason behind a mark."""


class ReviewVerdict(enum.StrEnum):
    """What a reviewer recommends; UNKNOWN means that no verdict could be read."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CriterionCheck:
    """Whether one criterion was found met, where, and what was said about it."""

    number: int
    met: bool
    where: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """One thing that has to change; `severity` is critical, major or minor."""

    severity: str
    message: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class BuildReview:
    """One review taken apart."""

    verdict: ReviewVerdict
    summary: str = ""
    criteria: tuple[CriterionCheck, ...] = ()
    findings: tuple[ReviewFinding, ...] = ()
    test_gaps: tuple[str, ...] = ()
    risk: str = ""


def parse_build_review(answer: str) -> BuildReview:
    """Read a review; any text gives a result, and one without a verdict approves nothing."""
    text = tidy(answer)
    sections = split_sections(text, _HEADINGS.find)
    body = {name: last_body(sections, name) for name in _NAMES}
    gaps = [cut_words(one_line(item), _FINDING_WORDS) for item in _listed(body["test_gaps"])]
    return BuildReview(
        verdict=_verdict(body["verdict"] or text.split("\n")[0]),
        summary=cut_words(one_line(body["summary"]), _SUMMARY_WORDS),
        criteria=_criteria(body["criteria"]),
        findings=tuple(map(_finding, _listed(body["findings"]))),
        test_gaps=tuple(gaps),
        risk=cut_words(one_line(body["risk"]), _FINDING_WORDS),
    )


def every_criterion(review: BuildReview, count: int) -> tuple[CriterionCheck, ...]:
    """An entry for each of so many criteria; one that was not answered is not met."""
    given = {check.number: check for check in review.criteria}
    return tuple(
        given.get(number)
        or CriterionCheck(number, met=False, remark=BuildText.CRITERION_UNANSWERED)
        for number in range(1, count + 1)
    )


def _verdict(body: str) -> ReviewVerdict:
    match = _VERDICT.match(body[:200])
    if match is None or _OFFERED.match(match["rest"]):
        return ReviewVerdict.UNKNOWN
    word = match["word"].casefold()
    if word.startswith("approve"):
        return ReviewVerdict.APPROVED
    return ReviewVerdict.BLOCKED if "block" in word else ReviewVerdict.CHANGES_REQUESTED


def _criteria(body: str) -> tuple[CriterionCheck, ...]:
    """The first answer to each criterion, by its number."""
    found: dict[int, CriterionCheck] = {}
    for line in body.split("\n"):
        match = _CRITERION.match(line[:800])
        if match is None or len(found) >= _MOST_CRITERIA:
            continue
        where, remark = _two(match["rest"])
        check = CriterionCheck(
            int(match["number"]), match["word"].casefold() in ("met", "yes"), where, remark
        )
        found.setdefault(check.number, check)
    return tuple(found[number] for number in sorted(found))


def _two(rest: str) -> tuple[str, str]:
    """What stands behind the first bar is the place, the rest is a remark."""
    parts = [one_line(part) for part in _BAR.split(rest.strip().lstrip("|｜—–: "), maxsplit=1)]
    return (parts[0][:160], cut_words(parts[1], _FINDING_WORDS) if len(parts) > 1 else "")


def _listed(body: str) -> tuple[str, ...]:
    items = list_items(body) or tuple(filter(None, [one_line(body)]))
    return tuple(item for item in items if not _NOTHING.match(item))[:_MOST_FINDINGS]


def _finding(item: str) -> ReviewFinding:
    match = _SEVERITY.match(item)
    severity = match["word"].casefold() if match else "major"
    rest = item[match.end() :] if match else item
    where, remark = _two(rest)
    if not remark:
        return ReviewFinding(severity, cut_words(where or one_line(rest), _FINDING_WORDS))
    return ReviewFinding(severity, remark, where)
