"""Answers of the debate rounds: sections, digests, critiques, revisions."""

import pytest

from bot.prompting.round_answers import Critique, Revision, parse_round1, parse_round2
from bot.prompting.text import count_words
from tests.prompting.sample_texts import ROUND1, ROUND2

DIGEST_WORDS = 200

PEERS = ("Analyst", "Devil's Advocate")


def test_the_documented_answer_of_round_1_is_whole() -> None:
    """E62."""
    answer = parse_round1(ROUND1)
    assert answer.missing == ()
    assert answer.thesis == "Postgres is the safer choice."
    assert answer.claims == ("It survives two writers.", "It has real types.", "It is boring.")
    assert answer.recommendation == "Take Postgres."


def test_the_digest_is_read_with_numbered_claims() -> None:
    """E62, 2.2#7."""
    digest = parse_round1(ROUND1).digest
    assert digest.thesis == "Postgres is safer."
    assert digest.claims == {"C1": "survives two writers", "C2": "real types", "C3": "boring"}
    assert (digest.evidence, digest.risk) == ("two decades of use", "one more service")
    assert not digest.made_up


@pytest.mark.parametrize("heading", ["**RİSKS:**", "RıSKS:", "## Rıſks:"])
def test_a_heading_is_known_in_letters_of_another_alphabet(heading: str) -> None:
    assert parse_round1(f"THESIS: yes\n{heading} none").risks == "none"


def test_a_marker_inside_a_marker_is_no_part_of_the_digest() -> None:
    answer = "**SELF-DIGEST:**\nThesis: yes\nC1: it works [STANCE[STANCE: AGREE]: AGREE]"
    assert parse_round1(answer).digest.text == "Thesis: yes\nC1: it works"


def test_the_public_text_ends_before_the_digest() -> None:
    answer = parse_round1(ROUND1)
    assert answer.public_text.endswith("Take Postgres.")
    assert "STANCE" not in answer.public_text
    assert answer.full_text == ROUND1


@pytest.mark.parametrize(
    "style",
    ["## {}", "### **{}**", "**{}**:", "{}:", "**{}:**", "1. **{}:**", "__{}__", "**{} (short):**"],
)
def test_headings_are_known_in_every_dress(style: str) -> None:
    lines = [
        style.format(line[2 : line.index(":**")]) + "\n" + line[line.index(":**") + 3 :]
        if line.startswith("**")
        else line
        for line in ROUND1.split("\n")
    ]
    answer = parse_round1("\n".join(lines))
    assert answer.missing == ()
    assert answer.thesis == "Postgres is the safer choice."


@pytest.mark.parametrize(
    "line", ["**THESIS: Take it.**", "**Thesis:**Take it.", "Thesis — no\nTHESIS — Take it."]
)
def test_a_body_on_the_heading_line_is_kept_clean(line: str) -> None:
    assert parse_round1(line).thesis == "Take it."


def test_a_sentence_that_begins_like_a_heading_is_none() -> None:
    assert parse_round1("Risks are everywhere and evidence is thin.").risks == ""


def test_an_answer_in_a_fence_is_unwrapped() -> None:
    assert parse_round1(f"```markdown\n{ROUND1}\n```").missing == ()


def test_without_a_digest_one_is_made_and_flagged() -> None:
    """E62."""
    answer = parse_round1(ROUND1.split("---")[0])
    assert answer.digest.made_up
    assert answer.digest.text.startswith("Thesis: Postgres is the safer choice.\nC1: It survives")
    assert "digest" in answer.missing


def test_an_unstructured_answer_still_gives_a_digest() -> None:
    answer = parse_round1("Nimm einfach Postgres, das läuft.\n[STANCE: AGREE]")
    assert answer.digest.text == "Thesis: Nimm einfach Postgres, das läuft."
    assert answer.public_text == "Nimm einfach Postgres, das läuft."


def test_an_empty_answer_gives_an_empty_digest() -> None:
    """E111: the conductor skips the seat."""
    assert parse_round1(" \n[STANCE: AGREE]").digest.text == ""


def test_a_digest_of_bullets_gets_numbers() -> None:
    body = (
        "**SELF-DIGEST**\n- **Thesis:** Go.\n- **Key claims:**\n  - fast\n  - cheap\n- Risk: none"
    )
    digest = parse_round1(f"text\n{body}").digest
    assert digest.claims == {"C1": "fast", "C2": "cheap"}
    assert digest.text == "Thesis: Go.\nC1: fast\nC2: cheap\nRisk: none"


@pytest.mark.parametrize("word", ["long ", "長い"])
def test_a_digest_is_cut_at_two_hundred_words(word: str) -> None:
    """E62."""
    digest = parse_round1(f"x\n**SELF-DIGEST:**\n{word * 900}").digest
    assert count_words(digest.text.removesuffix("…")) == DIGEST_WORDS


def test_another_language_keeps_its_sections() -> None:
    answer = parse_round1(ROUND1.replace("Postgres is the safer choice.", "Мы берём Postgres."))
    assert answer.thesis == "Мы берём Postgres."


def test_the_documented_critiques_name_target_claim_and_reason() -> None:
    """E86."""
    assert parse_round2(ROUND2, PEERS).critiques == (
        Critique("Analyst", "C2", "the numbers are old", "the survey is from 2019."),
        Critique("Devil's Advocate", "C1", "it ignores cost", "nobody priced it."),
    )


def test_the_point_of_a_critique_is_whole() -> None:
    """E86: only marks between claim and point go."""
    found = parse_round2("## Critique\n[Analyst, C2]: x-rays are old because dated", PEERS)
    assert found.critiques == (Critique("Analyst", "C2", "x-rays are old", "dated"),)


@pytest.mark.parametrize(
    "item",
    [
        "- **Analyst's C2** — weak because old",
        "Analyst (C2): weak because old",
        "1) **analyst** C2: weak, because old",
        "* Claim 2 of Analyst: weak because old",
    ],
)
def test_a_critique_is_read_in_every_dress(item: str) -> None:
    """E86."""
    assert parse_round2(f"## Critique\n{item}", PEERS).critiques == (
        Critique("Analyst", "C2", "weak", "old"),
    )


def test_a_critique_of_nobody_we_know_is_dropped() -> None:
    assert parse_round2("**CRITIQUE:**\n1. Everyone C1: bad because bad", PEERS).critiques == ()


def test_agreement_after_the_list_is_no_critique() -> None:
    text = "**CRITIQUE:**\n1. Analyst C1: old because old.\n\nI agree with Devil's Advocate C2."
    assert parse_round2(text, PEERS).critiques == (Critique("Analyst", "C1", "old", "old."),)


def test_a_list_inside_a_claim_belongs_to_it() -> None:
    answer = parse_round1("**KEY CLAIMS:**\n1. Cost:\n   - servers\n   - people\n2. Time")
    assert answer.claims == ("Cost: servers people", "Time")


def test_a_critique_in_another_language_keeps_its_reason() -> None:
    text = "**CRITIQUE:**\n1. Analyst C3: die Zahlen sind alt."
    assert parse_round2(text, PEERS).critiques == (
        Critique("Analyst", "C3", "", "die Zahlen sind alt."),
    )


def test_a_revision_names_its_cause() -> None:
    """Design 5: the flip ledger."""
    revision = parse_round2(ROUND2, PEERS).revision
    assert (revision.changed, revision.role, revision.claim) == (True, "Analyst", "C2")


@pytest.mark.parametrize("text", ["No change.", "**No change**", "None", "no changes so far", ""])
def test_no_change_is_no_revision(text: str) -> None:
    assert not parse_round2(f"**REVISE:** {text}\n**DEFEND:** x", PEERS).revision.changed


def test_a_change_without_a_cause_is_a_change_without_a_cause() -> None:
    revision = parse_round2("**REVISE:** I now prefer a pilot.", PEERS).revision
    assert revision == Revision(True, None, None, "I now prefer a pilot.")


def test_round_2_updates_the_digest() -> None:
    """2.2#2."""
    digest = parse_round2(ROUND2, PEERS).digest
    assert digest is not None
    assert digest.text.startswith("Thesis: Pilot, then Postgres.\nC1:")
    assert "SCORES" not in digest.text


def test_without_a_new_digest_there_is_none() -> None:
    """The earlier one stands."""
    assert parse_round2("**DEFEND:** x", PEERS).digest is None


def test_the_public_text_of_round_2_has_no_digest_and_no_marker() -> None:
    public = parse_round2(ROUND2, PEERS).public_text
    assert "SELF-DIGEST" not in public
    assert "Pilot, then Postgres" not in public
    assert "STANCE" not in public
    assert public.endswith("- Devil's Advocate: 2/5 — too bleak")


def test_missing_sections_are_reported() -> None:
    assert parse_round2("**DEFEND:** x", PEERS).missing == (
        "critique",
        "revise",
        "digest",
        "scores",
    )
