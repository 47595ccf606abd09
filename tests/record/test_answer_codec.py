"""What the store keeps of an answer can be read back as it was read."""

import pytest

from bot.prompting.round_answers import parse_round1, parse_round2
from bot.prompting.scores import parse_scores
from bot.record.answer_codec import (
    read_critique,
    read_opening,
    session_label,
    stored_critiques,
    stored_revision,
    stored_scores,
)
from bot.types.mode import Mode
from tests.prompting.sample_texts import ROUND1, ROUND2

PEERS = ("Analyst", "Devil's Advocate", "Red_Teamer")


def test_a_stored_critique_comes_back_as_each_parser_reads_it() -> None:
    reading = read_critique(ROUND2, "Chair", PEERS, Mode.DEBATE, (), "as before")
    answer = parse_round2(ROUND2, PEERS)
    assert answer.critiques
    assert stored_critiques(reading.parsed) == answer.critiques
    assert stored_revision(reading.parsed) == answer.revision
    assert stored_scores(reading.parsed) == parse_scores(ROUND2, PEERS, "Chair")
    assert reading.parsed["public"] == answer.public_text
    assert reading.digest == (answer.digest.text if answer.digest else "as before")


def test_without_a_new_digest_the_earlier_one_stands() -> None:
    reading = read_critique("**REVISE:** No change.", "Chair", PEERS, Mode.DEBATE, (), "as before")
    assert reading.digest == "as before"


def test_a_stored_opening_holds_what_the_parser_read() -> None:
    reading, answer = read_opening(ROUND1, Mode.DEBATE, ()), parse_round1(ROUND1)
    assert reading.digest == answer.digest.text
    assert reading.parsed["public"] == answer.public_text
    assert reading.parsed["claims"] == answer.digest.claims


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        (("meta:A",), "rt-meta-a"),
        (("meta:H@2",), "rt-meta-h"),
        (("r1:judge", "r2:judge", "r3:judge", "r1:judge@2"), "rt-judge"),
        (("s2:devils-advocate", "dissent:devils-advocate"), "rt-devils-advocate"),
        (("talk:123456:judge",), "rt-judge"),
        (("validate:judge", "validate:judge@3"), "rt-r3-validate-judge"),
        (("synthesis", "synthesis:orchestrator", "synthesis:rewrite@2"), "rt-synthesis"),
        (("summary:1", "summary:2"), "rt-summary"),
    ],
)
def test_a_session_is_called_alike_whatever_it_is_asked(keys: tuple[str, ...], label: str) -> None:
    """E40 E60 E79 E84: in every round, in stage 2, when asked back, and in later attempts."""
    assert {session_label(key) for key in keys} == {label}


def test_a_seat_that_builds_goes_on_in_its_session() -> None:
    """E60: the key of a build names no seat, so it is told beside it."""
    assert {session_label(key, "engineer") for key in ("r1:engineer", "build:1")} == {"rt-engineer"}
    assert session_label("validate:judge", "judge") == "rt-r3-validate-judge"
