"""What a build has done so far, as stored: its spec, attempts, reviews, files and effects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from bot.messages.attempts import SeatAnswerText
from bot.messages.delivery import BuildText
from bot.prompting.build_review import BuildReview, every_criterion, parse_build_review
from bot.prompting.build_spec import parse_build_spec
from bot.record.attempts import attempt_of
from bot.stage.cleaning import short_line
from bot.store import AttemptStatus, EventType, ReviewType, Verdict
from bot.store.log import events
from bot.store.repositories.answers import AnswerRepository
from bot.store.repositories.approvals import Approval, ApprovalRepository
from bot.store.repositories.artifacts import BUILT, Artifact, ArtifactRepository
from bot.store.repositories.attempts import Attempt, AttemptRepository
from bot.store.repositories.calls import CallRepository
from bot.store.repositories.reviews import Finding, Review, ReviewRepository
from bot.store.repositories.specs import SpecRepository

_BUILD: Final = "build:"
_PROBLEM_SHOWN: Final = 240
BUILT_BY: Final = "built@{attempt}"
"""The checkpoint that says which model built the files of an attempt."""
HELD_BY: Final = "gate:{kind}@{attempt}"
"""The checkpoint that says in which call a gate was held, and by whom."""

HEARTBEAT: Final = "heartbeat@{attempt}:{moment}#{minutes}"
"""The checkpoint that a builder was at work for so many minutes of a call begun at a moment."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of an attempt as it was recorded."""

    name: str
    kind: str
    size: int
    sha256: str
    produced_by: str


@dataclass(frozen=True, slots=True)
class Check:
    """One acceptance criterion, and what a review found about it."""

    number: int
    text: str
    met: bool
    where: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class GateRecord:
    """One review; only those of the spec gate have an answer to every criterion."""

    kind: ReviewType
    reviewer: str
    verdict: Verdict
    summary: str = ""
    findings: tuple[Finding, ...] = ()
    checks: tuple[Check, ...] = ()
    test_gaps: tuple[str, ...] = ()
    risk: str = ""
    apart: bool = True
    """Whether another model than the reviewer's built the files."""

    @property
    def passed(self) -> bool:
        """Whether the files could go on."""
        return self.verdict is Verdict.APPROVED


@dataclass(frozen=True, slots=True)
class BuildAttempt:
    """One attempt: who built, what came of it, and what the gates said."""

    ordinal: int
    status: AttemptStatus
    runtime: str
    builder: str = ""
    problem: str = ""
    files: tuple[FileRecord, ...] = ()
    gates: tuple[GateRecord, ...] = ()
    others: tuple[GateRecord, ...] = ()
    """Reviews of the conclusion, not of the files."""
    lost: tuple[str, ...] = ()
    """Models that failed as builder, each with its own words."""

    def gate(self, kind: ReviewType) -> GateRecord | None:
        """The last verdict of a gate, or None while it was not held."""
        found = [gate for gate in self.gates if gate.kind is kind]
        return found[-1] if found else None

    @property
    def gates_passed(self) -> int:
        """How many of the two gates the files passed."""
        return sum(gate.passed for kind in ReviewType if (gate := self.gate(kind)))


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """Something outside the run that somebody was asked to allow."""

    action: str
    kind: str
    status: str
    done: bool


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """Everything known about a build; its conclusion and files are made from it."""

    spec_version: int
    accepted: bool
    goal: str
    criteria: tuple[str, ...]
    spec_reviews: tuple[GateRecord, ...] = ()
    tries: tuple[BuildAttempt, ...] = ()
    effects: tuple[EffectRecord, ...] = ()

    @property
    def delivered(self) -> BuildAttempt | None:
        """The attempt whose files passed both gates, or None."""
        last = self.tries[-1] if self.tries else None
        return last if last and last.gates_passed == len(ReviewType) else None


def read_build(conn: Connection, run_id: str) -> BuildRecord | None:
    """What the store knows about a build; None before there is a spec."""
    draft = SpecRepository(conn).accepted(run_id) or SpecRepository(conn).latest(run_id)
    if draft is None:
        return None
    spec = parse_build_spec(draft.text)
    criteria, files = spec.acceptance_criteria, ArtifactRepository(conn).of_run(run_id)
    return BuildRecord(
        spec_version=draft.version,
        accepted=SpecRepository(conn).is_accepted(run_id),
        goal=spec.goal,
        criteria=criteria,
        spec_reviews=_spec_reviews(conn, run_id),
        tries=tuple(
            _try(conn, one, criteria, files) for one in AttemptRepository(conn).of_run(run_id)
        ),
        effects=tuple(_effect(conn, one) for one in ApprovalRepository(conn).of_run(run_id)),
    )


def _spec_reviews(conn: Connection, run_id: str) -> tuple[GateRecord, ...]:
    """What was said about the spec, version by version, before anybody built."""
    return tuple(_reviewed(one) for one in ReviewRepository(conn).of_attempt(run_id, 0))


def _try(
    conn: Connection, attempt: Attempt, criteria: Sequence[str], files: Sequence[Artifact]
) -> BuildAttempt:
    run_id, ordinal = attempt.run_id, attempt.ordinal
    built = _checkpoint(conn, run_id, BUILT_BY.format(attempt=ordinal))
    own = [file for file in files if file.attempt == ordinal and file.name.startswith(BUILT)]
    found = ReviewRepository(conn).of_attempt(run_id, ordinal)
    gates = {one.id: gate for one in found if (gate := _gate(conn, one, criteria))}
    builder = str(built.get("model", ""))
    return BuildAttempt(
        ordinal=ordinal,
        status=attempt.status,
        runtime=attempt.runtime,
        builder=builder,
        problem=attempt.error_summary,
        lost=lost_builders(conn, run_id, ordinal, builder) if builder else (),
        files=tuple(_file(file) for file in sorted(own, key=lambda file: file.name)),
        gates=tuple(gates.values()),
        others=tuple(_reviewed(one) for one in found if one.id not in gates),
    )


def lost_builders(
    conn: Connection, run_id: str, ordinal: int, builder: str = ""
) -> tuple[str, ...]:
    """The models that were asked in vain to build, without the one that did, and what they said."""
    failed = {
        call.model: SeatAnswerText.failed(call.error_kind, call.error_text)
        for call in CallRepository(conn).failed(run_id)
        if call.key.startswith(_BUILD) and attempt_of(call.key) == ordinal
    }
    return tuple(
        BuildText.builder_failed(model, short_line(said, _PROBLEM_SHOWN))
        for model, said in failed.items()
        if model != builder
    )


def _file(file: Artifact) -> FileRecord:
    name = file.name.removeprefix(BUILT)
    return FileRecord(name, file.kind.value, file.size, file.sha256, file.produced_by.value)


def _gate(conn: Connection, review: Review, criteria: Sequence[str]) -> GateRecord | None:
    """A gate with what its answer held beside the findings; None for another review."""
    key = HELD_BY.format(kind=review.review_type, attempt=review.attempt)
    held = _checkpoint(conn, review.run_id, key)
    if review.reviewer == BuildText.FILE_CHECK:
        return _reviewed(review)
    if not held or held["reviewer"] != review.reviewer:
        return None
    answer = AnswerRepository(conn).get(review.run_id, str(held["call"]))
    found = parse_build_review(answer.text if answer else "")
    is_spec = review.review_type is ReviewType.SPEC
    return _reviewed(
        review,
        checks=_checks(criteria, found) if is_spec else (),
        test_gaps=found.test_gaps,
        risk=found.risk,
        apart=bool(held["apart"]),
    )


def _reviewed(review: Review, **more: Any) -> GateRecord:
    return GateRecord(
        review.review_type,
        review.reviewer,
        review.verdict,
        review.summary,
        review.findings,
        **more,
    )


def _checks(criteria: Sequence[str], found: BuildReview) -> tuple[Check, ...]:
    answered = every_criterion(found, len(criteria))
    return tuple(
        Check(check.number, text, check.met, check.where, check.remark)
        for text, check in zip(criteria, answered, strict=True)
    )


def _effect(conn: Connection, approval: Approval) -> EffectRecord:
    done = events.find(conn, approval.run_id, EventType.EFFECT_DONE, approval.idempotency_key)
    return EffectRecord(
        approval.requested_action,
        approval.side_effect_kind.value,
        approval.status.value,
        done is not None,
    )


def _checkpoint(conn: Connection, run_id: str, key: str) -> dict[str, Any]:
    return events.find(conn, run_id, EventType.ATTEMPT_CHECKPOINT, key) or {}
