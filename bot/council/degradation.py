"""What went wrong on a panel, in one line each, with what a person can do about it."""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.words.providers import NO_BLOCKRUN

ORCHESTRATOR_WROTE = "Synthesis by orchestrator (bias risk — no neutral model available)"


class Cause(enum.StrEnum):
    """Why a model did not answer."""

    NO_BLOCKRUN = "no_blockrun"
    NOT_ALLOWLISTED = "not_allowlisted"
    API_ERROR = "api_error"
    NO_PROVIDER = "no_provider"


@dataclass(frozen=True, slots=True)
class Note:
    """One line for META with its action; `degraded` tells whether the panel counts as degraded."""

    line: str
    action: str
    degraded: bool = True

    @property
    def text(self) -> str:
        """The line and, below it, what to do."""
        return f"{self.line}\nAction: {self.action}"


@dataclass(frozen=True, slots=True)
class Substitution:
    """A seat whose fallback speaks for it."""

    role: str
    original: str
    fallback: str
    original_family: str
    fallback_family: str


def action_text(cause: Cause, model: str) -> str:
    """What a person can do about a model that did not answer (E91)."""
    if cause is Cause.NO_BLOCKRUN:
        return (
            "Start Blockrun at localhost:8402 for full panel, "
            "or use `--panel budget` for stable 2-model run"
        )
    if cause is Cause.NOT_ALLOWLISTED:
        return f"Add {model} to allowlist in panels.json"
    if cause is Cause.NO_PROVIDER:
        return f"Make {model} usable, `roundtable check` says how, then start again"
    return "Check provider API key / quota, then retry"


def substitution_notes(
    change: Substitution,
    cause: Cause,
    other_families: Mapping[str, str],
    reasons: Sequence[str] = (),
) -> tuple[Note, ...]:
    """Notes on a substitution; `other_families` gives the family of every other seated role.

    `reasons` say why the original could not be used from the start, one for each way to reach it.
    """
    start = f"⚠️ PANEL DEGRADED — {change.role} substituted {change.original} with {change.fallback}"
    action = action_text(cause, change.original)
    if cause is Cause.NO_PROVIDER and reasons:
        action = f"{action} ({reasons[0]})"
    notes = []
    if change.fallback_family == change.original_family:
        notes.append(Note(f"{start} (same family: {change.original_family})", action))
    kin = [r for r, f in other_families.items() if f == change.fallback_family and r != change.role]
    if kin:
        notes.append(
            Note(f"{start} (family {change.fallback_family} already sits as {_and(kin)})", action)
        )
    if not notes:
        line = f"{change.role} substituted {change.original} with {change.fallback}"
        notes.append(Note(line, action, degraded=False))
    return tuple(notes)


def one_family_note(family: str) -> Note:
    """All seats are taken by one family: the roles differ, what the models overlook does not."""
    return Note(
        f"⚠️ PANEL DEGRADED — every seat is taken by the {family} family, in different roles",
        "Add the key of another vendor, or OPENROUTER_API_KEY for all of them, to .env",
    )


def timeout_note(role: str, seconds: float, round_number: int) -> Note:
    """A seat that did not answer in time (E103)."""
    return Note(
        f"[TIMEOUT] {role} did not answer within {seconds:g} s in round {round_number}",
        "Retry, or raise `timeouts.round` in panels.json",
    )


def skipped_note(role: str, model: str, fallback: str | None, cause: Cause) -> Note:
    """A seat that nobody could take (E101)."""
    failed = f"{model} and its fallback {fallback} failed" if fallback else f"{model} failed"
    return Note(f"{role} was left out: {failed}", action_text(cause, model))


def stage2_note(role: str, model: str, cause: Cause, survivors: int) -> Note:
    """A seat of stage 2 that failed; without survivors the conclusion rests on stage 1 (E105)."""
    rest = "stage 2 went on without it" if survivors else "the conclusion rests on stage 1"
    return Note(f"{role} failed in stage 2: {rest}", action_text(cause, model))


def orchestrator_wrote_note(model: str, cause: Cause) -> Note:
    """No neutral model could write the conclusion; `model` is the one that failed (E106)."""
    return Note(ORCHESTRATOR_WROTE, action_text(cause, model))


def writer_sat_note(model: str) -> Note:
    """The conclusion's writer had argued itself (2.2#19)."""
    return Note(
        f"{model} wrote the conclusion: synthesizer also sat on the panel",
        "Add a premium model that is on no panel to `premium` in panels.json",
        degraded=False,
    )


def budget_panel_note() -> Note:
    """Blockrun was missing at the start, so the budget profile sits (E102, 2.2#17)."""
    return Note(NO_BLOCKRUN, action_text(Cause.NO_BLOCKRUN, ""))


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
