"""Several voices in one value."""

from hypothesis import given

from bot.prompting.text import label_voices
from tests.prompting.samples import ANY_TEXT


def test_every_voice_is_labelled() -> None:
    """E64."""
    text = label_voices([("Analyst", "Thesis: a\nC1: b"), ("Red_Teamer", "Thesis: c")])
    assert text == "Analyst:\n  Thesis: a\n  C1: b\n\nRed_Teamer:\n  Thesis: c"


@given(said=ANY_TEXT)
def test_no_voice_can_open_another(said: str) -> None:
    """LLM01: only our labels begin a line."""
    lines = label_voices([("Analyst", said), ("Contrarian", "x")]).split("\n")
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "Analyst:",
        "Contrarian:",
    ]
