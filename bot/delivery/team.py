"""Who builds and who reviews: never the same model, where the panel allows it (B39-B42)."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.delivery.files import built_in
from bot.meeting.context import Design, RunContext, RunFailedError
from bot.messages.delivery import BuildText
from bot.panels import ResolvedModel
from bot.record.attempts import (
    BEFORE_WORK,
    LAST_AUTOMATIC,
    PAUSES,
    count_draft,
    draft_number,
    failed_kinds,
    may_pass,
)
from bot.record.build import read_build
from bot.stage.cleaning import short_line
from bot.store import Verdict
from bot.store.repositories.artifacts import Artifact
from bot.store.repositories.reviews import ReviewRepository
from bot.store.repositories.runs import RunRepository
from bot.store.repositories.seats import Seat
from bot.store.repositories.specs import SpecRepository
from bot.types.mode import Mode

_BUILDERS: Final = ("implement", "build", "engineer", "develop", "cod", "program", "writ")
_REVIEWERS: Final = ("review", "test", "critic", "quality", "audit", "skeptic")
_WORDS: Final = re.compile(r"[^\W_]+")
_FINDING_SHOWN = 320


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A role with its model; `apart` is whether another model built the files."""

    role: str
    model: ResolvedModel
    apart: bool

    @property
    def name(self) -> str:
        """The reviewer as people read it."""
        return f"{self.role} ({self.model.key})"


def builder_of(design: Design, writers: Collection[str] = ()) -> Seat:
    """The seat that writes the files: the one whose role says so, else the first.

    A seat of one of these models, which have a folder to write in, comes before the others,
    unless its role is to review.
    """
    seats = design.stage(1) or design.seats
    return min(seats, key=lambda seat: (not _has_hands(seat, writers), _rank(seat.role, _BUILDERS)))


def _has_hands(seat: Seat, writers: Collection[str]) -> bool:
    return seat.model in writers and _rank(seat.role, _REVIEWERS) == len(_REVIEWERS)


def reviewers_for(ctx: RunContext, builder_model: str, *, taken: str = "") -> list[Reviewer]:
    """Who may review what a model built, the best first; `taken` names a model used before."""
    design = ctx.designed
    seats = sorted(design.seats, key=lambda seat: _rank(seat.role, _REVIEWERS))
    offered = [(seat.role, model) for seat in seats for model in design.models_of(seat)[:1]]
    offered += [(BuildText.COORDINATOR, model) for model in design.coordinators]
    offered += [(seat.role, model) for seat in seats for model in design.models_of(seat)[1:]]
    found: dict[str, Reviewer] = {}
    for role, model in offered:
        found.setdefault(model.key, Reviewer(role, model, model.key != builder_model))
    return sorted(found.values(), key=lambda one: (not one.apart, one.model.key == taken))


def _rank(role: str, stems: Sequence[str]) -> int:
    said = [word.casefold() for word in _WORDS.findall(role)]
    fits = (n for n, stem in enumerate(stems) if any(word.startswith(stem) for word in said))
    return next(fits, len(stems))


async def delivers(ctx: RunContext) -> bool:
    """Whether the run builds; one from before builds had specs ends as it began."""
    if ctx.run.mode is not Mode.BUILD:
        return False

    def work(conn: Connection) -> bool:
        run = RunRepository(conn).require(ctx.run.id)
        return run.phase in BEFORE_WORK or SpecRepository(conn).is_accepted(run.id)

    return await ctx.deps.store.read(work)


async def drafting_try(ctx: RunContext) -> int:
    """The number under which the calls of the panel and the draft are made."""
    return await ctx.deps.store.read(lambda conn: draft_number(conn, ctx.run.id))


async def next_draft_due(ctx: RunContext, failure: RunFailedError) -> tuple[int, float] | None:
    """The number and time of the next try at a draft; None when a retry would not help."""
    store, run_id = ctx.deps.store, ctx.run.id

    def work(conn: Connection) -> tuple[int, float] | None:
        number, now = draft_number(conn, run_id), store.now()
        kinds = failed_kinds(conn, run_id, number, failure.asked)
        if number >= LAST_AUTOMATIC or not may_pass(kinds):
            return None
        due = now + PAUSES[number - 1]
        count_draft(conn, run_id, str(failure), due, now)
        return number, due

    return await store.write(work)


def verdicts(conn: Connection, run_id: str) -> tuple[str, ...]:
    """The verdicts of the gates so far, one line each, for the card."""
    delivery = read_build(conn, run_id)
    return tuple(
        BuildText.gate_told(one.ordinal, gate.kind, gate.reviewer, gate.verdict)
        for one in (delivery.tries if delivery else ())
        for gate in one.gates
    )


def last_findings(conn: Connection, run_id: str) -> tuple[str, ...]:
    """What the gates found in the newest attempt."""
    ordinal = RunRepository(conn).require(run_id).attempt
    found = [
        r
        for r in ReviewRepository(conn).of_attempt(run_id, ordinal)
        if r.verdict != Verdict.APPROVED
    ]
    said = (f"{one.reviewer}: {f.message}" for one in found for f in one.findings)
    return tuple(short_line(text, _FINDING_SHOWN) for text in said)


def last_good(conn: Connection, run_id: str) -> tuple[tuple[Artifact, ...], int]:
    """The newest files that passed the most gates, and how many gates that is."""
    delivery = read_build(conn, run_id)
    tried = [one for one in (delivery.tries if delivery else ()) if one.files]
    if not tried:
        return (), 0
    best = max(tried, key=lambda one: (one.gates_passed, one.ordinal))
    return built_in(conn, run_id, best.ordinal), best.gates_passed
