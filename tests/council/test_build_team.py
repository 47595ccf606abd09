"""Who builds and who reviews."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from bot.council.delivery.team import builder_of, dependence_note, reviewers_for
from bot.council.meeting import Design, Meeting
from bot.panels import ResolvedModel
from bot.store.seats import Seat


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


def meeting(design: Design) -> Meeting:
    return cast("Meeting", SimpleNamespace(designed=design))


def test_the_role_decides_who_builds_and_who_reviews() -> None:
    """B39 B41: Implementer before Engineer, Reviewer before others, never the builder's model."""
    design = design_of(
        ("Architect", "opus"), ("Engineer", "grok"), ("Implementer", "codex"), ("Reviewer", "pro")
    )
    assert builder_of(design).role == "Implementer"
    found = reviewers_for(meeting(design), "codex")
    assert (found[0].role, found[0].apart) == ("Reviewer", True)
    assert [one.model.key for one in found][-1] == "codex"
    second = reviewers_for(meeting(design), "codex", taken="pro")
    assert second[0].model.key not in ("pro", "codex")
    assert dependence_note(found[:1]) == ""
    assert builder_of(design_of(("Poet", "opus"), ("Judge", "grok"))).role == "Poet"


def test_a_model_that_must_review_itself_is_named_as_such() -> None:
    """B41: said where the panel has nobody else."""
    design = design_of(("Engineer", "grok"), ("Reviewer", "grok"))
    (only,) = reviewers_for(meeting(design), "grok")
    assert not only.apart
    assert "also reviewed them" in dependence_note([only])
    assert dependence_note([replace(only, apart=True)]) == ""
