"""Reviews: reviewers append verdicts and findings here and can do nothing else (B5)."""

import enum
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, select

from bot.store.log import events
from bot.store.log.events import EventType, Right, require
from bot.store.rows import fresh_id, insert_new, row_of
from bot.store.tables import reviews
from bot.store.vocabulary import Actor, ReviewType, Verdict


class Severity(enum.StrEnum):
    """How much a finding matters."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a reviewer found, and where (`art_…`, a file, a section)."""

    severity: Severity
    message: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class NewReview:
    """A review of an attempt; `reviewer` names the seat or the check."""

    run_id: str
    attempt: int
    review_type: ReviewType
    reviewer: str
    verdict: Verdict
    summary: str
    findings: Sequence[Finding] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """A review as stored."""

    id: str
    run_id: str
    attempt: int
    review_type: ReviewType
    reviewer: str
    verdict: Verdict
    summary: str
    findings: tuple[Finding, ...]
    created_at: float


class ReviewRepository:
    """The reviews of runs, one per reviewer and attempt."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def append(self, new: NewReview, actor: Actor, now: float) -> bool:
        """Append a review with its event; False when this reviewer has reviewed the attempt
        already.
        """
        require(actor, _right(new.review_type))
        name = fresh_id(self._conn, reviews, "rev")
        key = f"{new.attempt}:{new.review_type}:{new.reviewer}"
        payload = {"id": name, "verdict": new.verdict}
        if not events.append(
            self._conn, new.run_id, EventType.REVIEW_APPENDED, key, actor, payload, now
        ):
            return False
        findings = [asdict(finding) for finding in new.findings]
        own = {"id": name, "findings": findings, "created_at": now}
        insert_new(self._conn, reviews, row_of(new, reviews) | own, "id")
        return True

    def of_attempt(self, run_id: str, attempt: int) -> tuple[Review, ...]:
        """Every review of an attempt, oldest first."""
        wanted = (reviews.c.run_id == run_id, reviews.c.attempt == attempt)
        query = select(reviews).where(*wanted).order_by(reviews.c.created_at, reviews.c.id)
        return tuple(_review(row._asdict()) for row in self._conn.execute(query))


def _right(review_type: ReviewType) -> Right:
    return Right.REVIEW_SPEC if review_type is ReviewType.SPEC else Right.REVIEW_QUALITY


def _review(values: dict[str, Any]) -> Review:
    findings = tuple(
        Finding(Severity(item["severity"]), item["message"], item["where"])
        for item in values["findings"]
    )
    return Review(**values | {"findings": findings})
