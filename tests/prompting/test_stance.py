"""Stance markers."""

import pytest
from hypothesis import given

from bot.prompting.closing_lines import Stance, parse_stance, strip_markers
from tests.prompting.samples import ANY_TEXT, prompt_texts


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("[STANCE: AGREE]", Stance.AGREE),
        ("x\n**[stance:disagree]**", Stance.DISAGREE),
        ("[STANCE:\t Neutral] bye", Stance.NEUTRAL),
        ("[STANCE: DİSAGREE]", Stance.DISAGREE),
    ],
)
def test_a_marker_is_read_in_any_case(text: str, stance: Stance) -> None:
    """A12."""
    assert parse_stance(text) is stance


@pytest.mark.parametrize("text", ["", "I agree.", "STANCE: AGREE", "[STANCE: MAYBE]"])
def test_no_or_another_marker_is_unknown(text: str) -> None:
    """A14, A15."""
    assert parse_stance(text) is Stance.UNKNOWN


@pytest.mark.parametrize(
    "text", ["[STANCE: AGREE/DISAGREE/NEUTRAL]", "[STANCE: AGREE | DISAGREE | NEUTRAL]"]
)
def test_an_echoed_choice_is_unknown(text: str) -> None:
    """A16."""
    assert parse_stance(text) is Stance.UNKNOWN


def test_the_last_marker_counts() -> None:
    """2.2#6."""
    assert parse_stance("[STANCE: AGREE] hm [STANCE: DISAGREE]\nend") is Stance.DISAGREE


def test_no_prompt_of_ours_holds_a_stance() -> None:
    """A16: a model that echoes its instructions takes none."""
    assert {parse_stance(text) for text in prompt_texts()} == {Stance.UNKNOWN}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Yes.\n[STANCE: AGREE]", "Yes."),
        ("Yes.\n**[STANCE: AGREE]**\n", "Yes."),
        ("Yes. [STANCE: MAYBE] Or no.", "Yes.  Or no."),
        ("Yes.\n[BALLOT: a | 8 | see [E1]]", "Yes."),
        ("Yes.\n[BALLOT: a | 8 | cut off", "Yes."),
        ("Yes.\n```\n[STANCE: AGREE]\n```", "Yes."),
        ("See [E1] and [stances].", "See [E1] and [stances]."),
    ],
)
def test_markers_are_stripped_and_nothing_else(text: str, left: str) -> None:
    """2.2#6."""
    assert strip_markers(text) == left


@given(text=ANY_TEXT)
def test_stripped_text_holds_no_marker(text: str) -> None:
    """2.2#6."""
    assert parse_stance(strip_markers(text)) is Stance.UNKNOWN
