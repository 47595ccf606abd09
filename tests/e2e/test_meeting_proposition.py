"""Stances are about a proposition, never about the raw question (2.2#6)."""

from pathlib import Path

import pytest

from tests.e2e.scripted_models import FAIL, Said, ScriptedModels, scripted_playground

PHRASED = "We should drink tea every day."


@pytest.mark.parametrize("flags", ["--quick", "--panel opus,grok --rounds 1"])
async def test_without_a_meta_panel_the_coordinator_phrases_it_once(
    tmp_path: Path, flags: str
) -> None:
    """Issue 19 point 8: frozen before round 1 and quoted in every prompt."""
    cast = ScriptedModels(says={"proposition": f"**PROPOSITION:** {PHRASED}"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(f"roundtable {flags} --debate what about tea")
    (asked,) = cast.asked("proposition")
    assert asked.model == "claude-haiku"
    assert {one.values["PROPOSITION"] for one in cast.asked("r1:*")} == {PHRASED}
    assert held.record.proposition == PHRASED


@pytest.mark.parametrize(
    ("topic", "answer", "instead"),
    [
        ("tea", FAIL, "One clear answer can be recommended to this: “tea”"),
        ("is tea good?", "Is tea good?", "The answer to this is yes: “is tea good?”"),
    ],
)
async def test_a_coordinator_that_fails_leaves_a_sentence_of_ours(
    tmp_path: Path, topic: str, answer: Said, instead: str
) -> None:
    cast = ScriptedModels(says={"proposition": answer})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(f"roundtable --quick --debate {topic}")
    assert held.record.proposition == instead


async def test_x_or_y_typed_as_a_debate_is_a_choice_between_both(tmp_path: Path) -> None:
    """Issue 19 point 8: also where the analysts lose sight of one of them."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate tea or coffee?")
    assert held.record.proposition == (
        "The better choice is tea rather than coffee; to disagree is to choose coffee."
    )
    assert cast.asked("proposition") == []
    assert {one.values["PROPOSITION"] for one in cast.asked("r1:*")} == {held.record.proposition}
