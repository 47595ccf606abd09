"""Digests are read back however they are labelled."""

import pytest

from bot.rehearsal.digests import Digest, read_digests, read_own, side_of

BODY = "Thesis: Against: it hurts.\nC1: One.\nC2: Two.\nEvidence: Some.\nRisk: A risk."


@pytest.mark.parametrize(
    "label",
    [
        "Devil's Advocate:\n{body}",
        "**Devil's Advocate**\n{body}",
        "### Devil's Advocate\n{body}",
        "Devil's Advocate (gpt): {body}",
        '<peer role="Devil\'s Advocate">\n{body}\n</peer>',
        "[Devil's Advocate]\n{body}",
        "From Devil's Advocate:\n{body}",
    ],
)
def test_labels_of_many_shapes_are_read(label: str) -> None:
    """E64, E85."""
    text = label.format(body=BODY) + "\n\nAnalyst:\nThesis: In favour: fine.\nC1: Good."
    first, second = read_digests(text)
    assert (first.role, second.role) == ("Devil's Advocate", "Analyst")
    assert [claim.cid for claim in first.claims] == ["C1", "C2"]
    assert first.risk == "A risk"


def test_a_digest_on_one_line_is_read() -> None:
    (digest,) = read_digests("Analyst (m): " + BODY.replace("\n", " "))
    assert digest.thesis == "Against: it hurts"
    assert digest.claims[1].text == "Two"


def test_only_unindented_lines_are_labels() -> None:
    text = "Analyst:\n  Thesis: In favour: fine.\n  Contrarian:\n  C1: Good."
    (digest,) = read_digests(text)
    assert digest.role == "Analyst"
    assert len(digest.claims) == 1


def test_ones_own_digest_needs_no_label() -> None:
    assert read_own(BODY).claims[0].text == "One"
    assert read_own("nothing of the kind").is_empty


@pytest.mark.parametrize(
    ("thesis", "side"),
    [
        ("In favour: it helps", "AGREE"),
        ("Against: it hurts", "DISAGREE"),
        ("Undecided: who knows", "NEUTRAL"),
        ("We should not do this", "DISAGREE"),
        ("This is worth doing", "AGREE"),
        ("The sky has a colour", "NEUTRAL"),
        ("", ""),
    ],
)
def test_a_thesis_tells_its_side(thesis: str, side: str) -> None:
    assert side_of(Digest("Analyst", thesis), ()) == side


def test_a_vote_is_read_from_the_option_named_first() -> None:
    digest = Digest("Analyst", "For SQLite: SQLite would beat Postgres")
    assert side_of(digest, ("Postgres", "SQLite")) == "SQLite"
    assert side_of(Digest("Analyst", "For nothing"), ("Postgres", "SQLite")) == ""
