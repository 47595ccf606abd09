"""What the store keeps of a conclusion on its way through the two gates (2.3, 2.2#33).

Reviewers append what they found and nothing else; the orchestrator reads it and moves the phase.
"""

from typing import Final

from sqlalchemy import Connection

from bot.council.calls import CallResult
from bot.council.meeting import Meeting
from bot.council.record import RunRecord
from bot.messages.conclusion import ValidationText
from bot.prompting.contract import PLACEHOLDERS
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.store import (
    Actor,
    ArtifactKind,
    ReviewType,
    Verdict,
    artifacts,
    attempts,
    reviews,
)
from bot.store.reviews import Finding, NewReview, Severity

DRAFT: Final = "conclusion-draft.md"
LONGEST: Final = 20_000


def record_draft(conn: Connection, meeting: Meeting, reply: CallResult) -> None:
    """Keep what the writer wrote as an artifact of the attempt, before any gate sees it."""
    run, now = meeting.run, meeting.tools.store.now()
    text = str(reply.answer.parsed.get("text", "")) if reply.answer else ""
    kind, writer = ArtifactKind.OTHER, Actor.EXECUTOR
    artifacts.record(conn, run.id, run.attempt, kind, DRAFT, text, writer, now)


def note_skipped_gate(conn: Connection, meeting: Meeting) -> None:
    """Log that no validation of the draft was requested."""
    run, now = meeting.run, meeting.tools.store.now()
    key = f"spec_gate:skipped@{run.attempt}"
    reason = {"reason": ValidationText.NOT_ASKED_FOR}
    attempts.checkpoint(conn, run.id, key, reason, Actor.ORCHESTRATOR, now)


def review_quality(conn: Connection, meeting: Meeting, record: RunRecord, text: str) -> None:
    """Append the verdict of the format check; an incomplete conclusion is posted with a note."""
    run, now = meeting.run, meeting.tools.store.now()
    findings = quality_findings(record, text)
    verdict = Verdict.CHANGES_REQUESTED if findings else Verdict.APPROVED
    summary = ValidationText.found(len(findings)) if findings else ValidationText.FORM_IS_WELL
    review = NewReview(
        run.id,
        run.attempt,
        ReviewType.QUALITY,
        ValidationText.FORMAT_CHECK,
        verdict,
        summary,
        findings,
    )
    reviews.append(conn, review, Actor.QUALITY_REVIEWER, now)


def quality_findings(record: RunRecord, text: str) -> tuple[Finding, ...]:
    """What is wrong with the form of a conclusion as people read it: gaps, placeholders, length."""
    missing = [SYNTHESIS_HEADINGS.get(name, name) for name in record.conclusion.missing]
    found = [Finding(Severity.MINOR, ValidationText.is_missing(name), DRAFT) for name in missing]
    written = record.conclusion.text
    unfilled = [f"[{name}]" for name in PLACEHOLDERS if f"[{name}]" in written]
    found += [
        Finding(Severity.MAJOR, ValidationText.left_unfilled(name), DRAFT) for name in unfilled
    ]
    if len(text) > LONGEST:
        found.append(Finding(Severity.MINOR, ValidationText.too_long(len(text)), DRAFT))
    return tuple(found)
