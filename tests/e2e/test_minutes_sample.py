"""docs/gallery has the minutes of a vote, as the bot writes them today."""

import re
from pathlib import Path

import pytest

from tools.minutes_sample import FLOOR, QUESTION, SAMPLE, held_minutes

_CHANGING = (
    (r"\d{4}-\d\d-\d\d", "DAY"),
    (r"\d\d:\d\d:\d\d UTC", "TIME"),
    (r"discord\.com/channels/[\d/]+", "LINK"),
    (r"\b(?:\d+ min )?\d+ s\b", "DURATION"),
    (r"\brt_[0-9a-f]{8}\b", "ID"),
    (r"[\d,]+ tokens", "TOKENS"),
)


def settled(text: str) -> list[str]:
    """The lines without what differs from one run to the next."""
    for pattern, name in _CHANGING:
        text = re.sub(pattern, name, text)
    return text.splitlines()


@pytest.mark.heavy  # a whole meeting at its own pace
async def test_the_minutes_in_the_gallery_are_what_the_bot_writes(tmp_path: Path) -> None:
    """A34 C23: two people speak, one asks between the rounds, one panelist dissents.

    If that is meant to change, `python -m tools.minutes_sample` writes the file anew.
    """
    shown = SAMPLE.read_text(encoding="utf-8")
    assert settled(await held_minutes(tmp_path)) == settled(shown)
    for _, words in (*FLOOR, QUESTION):
        assert f"> {words}" in shown
    assert "**Person 1**" in shown
    assert "**Person 2**" in shown
    assert "> **Strategist(" in shown.partition("## Dissent")[2]
    assert f"to Person 1 (“{QUESTION[1]}”): " in shown
