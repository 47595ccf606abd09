"""Where the spec of a build stands: what the store knows about its newest version."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.messages.delivery import BuildText
from bot.prompting.build_spec import parse_build_spec, spec_weaknesses
from bot.store import Actor, ArtifactKind, Verdict, artifacts, reviews, specs
from bot.store.reviews import Review
from bot.store.specs import SpecDraft

PANEL: Final = "panel"
START: Final = "start"
CHANGES: Final = "changes"
EDIT: Final = "edit"
REVIEW: Final = "review"


@dataclass(frozen=True, slots=True)
class SpecState:
    """The newest version with its review; `weaknesses` keep it from being accepted (B12)."""

    accepted: bool
    draft: SpecDraft | None = None
    review: Review | None = None
    weaknesses: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    """What the next version has to meet: objections, and what the starter asked for."""

    @property
    def reviewed(self) -> bool:
        """Whether somebody has reviewed this version."""
        return self.review is not None


def state_of(conn: Connection, run_id: str) -> SpecState:
    """Read where the spec stands."""
    draft = specs.latest(conn, run_id)
    accepted = specs.is_accepted(conn, run_id)
    if draft is None:
        return SpecState(accepted)
    mark = reviewer_name("", draft.version)
    found = [r for r in reviews.of_attempt(conn, run_id, 0) if r.reviewer.endswith(mark)]
    review = found[-1] if found else None
    formal = spec_weaknesses(parse_build_spec(draft.text))
    objections = _objections(review)
    wish = artifacts.find(conn, run_id, 0, ArtifactKind.OTHER, _wish_name(draft.version))
    wished = (wish.content,) if wish else ()
    weaknesses = (*formal, *objections)
    return SpecState(accepted, draft, review, weaknesses, (*wished, *weaknesses))


def keep_wish(conn: Connection, run_id: str, version: int, text: str, now: float) -> None:
    """Keep what the starter asked to have changed."""
    kind, name = ArtifactKind.OTHER, _wish_name(version)
    artifacts.record(conn, run_id, 0, kind, name, text, Actor.ORCHESTRATOR, now)


def reviewer_name(role: str, version: int) -> str:
    """How the reviewer of a version is called in the store."""
    return f"{role} · spec v{version}"


def _objections(review: Review | None) -> tuple[str, ...]:
    if review is None or review.verdict is Verdict.APPROVED:
        return ()
    listed = tuple(f"{f.where}: {f.message}" if f.where else f.message for f in review.findings)
    return listed or (review.summary or BuildText.NOT_APPROVED,)


def _wish_name(version: int) -> str:
    return f"spec-v{version}-wish.md"
