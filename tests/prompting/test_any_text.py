"""No text makes a parser raise or crawl."""

import time
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings

from bot.prompting.ballot import parse_ballot
from bot.prompting.cleaning import is_plain, plain_words
from bot.prompting.dissent import parse_dissent
from bot.prompting.followup import is_empty_answer, parse_followup
from bot.prompting.meta import parse_design
from bot.prompting.round1 import parse_round1
from bot.prompting.round2 import parse_round2
from bot.prompting.scores import parse_scores
from bot.prompting.search_digest import parse_search_digest
from bot.prompting.stance import parse_stance, strip_markers
from bot.prompting.summary import parse_summary
from bot.prompting.synthesis import parse_synthesis
from bot.prompting.validation import parse_validation
from bot.prompting.words import count_words, cut_words
from tests.prompting.samples import ANY_TEXT, DESIGN, ROUND1, ROUND2, SYNTHESIS

ROLES = ("Analyst", "Devil's Advocate", "Red_Teamer")
PARSERS: Mapping[str, Callable[[str], object]] = {
    "ballot": lambda text: parse_ballot(text, ("Postgres", "C++")),
    "design": parse_design,
    "dissent": parse_dissent,
    "empty": is_empty_answer,
    "followup": parse_followup,
    "round1": parse_round1,
    "round2": lambda text: parse_round2(text, ROLES),
    "scores": lambda text: parse_scores(text, ROLES, "Analyst"),
    "search": lambda text: parse_search_digest(text, "2026-08-01"),
    "stance": parse_stance,
    "strip": strip_markers,
    "summary": lambda text: parse_summary(text, ROLES),
    "synthesis": parse_synthesis,
    "validation": parse_validation,
}
SIZE = 60_000
PIECES = (
    "a",
    " ",
    "*",
    "**",
    "\n",
    "[",
    "[[",
    "{",
    '{"a":',
    '{"summary": {',
    '"summary": ',
    "[STANCE:",
    "[STANCE: AGREE]",
    "[BALLOT: a | ",
    "SCORES:\n",
    "SCORES:\n- Analyst 3 ",
    "Analyst ",
    "Analyst C2: x because ",
    "- Analyst: 4/5\n",
    "**THESIS:** ",
    "**THESIS:**\n",
    "**SELF-DIGEST:**\nC1: ",
    "CRITIQUE:\n1. Analyst\n",
    "REPRESENTATION: ACCURATE / ",
    "STAGES:\n- Model: x | Role: y | ",
    "- Model: x | Role: y | Task: z\n",
    "🎯 ",
    "⚠️ x\n",
    "```\n",
    "---\n",
    "1. ",
    "(",
    "\\",
    '"',
    "9",
    "語",
    "\u0301",
)


@pytest.mark.parametrize("name", sorted(PARSERS))
@given(text=ANY_TEXT)
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_without_an_exception(name: str, text: str) -> None:
    """E75."""
    PARSERS[name](text)


@pytest.mark.parametrize("name", sorted(PARSERS))
@pytest.mark.parametrize("cut", range(0, 100, 9))
def test_an_answer_that_was_cut_off_is_read(name: str, cut: int) -> None:
    for answer in (ROUND1, ROUND2, DESIGN, SYNTHESIS):
        PARSERS[name](answer[: len(answer) * cut // 100])


@pytest.mark.parametrize("piece", PIECES)
def test_a_very_long_text_is_read_in_no_time(piece: str) -> None:
    """Linear time: whatever is repeated, no parser is slow."""
    text = piece * (SIZE // len(piece))
    assert {name: spent for name in PARSERS if (spent := seconds(name, text)) > 0.5} == {}


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_200_kilobytes_of_noise_are_read_in_well_under_a_second(name: str) -> None:
    line = "".join(PIECES)
    assert seconds(name, line * (200_000 // len(line))) < 0.8


def seconds(name: str, text: str) -> float:
    start = time.process_time()
    PARSERS[name](text)
    return time.process_time() - start


@given(text=ANY_TEXT)
def test_plain_words_are_plain(text: str) -> None:
    assert is_plain(plain_words(text))


@given(text=ANY_TEXT)
def test_cut_words_keep_the_start_and_the_limit(text: str) -> None:
    cut = cut_words(text, 5)
    assert count_words(cut.removesuffix("…")) <= 5
    assert text.strip().startswith(cut.removesuffix("…").strip())
