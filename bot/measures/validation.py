"""What the validators' verdicts mean for the conclusion."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.messages.conclusion import ValidationText
from bot.prompting.text import one_line
from bot.prompting.validation import Validation, Verdict
from bot.types.mode import Mode

_LOW_CONSENSUS = 40
_MANY_STAGE2_MODELS = 3
_Validated = Literal["yes", "partial", "no"]
_REWRITE_FROM = 2
_REVIEWS = {
    Verdict.ACCURATE: ("approved", None),
    Verdict.PARTIALLY_ACCURATE: ("changes_requested", "minor"),
    Verdict.INACCURATE: ("changes_requested", "major"),
}


def _phrases(*phrases: str) -> re.Pattern[str]:
    spaced = (phrase.replace(" ", r"[\s-]+") for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)", re.IGNORECASE)


_STAKES = _phrases("high stakes", "final decision", "publishing this")
_HURRY = _phrases("asap", "urgent", "urgently", "in a hurry", "right now", "quick take", "quickly")
_TASTE = _phrases(
    "opinions?",
    "favou?rites?",
    "tastes?",
    "prettier",
    "prettiest",
    "nicer",
    "nicest",
    "funnier",
    "funniest",
    "more beautiful",
    "most beautiful",
    "coolest",
)


def recommend_validation(
    mode: Mode, consensus_pct: float | None, stage2_models: int, topic: str, quick: bool
) -> str | None:
    """One sentence that recommends `--validate`, or None when it is not worth its time."""
    reason = None if quick else _reason(mode, consensus_pct, stage2_models, topic)
    return ValidationText.advised(reason) if reason else None


def _reason(mode: Mode, consensus_pct: float | None, stage2_models: int, topic: str) -> str | None:
    """High stakes in so many words outweigh haste and taste; those outweigh the rest."""
    if _STAKES.search(topic):
        return ValidationText.MATTERS
    if _HURRY.search(topic) or (mode is Mode.DEBATE and _TASTE.search(topic)):
        return None
    if mode is Mode.REDTEAM:
        return ValidationText.RED_TEAM
    if mode is Mode.BUILD and stage2_models >= _MANY_STAGE2_MODELS:
        return ValidationText.reworked(stage2_models)
    if consensus_pct is not None and consensus_pct < _LOW_CONSENSUS:
        return ValidationText.little_agreement(consensus_pct)
    return None


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """The value of `validated`, lines for META, (role, correction) for a rewrite, who was silent.

    With `rewrite` set, `lines` are the flags that stand if the rewrite cannot be had.
    """

    value: _Validated
    rewrite: bool = False
    lines: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    silent: tuple[str, ...] = ()

    @property
    def asked(self) -> bool:
        """Whether anybody was asked to check the conclusion."""
        return self.value != "no" or bool(self.lines or self.corrections)


def validation_result(verdicts: Mapping[str, Validation | None]) -> ValidationResult:
    """Settle the verdicts by role; None or an unreadable verdict is an absent validator."""
    given = {r: v for r, v in verdicts.items() if v is not None and v.verdict in _REVIEWS}
    silent = tuple(role for role in verdicts if role not in given)
    wrong = [role for role, v in given.items() if v.verdict is Verdict.INACCURATE]
    return ValidationResult(
        value=_value(given, len(wrong)),
        rewrite=len(wrong) >= _REWRITE_FROM,
        lines=(
            *(_flag_line(role, _correction_of(given[role])) for role in wrong),
            *_absent(silent),
        ),
        corrections=tuple((r, _correction_of(v)) for r, v in given.items() if _asks(v)),
        silent=silent,
    )


def after_rewrite(result: ValidationResult) -> ValidationResult:
    """The result once the conclusion was rewritten: it is not validated again."""
    line = ValidationText.rewritten(len(result.corrections))
    return ValidationResult(
        "no", False, (line, *_absent(result.silent)), result.corrections, result.silent
    )


def review_words(verdict: Verdict) -> tuple[str, str | None] | None:
    """The review a verdict is stored as, with its severity; None for an unreadable one (2.2#33)."""
    return _REVIEWS.get(verdict)


def _flag_line(role: str, correction: str) -> str:
    """The line of META for a seat that found itself misrepresented (E81)."""
    return ValidationText.misrepresented(role, correction)


def _correction_of(validation: Validation) -> str:
    """What a validator wants changed, in one line."""
    return (
        one_line(validation.correction)
        or one_line(validation.reasoning)
        or ValidationText.NO_CORRECTION
    )


def _value(given: Mapping[str, Validation], wrong: int) -> _Validated:
    if not given or wrong >= _REWRITE_FROM:
        return "no"
    exact = all(v.verdict is Verdict.ACCURATE for v in given.values())
    return "yes" if exact else "partial"


def _asks(validation: Validation) -> bool:
    """A minor fault without a correction asks for nothing that could be written."""
    if validation.verdict is Verdict.PARTIALLY_ACCURATE:
        return _correction_of(validation) != ValidationText.NO_CORRECTION
    return validation.verdict is Verdict.INACCURATE


def _absent(silent: tuple[str, ...]) -> tuple[str, ...]:
    return (ValidationText.no_verdict(silent),) if silent else ()
