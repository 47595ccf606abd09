"""Who builds and who reviews."""

from types import SimpleNamespace
from typing import Any, cast

from bot.delivery.team import builder_of, reviewers_for
from bot.meeting.context import Design, RunContext
from bot.panels import ResolvedModel
from bot.store.repositories.seats import Seat


def model(key: str) -> ResolvedModel:
    return ResolvedModel(key, "house", "openai", key, key, cast("Any", "premium"))


def design_of(*seats: tuple[str, str]) -> Design:
    """A design whose seats are (role, model); the first model also coordinates."""
    rows = tuple(
        cast(
            "Seat", SimpleNamespace(seat=role.lower(), role=role, model=name, fallback="", stage=1)
        )
        for role, name in seats
    )
    blank = dict.fromkeys(("synthesis", "options", "notices"), ())
    fixed: dict[str, Any] = {"workflow": "", "rounds": 1, "rehearsal": False, "proposition": ""}
    fixed |= {"speech_order": "fixed", "priorities": {}, "early_exit": False, "estimate": None}
    known = set(Design.__dataclass_fields__)
    values = {name: value for name, value in (blank | fixed).items() if name in known}
    models = {name: model(name) for _, name in seats}
    return Design(seats=rows, models=models, coordinators=(model(seats[0][1]),), **values)


def context(design: Design) -> RunContext:
    return cast("RunContext", SimpleNamespace(designed=design))


def test_the_role_decides_who_builds_and_who_reviews() -> None:
    """B39 B41: Implementer before Engineer, Reviewer before others, never the builder's model."""
    design = design_of(
        ("Architect", "opus"), ("Engineer", "grok"), ("Implementer", "codex"), ("Reviewer", "pro")
    )
    assert builder_of(design).role == "Implementer"
    found = reviewers_for(context(design), "codex")
    assert (found[0].role, found[0].apart) == ("Reviewer", True)
    assert [one.model.key for one in found][-1] == "codex"
    second = reviewers_for(context(design), "codex", taken="pro")
    assert second[0].model.key not in ("pro", "codex")
    assert builder_of(design_of(("Poet", "opus"), ("Judge", "grok"))).role == "Poet"


def test_a_seat_with_a_folder_to_write_in_builds_unless_it_reviews() -> None:
    """B34 B39: panels.json gave it the right to write, and nobody else's files are real ones."""
    design = design_of(("Architect", "codex"), ("Implementer", "grok"), ("Reviewer", "pro"))
    assert builder_of(design, {"codex"}).role == "Architect"
    assert builder_of(design, {"pro"}).role == "Implementer"
    assert builder_of(design, {"codex", "grok"}).role == "Implementer"


def test_a_model_that_must_review_itself_is_known_as_such() -> None:
    """B41."""
    design = design_of(("Engineer", "grok"), ("Reviewer", "grok"))
    (only,) = reviewers_for(context(design), "grok")
    assert not only.apart
