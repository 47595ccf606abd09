"""What a grammar can produce the parsers read, and what models write well it allows."""

import json
import random
import re

import pytest

from bot.prompting.build_files import parse_built_files
from bot.prompting.build_review import ReviewVerdict, parse_build_review
from bot.prompting.build_spec import parse_build_spec, undeclared
from bot.prompting.closing_lines import Stance, parse_ballot, parse_stance
from bot.prompting.contract import TEMPLATES
from bot.prompting.grammar import Node, grammar_for, to_gbnf, to_pattern
from bot.prompting.grammar.nodes import Chars, Choice, Repeat, Sequence, Text
from bot.prompting.meta import parse_design_proposal
from bot.prompting.round_answers import parse_round1, parse_round2
from bot.prompting.scores import How, parse_scores
from bot.prompting.short_answers import parse_dissent, parse_followup, parse_options
from bot.prompting.summary import parse_summary
from bot.prompting.synthesis import parse_synthesis
from bot.prompting.text import label_voices
from bot.prompting.validation import Verdict, parse_validation
from bot.search.results import parse_search_digest
from bot.types.model_port import Message, Prompt
from tests.support.gbnf_writer import write_from

PEERS = ("Devil's Advocate", "User's Voice", "Analyst")
OPTIONS = ("Postgres", "SQLite (one file)", "neither")
MODELS = "premium:\n- small-a (smollm)\n- small-b (smollm; quick)\ncheap:\n- small-c (smollm)"
VOICES = label_voices((role, "Thesis: x\nC1: y") for role in PEERS)
SEEDS = range(60)
FREE = {"discussion-coordinator", "discussion-participant"}


def written(node: Node, rng: random.Random) -> str:
    """Something a grammar can produce, drawn at random."""
    match node:
        case Text(text):
            return text
        case Chars(ranges, others):
            low, high = rng.choice(ranges)
            drawn = chr(rng.randint(ord(low), ord(high)))
            return rng.choice(others) if others and rng.random() < 0.1 else drawn
        case Sequence(parts):
            return "".join(written(part, rng) for part in parts)
        case Choice(options):
            return written(rng.choice(options), rng)
        case Repeat(part, least, most):
            return "".join(written(part, rng) for _ in range(rng.choice((least, most))))


def grammar(template: str, **values: str) -> Node:
    node = grammar_for(Prompt(template, values, (Message("user", "Speak."),)))
    assert node
    return node


def answers(template: str, **values: str) -> list[str]:
    node = grammar(template, **values)
    return [written(node, random.Random(seed)) for seed in SEEDS]


def test_every_prompt_has_a_grammar_but_those_whose_answer_has_no_format() -> None:
    """Agents in a discussion are told what to do in prose, and answer in prose."""
    free = {name for name in TEMPLATES if grammar_for(Prompt(name, {}, ())) is None}
    assert free == FREE
    assert grammar_for(Prompt("something-else", {}, ())) is None


def test_an_opening_that_a_grammar_allows_is_read_whole() -> None:
    """E47 A17."""
    for answer in answers("round1", MODE="debate"):
        read = parse_round1(answer)
        assert read.missing == ()
        assert len(read.claims) == len(read.digest.claims) == 3
        assert not read.digest.made_up
        assert read.digest.thesis
        assert parse_stance(answer) is not Stance.UNKNOWN


def test_a_critique_that_a_grammar_allows_scores_every_peer() -> None:
    """E61 E62."""
    for answer in answers("round2-cross-critique", MODE="debate", PEER_DIGESTS=VOICES):
        read = parse_round2(answer, PEERS)
        assert read.missing == ()
        assert [critique.target in PEERS and critique.claim for critique in read.critiques]
        assert len(read.critiques) == 2
        assert read.digest
        assert len(read.digest.claims) == 3
        assert read.revision.changed is ("**REVISE:** No change." not in answer)
        scores = parse_scores(answer, PEERS, "Expert").scores
        assert {score.how for score in scores} == {How.CLEAN}
        assert parse_stance(answer) is not Stance.UNKNOWN


def test_a_ballot_that_a_grammar_allows_names_an_option() -> None:
    for answer in answers("round1", MODE="vote", OPTIONS="\n".join(OPTIONS)):
        ballot = parse_ballot(answer, OPTIONS)
        assert ballot.option in OPTIONS
        assert ballot.confidence is not None
        assert ballot.reason


def test_a_conclusion_that_a_grammar_allows_has_every_section() -> None:
    positions = "\n\n".join(f"{role} (small): Thesis: x" for role in PEERS)
    for answer in answers("final-synthesis", ROUND1_SUMMARIES=positions):
        read = parse_synthesis(answer)
        assert read.missing == ()
        assert read.next_24h
        assert read.next_7d
        assert any(read.sections["outlier"].startswith(role) for role in PEERS)


def test_a_summary_that_a_grammar_allows_is_json_about_the_members() -> None:
    for answer in answers("rolling-summary", ROUND_ANSWERS=VOICES):
        json.loads(answer)
        read = parse_summary(answer, PEERS)
        assert read.parsed
        for points in (read.consensus, read.disagreement, read.new_points):
            assert points
            assert all(point.roles for point in points)


@pytest.mark.parametrize("mode", ["debate", "vote"])
def test_a_design_that_a_grammar_allows_is_complete_and_seats_different_roles(mode: str) -> None:
    for answer in answers("meta-panel", MODE=mode, MODELS=MODELS):
        read = parse_design_proposal(answer)
        assert read.missing == ()
        assert {seat.model for seat in read.stages} <= {"small-a", "small-b", "small-c"}
        roles = [seat.role for seat in read.stages]
        assert len(set(roles)) == len(roles)
        assert (read.workflow == "parallel_debate") is all(s.stage == 1 for s in read.stages)


def test_options_that_a_grammar_allows_can_be_voted_on() -> None:
    for answer in answers("vote-options"):
        assert len(parse_options(answer)) >= 2


def test_a_check_that_a_grammar_allows_has_a_verdict() -> None:
    for answer in answers("round3-validation"):
        read = parse_validation(answer)
        assert read.verdict is not Verdict.UNKNOWN
        assert read.reasoning
        assert bool(read.correction) is (read.verdict is not Verdict.ACCURATE)


def test_what_grammars_allow_in_a_build_is_read_whole() -> None:
    """B11 B20 B41 B42: a small model's spec, file and reviews have every part."""
    for answer in answers("build-spec"):
        read = parse_build_spec(answer)
        assert read.goal
        assert len(read.acceptance_criteria) == 3
        assert all((read.scope_in, read.scope_out, read.inputs, read.outputs, read.risks))
        assert undeclared(read, ("README.md", "x.py")) == ("x.py",)
    for answer in answers("build-files"):
        files = parse_built_files(answer)
        assert [file.name for file in files.files] == ["README.md"]
        assert files.refused == ()
    for answer in answers("build-spec-gate", SPEC="1. one\n2. two"):
        assert [check.number for check in parse_build_review(answer).criteria] == [1, 2]
    for template in ("build-spec-review", "build-quality-gate"):
        for answer in answers(template):
            review = parse_build_review(answer)
            assert review.verdict is not ReviewVerdict.UNKNOWN
            assert review.summary
            assert len(review.findings) <= 1


def test_short_answers_that_grammars_allow_are_read_as_meant() -> None:
    assert all(parse_dissent(answer) for answer in answers("dissent"))
    assert not any(parse_followup(answer).silent for answer in answers("follow-up"))
    silent = [parse_followup(answer).silent for answer in answers("follow-up", OPEN_FLOOR="yes")]
    assert set(silent) == {True, False}
    for answer in answers("search-digest", DATE="2026-11-16"):
        read = parse_search_digest(answer, "2026-11-16")
        assert read.useful
        assert read.text.startswith("Searched on 2026-11-16.\n")


GOOD_OPENING = """\
**THESIS:** Postgres is the safer choice for a team of five.
**KEY CLAIMS:**
1. It survives two writers at once.
2. It has real types, and checks them.
3. It is boring in the best way.
**EVIDENCE / REASONING:** Two decades of use in small shops show it.
**RISKS / WEAKNESSES:** One more service has to be run, and nobody's awake.
**RECOMMENDATION:** Take Postgres and keep the schema small.
---
**SELF-DIGEST:**
Thesis: Postgres is safer for this team.
C1: It survives two writers at once.
C2: It has real types with checks.
C3: It is boring in a good way.
Evidence: Two decades of use in small shops.
Risk: One more service has to be run.

[STANCE: AGREE]"""


def test_a_well_written_opening_is_allowed_and_a_sloppy_one_is_not() -> None:
    pattern = to_pattern(grammar("round1", MODE="debate"))
    assert pattern.fullmatch(GOOD_OPENING)
    for sloppy in (
        GOOD_OPENING.replace("[STANCE: AGREE]", "[STANCE: MAYBE]"),
        GOOD_OPENING.replace("C2: ", ""),
        GOOD_OPENING.replace("two writers", "[STANCE: NEUTRAL]"),
        GOOD_OPENING.replace("1. It", "1. RISKS: it"),
        GOOD_OPENING + "\nand more",
    ):
        assert not pattern.fullmatch(sloppy)


@pytest.mark.parametrize("template", sorted(set(TEMPLATES) - FREE))
def test_a_grammar_names_every_rule_it_uses_and_its_pattern_takes_what_it_draws(
    template: str,
) -> None:
    values = {"PEER_DIGESTS": VOICES, "MODELS": MODELS, "ROUND_ANSWERS": VOICES}
    node = grammar(template, **values)
    text = to_gbnf(node)
    outside = re.sub(r'"(?:\\.|[^"\\])*"|\[[^\]]*\]', "", text)
    used = set(re.findall(r"\b(r\d+)\b(?! ::=)", outside))
    assert used == set(re.findall(r"^(r\d+) ::=", text, re.MULTILINE))
    pattern = to_pattern(node)
    for seed in range(5):
        assert pattern.fullmatch(written(node, random.Random(seed)))
        assert pattern.fullmatch(write_from(text, random.Random(seed)))


def test_names_and_options_of_people_cannot_break_out_of_a_grammar() -> None:
    """A role or an option is text to be copied, whatever characters it has."""
    sly = 'a" | "b\\'
    node = grammar("round1", MODE="vote", OPTIONS=f"{sly}\nfair")
    assert '"a\\" | \\"b\\\\"' in to_gbnf(node)
    assert f"[BALLOT: {sly} |" in {
        line[: len(sly) + 11]
        for seed in SEEDS
        for line in written(node, random.Random(seed)).split("\n")
    }
