"""What the store keeps of a conclusion on its way through the two gates (2.3, 2.2#33).

Reviewers append what they found and nothing else; the orchestrator reads it and moves the phase.
"""

from typing import Final

from bot.council.calls import Reply
from bot.council.meeting import Meeting
from bot.council.record import RunRecord
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
FORMAT_CHECK: Final = "format check"
LONGEST: Final = 20_000


async def keep_draft(meeting: Meeting, reply: Reply) -> None:
    """Keep what the writer wrote as an artifact of the attempt, before any gate sees it."""
    store = meeting.tools.store
    text = str(reply.answer.parsed.get("text", "")) if reply.answer else ""
    await store.write(
        lambda conn: artifacts.record(
            conn,
            meeting.run.id,
            meeting.run.attempt,
            ArtifactKind.OTHER,
            DRAFT,
            text,
            Actor.EXECUTOR,
            store.now(),
        )
    )


async def note_skipped_gate(meeting: Meeting) -> None:
    """Say in the log that nobody was asked to check the draft."""
    store, run = meeting.tools.store, meeting.run
    key = f"spec_gate:skipped@{run.attempt}"
    reason = {"reason": "no validation was asked for"}
    await store.write(
        lambda conn: attempts.checkpoint(conn, run.id, key, reason, Actor.ORCHESTRATOR, store.now())
    )


async def review_quality(meeting: Meeting, record: RunRecord, text: str) -> None:
    """Let the format check append its verdict; a conclusion with a gap is told, not held back."""
    store, run = meeting.tools.store, meeting.run
    findings = quality_findings(record, text)
    verdict = Verdict.CHANGES_REQUESTED if findings else Verdict.APPROVED
    summary = f"{len(findings)} found" if findings else "sections, placeholders, length: all well"
    review = NewReview(
        run.id, run.attempt, ReviewType.QUALITY, FORMAT_CHECK, verdict, summary, findings
    )
    await store.write(
        lambda conn: reviews.append(conn, review, Actor.QUALITY_REVIEWER, store.now())
    )


def quality_findings(record: RunRecord, text: str) -> tuple[Finding, ...]:
    """What is wrong with the form of a conclusion as people read it: gaps, placeholders, length."""
    missing = [SYNTHESIS_HEADINGS.get(name, name) for name in record.conclusion.missing]
    found = [Finding(Severity.MINOR, f"{name} is missing", DRAFT) for name in missing]
    written = record.conclusion.text
    unfilled = [f"[{name}]" for name in PLACEHOLDERS if f"[{name}]" in written]
    found += [Finding(Severity.MAJOR, f"{name} was left unfilled", DRAFT) for name in unfilled]
    if len(text) > LONGEST:
        found.append(Finding(Severity.MINOR, f"it is {len(text)} characters long", DRAFT))
    return tuple(found)
