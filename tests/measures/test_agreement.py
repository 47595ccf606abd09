"""Peer agreement: the matrix, the percentage, and what had to be inferred."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.measures.agreement import Agreement, agreement_of
from bot.messages.votes import AgreementText
from bot.prompting.scores import How, Score, Scores, parse_scores

ROLES = ("Advocate", "Analyst", "Contrarian")


def scored(text: str, own: str) -> Scores:
    return parse_scores(f"SCORES:\n{text}", ROLES, own)


FULL = {
    "Advocate": scored("- Analyst: 4/5\n- Contrarian: 2/5", "Advocate"),
    "Analyst": scored("- Advocate: 5/5\n- Contrarian: 3/5", "Analyst"),
    "Contrarian": scored("- Advocate: 1/5\n- Analyst: 3/5", "Contrarian"),
}


def test_the_matrix_holds_every_score_by_giver_and_peer() -> None:
    """E67."""
    assert agreement_of(FULL).matrix == {
        "Advocate": {"Analyst": 4, "Contrarian": 2},
        "Analyst": {"Advocate": 5, "Contrarian": 3},
        "Contrarian": {"Advocate": 1, "Analyst": 3},
    }


def test_the_percentage_is_the_share_of_all_points() -> None:
    """E68: 18 of 30."""
    assert agreement_of(FULL).pct == pytest.approx(60.0)


def test_no_scores_give_no_percentage() -> None:
    """E69."""
    assert agreement_of({}) == Agreement()


def test_a_seat_that_failed_is_left_out_but_stays_scored_by_others() -> None:
    """E67 E104."""
    agreement = agreement_of({**FULL, "Contrarian": None})
    assert set(agreement.matrix) == {"Advocate", "Analyst"}
    assert agreement.pct == pytest.approx(70.0)


def test_a_missing_peer_of_a_readable_seat_counts_three_and_is_marked() -> None:
    """E74, 2.2#16."""
    agreement = agreement_of({"Advocate": scored("- Analyst: 5/5", "Advocate")})
    assert agreement.matrix == {"Advocate": {"Analyst": 5, "Contrarian": 3}}
    assert agreement.inferred == (("Advocate", "Contrarian"),)
    assert agreement.pct == pytest.approx(80.0)


def test_a_seat_without_any_readable_score_contributes_nothing() -> None:
    """E67 2.2#16."""
    agreement = agreement_of({**FULL, "Contrarian": scored("none of it", "Contrarian")})
    assert agreement.pct == agreement_of({**FULL, "Contrarian": None}).pct
    assert agreement.unread == ("Contrarian",)
    assert agreement.inferred == ()


def test_a_run_in_which_every_score_is_inferred_has_no_percentage() -> None:
    """2.2#16."""
    assert agreement_of({role: scored("nothing", role) for role in ROLES}).pct is None


def test_a_score_for_oneself_does_not_count() -> None:
    """E67 E69 2.2#16."""
    row = Scores((Score("Analyst", 5, How.CLEAN), Score("Advocate", 1, How.CLEAN)))
    assert agreement_of({"Analyst": row}).matrix == {"Analyst": {"Advocate": 1}}
    assert agreement_of({"Analyst": Scores(row.scores[:1])}) == Agreement()


def test_the_text_holds_the_whole_matrix_and_the_percentage() -> None:
    """E87."""
    assert agreement_of(FULL).matrix_text().splitlines() == [
        "Advocate gave: Analyst 4/5, Contrarian 2/5",
        "Analyst gave: Advocate 5/5, Contrarian 3/5",
        "Contrarian gave: Advocate 1/5, Analyst 3/5",
        "Consensus: 60.0% (18 of 30 points)",
    ]


def test_the_text_marks_what_was_inferred() -> None:
    """E74 2.2#16: beside the score that nobody gave, and beside no other."""
    agreement = agreement_of({**FULL, "Advocate": scored("- Analyst: 5/5", "Advocate")})
    assert "Analyst 5/5, Contrarian 3/5 [SCORE INFERRED]" in agreement.matrix_text()
    assert agreement.matrix_text().count("[SCORE INFERRED]") == 1


def test_without_scores_the_text_says_so() -> None:
    """E115."""
    assert Agreement().matrix_text() == "N/A — scores not available"


def test_it_survives_json() -> None:
    agreement = agreement_of({**FULL, "Analyst": scored("- Advocate: 2/5", "Analyst")})
    assert Agreement.from_dict(json.loads(json.dumps(agreement.to_dict()))) == agreement


@pytest.mark.parametrize(("pct", "text"), [(67.5, "67.5%"), (80.0, "80.0%"), (None, "N/A")])
def test_the_percentage_is_printed_with_one_digit(pct: float | None, text: str) -> None:
    """2.2#41."""
    assert AgreementText.percentage(pct) == text


def test_the_line_counts_the_inferred_and_names_the_unread() -> None:
    """E74, part 4."""
    rows = {"Advocate": scored("- Analyst: 5/5", "Advocate"), "Analyst": scored("no", "Analyst")}
    assert agreement_of(rows).inferred_line() == (
        "[SCORE INFERRED] 1 of 2 scores counted as 3: Advocate for Contrarian; "
        "no readable score, left out: Analyst"
    )


def test_clean_scores_need_no_line() -> None:
    assert agreement_of(FULL).inferred_line() is None


@st.composite
def score_rows(draw: st.DrawFn) -> dict[str, Scores | None]:
    def row(own: str) -> st.SearchStrategy[Scores | None]:
        peers = [role for role in ROLES if role != own]
        one = st.tuples(
            *(st.builds(Score, st.just(p), st.integers(1, 5), st.sampled_from(How)) for p in peers)
        )
        return st.none() | one.map(Scores)

    return {role: draw(row(role)) for role in ROLES}


@settings(deadline=None)
@given(score_rows())
def test_the_percentage_stays_between_a_fifth_and_all(rows: dict[str, Scores | None]) -> None:
    pct = agreement_of(rows).pct
    readable = any(row is not None and row.readable for row in rows.values())
    assert (pct is not None) == readable
    assert pct is None or 20 <= pct <= 100
