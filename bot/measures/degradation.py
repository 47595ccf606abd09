"""What went wrong on a panel, in one line each, with what a person can do about it."""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.messages.attempts import DegradationText
from bot.messages.models import ProviderText


class Cause(enum.StrEnum):
    """Why a model did not answer."""

    NO_BLOCKRUN = "no_blockrun"
    NOT_ALLOWLISTED = "not_allowlisted"
    API_ERROR = "api_error"
    NO_PROVIDER = "no_provider"


@dataclass(frozen=True, slots=True)
class Note:
    """One line for META with its action; `degraded` is whether the panel counts as degraded."""

    line: str
    action: str
    degraded: bool = True

    @property
    def text(self) -> str:
        """The line and, below it, what to do."""
        return DegradationText.with_action(self.line, self.action)

    @classmethod
    def one_family(cls, family: str) -> "Note":
        """One family takes all seats: the roles differ, what the models overlook does not."""
        return cls(DegradationText.one_family(family), DegradationText.ADD_A_KEY)

    @classmethod
    def one_model(cls, model: str) -> "Note":
        """One model is all there is, so every seat shares it."""
        return cls(DegradationText.one_model(model), DegradationText.ADD_A_KEY)

    @classmethod
    def skipped(cls, role: str, model: str, fallback: str | None, cause: Cause) -> "Note":
        """A seat without a usable model (E101)."""
        return cls(DegradationText.left_out(role, model, fallback), action_text(cause, model))

    @classmethod
    def round_unanswered(cls, number: int, last_answered: int, *, timed_out: bool) -> "Note":
        """Every seat failed in a later round: what was said before it is concluded on (E104)."""
        action = DegradationText.RAISE_TIMEOUT if timed_out else DegradationText.CHECK_PROVIDER
        return cls(DegradationText.round_unanswered(number, last_answered), action)

    @classmethod
    def failed_in_stage_2(cls, role: str, model: str, cause: Cause, survivors: int) -> "Note":
        """A failed seat of stage 2; without survivors the conclusion rests on stage 1 (E105)."""
        line = DegradationText.failed_in_stage_2(role, others=survivors > 0)
        return cls(line, action_text(cause, model))

    @classmethod
    def orchestrator_wrote(cls, model: str, cause: Cause) -> "Note":
        """No neutral model could write the conclusion; `model` is the one that failed (E106)."""
        return cls(DegradationText.ORCHESTRATOR_WROTE, action_text(cause, model))

    @classmethod
    def writer_sat(cls, model: str) -> "Note":
        """The conclusion's writer had argued itself (2.2#19)."""
        return cls(DegradationText.writer_sat(model), DegradationText.ADD_A_WRITER, degraded=False)

    @classmethod
    def budget_panel(cls) -> "Note":
        """Blockrun was missing at the start, so the budget profile sits (E102, 2.2#17)."""
        return cls(ProviderText.NO_BLOCKRUN, action_text(Cause.NO_BLOCKRUN, ""))


@dataclass(frozen=True, slots=True)
class Substitution:
    """A seat whose fallback speaks for it."""

    role: str
    original: str
    fallback: str
    original_family: str
    fallback_family: str


def action_text(cause: Cause, model: str, reason: str = "") -> str:
    """What a person can do about a model that did not answer (E91)."""
    if cause is Cause.NO_BLOCKRUN:
        return DegradationText.START_BLOCKRUN
    if cause is Cause.NOT_ALLOWLISTED:
        return DegradationText.allow(model)
    if cause is Cause.NO_PROVIDER:
        return DegradationText.make_usable(model, reason)
    return DegradationText.CHECK_PROVIDER


def substitution_notes(
    change: Substitution,
    cause: Cause,
    other_families: Mapping[str, str],
    reasons: Sequence[str] = (),
) -> tuple[Note, ...]:
    """Notes on a substitution; `other_families` gives the family of every other seated role.

    `reasons` say why the original could not be used from the start, one for each way to reach it.
    """
    line = DegradationText.substituted(change.role, change.original, change.fallback)
    action = action_text(cause, change.original, reasons[0] if reasons else "")
    notes = []
    if change.fallback_family == change.original_family:
        notes.append(Note(DegradationText.same_family(line, change.original_family), action))
    kin = [r for r, f in other_families.items() if f == change.fallback_family and r != change.role]
    if kin:
        notes.append(Note(DegradationText.family_sits(line, change.fallback_family, kin), action))
    if not notes:
        notes.append(Note(line, action, degraded=False))
    return tuple(notes)
