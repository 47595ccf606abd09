"""Validators' verdicts."""

import pytest

from bot.prompting.validation import Validation, Verdict, parse_validation
from tests.prompting.sample_texts import prompt_texts


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("**REPRESENTATION:** ACCURATE", Verdict.ACCURATE),
        ("**REPRESENTATION:** PARTIALLY ACCURATE", Verdict.PARTIALLY_ACCURATE),
        ("**REPRESENTATION:** INACCURATE", Verdict.INACCURATE),
        ("## Representation\n\n**Inaccurate.**", Verdict.INACCURATE),
        ("REPRESENTATION: partially_accurate, since…", Verdict.PARTIALLY_ACCURATE),
        ("REPRESENTATION: not accurate", Verdict.INACCURATE),
        ("REPRESENTATION: Mostly accurate", Verdict.PARTIALLY_ACCURATE),
        ("REPRESENTATION: ACCURATE — nothing in it is INACCURATE", Verdict.ACCURATE),
        ("INACCURATE\nIt says I like spaces.", Verdict.INACCURATE),
    ],
)
def test_the_longest_verdict_wins(text: str, verdict: Verdict) -> None:
    """3.1, parsing traps."""
    assert parse_validation(text).verdict is verdict


@pytest.mark.parametrize(
    "text",
    [
        "**REPRESENTATION:** ACCURATE / PARTIALLY ACCURATE / INACCURATE\nINACCURATE",
        "**REPRESENTATION (ACCURATE / PARTIALLY ACCURATE / INACCURATE):** INACCURATE",
        "REPRESENTATION: **ACCURATE** | **INACCURATE**\n\nREPRESENTATION: INACCURATE",
    ],
)
def test_an_echoed_list_of_choices_is_skipped(text: str) -> None:
    """3.1, parsing traps."""
    assert parse_validation(text).verdict is Verdict.INACCURATE


@pytest.mark.parametrize(
    "text", ["", "I think it is accurate.", "REPRESENTATION: ACCURATE or INACCURATE"]
)
def test_no_clear_verdict_is_unknown(text: str) -> None:
    assert parse_validation(text).verdict is Verdict.UNKNOWN


def test_reason_and_correction_are_kept_within_their_limits() -> None:
    text = f"REPRESENTATION: INACCURATE\nREASONING: {'a ' * 200}\nCORRECTION: {'b ' * 200}"
    validation = parse_validation(text)
    assert len(validation.reasoning.split()) == 80
    assert len(validation.correction.split()) == 50


def test_an_accurate_draft_needs_no_correction() -> None:
    text = "REPRESENTATION: ACCURATE\nREASONING: fine\nCORRECTION: none"
    assert parse_validation(text) == Validation(Verdict.ACCURATE, "fine", "")


def test_an_echo_of_the_instructions_is_no_verdict() -> None:
    assert {parse_validation(text).verdict for text in prompt_texts()} == {Verdict.UNKNOWN}
