"""The spec of a roundtable and what keeps it a draft."""

from dataclasses import asdict, fields, replace

import pytest

from bot.meeting.spec import Spec, spec_of, weak_points
from bot.request import parse_request

REQUEST = parse_request("roundtable --debate --validate is it so?", 4000)


def test_a_request_becomes_a_spec_with_every_field() -> None:
    """B11, 2.3: the goal is a reference, because the words are the person's."""
    spec = spec_of(REQUEST)
    assert set(asdict(spec)) == {
        "goal",
        "scope_in",
        "scope_out",
        "inputs",
        "outputs",
        "acceptance_criteria",
        "risks",
    }
    assert weak_points(spec) == ()
    assert "is it so" not in str(asdict(spec))
    assert "mode debate" in spec.scope_in
    assert "the panelists found themselves represented" in spec.acceptance_criteria


def test_validation_is_a_criterion_only_when_asked_for() -> None:
    """B11, 2.3."""
    plain = spec_of(parse_request("roundtable --debate is it so?", 4000))
    assert not any("represented" in criterion for criterion in plain.acceptance_criteria)


@pytest.mark.parametrize("name", [field.name for field in fields(Spec)])
def test_a_spec_that_lacks_a_field_is_weak(name: str) -> None:
    """B12: missing criteria, and any other gap, keep it a draft."""
    spec = spec_of(REQUEST)
    empty = "" if name == "goal" else ()
    assert weak_points(replace(spec, **{name: empty})) == (name,)  # type: ignore[arg-type]


def test_a_request_without_words_has_no_goal() -> None:
    """B12."""
    assert weak_points(spec_of(replace(REQUEST, topic="  "))) == ("goal",)
