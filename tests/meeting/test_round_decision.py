"""What follows a round: another one, or an end with its reason."""

import itertools
from dataclasses import replace

import pytest

from bot.measures.convergence import Convergence, FirstRound, RoundsEnd, StanceResult
from bot.meeting.round_decision import AfterRound, after_round
from bot.panels import SecondRound
from bot.prompting.closing_lines import Stance

A, D, N, U = Stance.AGREE, Stance.DISAGREE, Stance.NEUTRAL, Stance.UNKNOWN
OPEN = AfterRound(
    round=1,
    planned=3,
    stances=(A, D, N),
    early_exit=True,
    convergence=(),
    seated=3,
    speaking=3,
    seconds_left=400,
    round_seconds=80,
)
DIVIDED = FirstRound(sides=((A, 1.0), (D, 1.0)), families=2)
CONVERGED = tuple(Convergence(number, consensus=9, disagreement=1) for number in (1, 2, 3))


def reason_of(**changes: object) -> RoundsEnd | None:
    return after_round(replace(OPEN, **changes)).reason  # type: ignore[arg-type]


def test_an_open_debate_goes_on() -> None:
    """A5, A21."""
    decision = after_round(OPEN)
    assert decision.go_on
    assert (decision.early, decision.text) == (False, "")


@pytest.mark.parametrize(
    ("stances", "result"),
    [
        ((A, A, A), StanceResult.FULL),
        ((A, A, N), StanceResult.MAJORITY),
        ((A, A, U), StanceResult.MAJORITY),
        ((A, A, A, A, N, N), StanceResult.MAJORITY),
    ],
)
@pytest.mark.parametrize("round_number", [1, 2])
def test_agreement_ends_the_rounds_early(
    stances: tuple[Stance, ...], result: StanceResult, round_number: int
) -> None:
    """A6, A19, A20, A22, 2.2#5: after any round."""
    decision = after_round(replace(OPEN, stances=stances, round=round_number))
    assert (decision.reason, decision.stance, decision.early) == (
        RoundsEnd.CONSENSUS,
        result,
        True,
    )


@pytest.mark.parametrize("stances", [(A, A, A, N, N), (A,) * 9 + (D,), (N, N, N), (D, D, N)])
def test_no_consensus_does_not_end_them(stances: tuple[Stance, ...]) -> None:
    """A21-A24."""
    assert reason_of(stances=stances) is None


def test_all_disagreeing_with_the_proposition_is_no_consensus() -> None:
    """A19: consensus is agreement."""
    assert after_round(replace(OPEN, stances=(D, D, D))).stance is StanceResult.NONE


@pytest.mark.parametrize("rule", ["auto", "thrifty", "always"])
def test_all_disagreeing_is_agreement_against_it_and_ends_the_rounds(rule: SecondRound) -> None:
    """2.2#5, issue 24, 4."""
    decision = after_round(replace(OPEN, stances=(D, D, D), second_round=rule, first=DIVIDED))
    assert (decision.reason, decision.early) == (RoundsEnd.CONSENSUS, True)
    assert "agreement against it" in decision.text


def ends(rule: SecondRound, **changes: object) -> RoundsEnd | None:
    return reason_of(second_round=rule, **{"first": DIVIDED, **changes})


@pytest.mark.parametrize(
    ("rule", "reason"),
    [("auto", RoundsEnd.CONSENSUS), ("thrifty", RoundsEnd.CONSENSUS), ("always", None)],
)
def test_unanimous_ballots_need_no_second_round(
    rule: SecondRound, reason: RoundsEnd | None
) -> None:
    """Issue 24, 4: a vote, which has no early exit, always cast two ballots before."""
    vote = {"votes": True, "early_exit": False}
    assert ends(rule, stances=(A, A, A), **vote) is reason
    assert ends("auto", stances=(A, A, N), **vote) is None
    assert ends("auto", stances=(A, A, D), **vote) is None


@pytest.mark.parametrize("rule", ["auto", "thrifty"])
@pytest.mark.parametrize("stances", [(A, A, A), (D, D, D), (A, N, N)])
def test_a_panel_that_distrusts_agreement_holds_it(
    rule: SecondRound, stances: tuple[Stance, ...]
) -> None:
    """2.2#5: a red team, whatever the rule."""
    assert ends(rule, stances=stances, early_exit=False, first=FirstRound()) is None


@pytest.mark.parametrize("rule", ["auto", "thrifty", "always"])
@pytest.mark.parametrize("stances", [(A, A, A), (D, D, D), (A, A, N)])
@pytest.mark.parametrize("votes", [True, False])
def test_whoever_asks_for_two_rounds_gets_two(
    rule: SecondRound, stances: tuple[Stance, ...], votes: bool
) -> None:
    """2.2#5, issue 24, 4: and the third is not promised."""
    asked: dict[str, object] = {"promised": 2, "votes": votes, "stances": stances}
    assert ends(rule, first=FirstRound(), **asked) is None
    assert ends(rule, round=2, **asked) is RoundsEnd.CONSENSUS


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"families": 1}, RoundsEnd.ONE_FAMILY),
        ({"same_evidence": False}, RoundsEnd.OWN_EVIDENCE),
        ({"sides": ((A, 1.0), (A, 1.0))}, RoundsEnd.NO_DISPUTE),
        ({"sides": ()}, RoundsEnd.NO_DISPUTE),
        ({"sides": ((A, 1.0), (D, 0.2))}, RoundsEnd.NO_DISPUTE),
    ],
)
def test_thrift_holds_a_second_round_only_where_it_can_pay(
    changes: dict[str, object], reason: RoundsEnd | None
) -> None:
    """Issue 24, 4: several families, the same evidence, a real dispute."""
    first = replace(DIVIDED, **changes)  # type: ignore[arg-type]
    assert ends("thrifty", first=first) is reason
    assert ends("thrifty", first=first, votes=True, early_exit=False) is reason
    assert ends("auto", first=first) is None
    assert ends("thrifty", first=first, round=2) is None


@pytest.mark.parametrize(
    ("against", "seats", "divided"),
    [(1, 3, True), (1, 4, True), (1, 5, True), (1, 6, False), (2, 7, True)],
)
def test_a_fifth_of_the_weight_is_a_real_dispute(against: int, seats: int, divided: bool) -> None:
    sides = ((A, 1.0),) * (seats - against) + ((D, 1.0),) * against
    assert FirstRound(sides).divided is divided


def test_copies_of_one_model_do_not_outnumber_another() -> None:
    """Issue 24, 1: four seats of one model are one voice, so one against them is a dispute."""
    assert FirstRound((*((A, 0.25),) * 4, (D, 1.0))).divided


@pytest.mark.parametrize(("rule", "told"), [("auto", True), ("thrifty", True), ("always", False)])
def test_one_family_is_told_what_a_second_round_is_worth(rule: SecondRound, told: bool) -> None:
    """Issue 24, 4: where it holds one, of itself or because somebody asked."""
    decision = after_round(
        replace(OPEN, second_round=rule, promised=2, first=replace(DIVIDED, families=1))
    )
    assert decision.go_on
    assert decision.text.startswith("All panelists are models of one family.") is told
    assert after_round(replace(OPEN, second_round=rule, first=DIVIDED)).text == ""


@pytest.mark.parametrize("stances", [(A, A, A), (A, A, N), (A, D, N)])
@pytest.mark.parametrize("history", [(), CONVERGED])
@pytest.mark.parametrize("round_number", [1, 2])
def test_a_panel_without_early_exit_holds_every_planned_round(
    stances: tuple[Stance, ...], history: tuple[Convergence, ...], round_number: int
) -> None:
    """2.2#5: redteam distrusts agreement, vote needs its second ballot."""
    state = replace(
        OPEN, early_exit=False, stances=stances, convergence=history, round=round_number
    )
    assert after_round(state).go_on


@pytest.mark.parametrize(
    ("stances", "history", "round_number", "early_exit"),
    list(
        itertools.product(
            [(A, A, A), (A, A, N), (A, D, N), (D, D, D)], [(), CONVERGED], [1, 2, 3], [True, False]
        )
    ),
)
def test_the_last_planned_round_always_ends_them(
    stances: tuple[Stance, ...],
    history: tuple[Convergence, ...],
    round_number: int,
    early_exit: bool,
) -> None:
    """A5, A7 E108: with or without consensus, also where one seat is left."""
    decision = after_round(
        replace(
            OPEN,
            stances=stances,
            convergence=history,
            round=round_number,
            planned=round_number,
            early_exit=early_exit,
        )
    )
    assert (decision.reason, decision.early) == (RoundsEnd.LAST_ROUND, False)
    alone = replace(OPEN, round=round_number, planned=round_number, speaking=1)
    assert after_round(alone).reason is RoundsEnd.LAST_ROUND


def test_convergence_ends_them_from_round_two_on() -> None:
    """2.2#5, C22."""
    assert reason_of(convergence=CONVERGED, round=1) is None
    assert reason_of(convergence=CONVERGED, round=2) is RoundsEnd.CONVERGED


def test_a_round_without_findings_does_not_end_them() -> None:
    """2.2#7."""
    assert reason_of(convergence=(Convergence(2),), round=2) is None


def test_consensus_is_named_before_convergence() -> None:
    """2.2#4: the measures are not mixed."""
    assert reason_of(stances=(A, A, A), convergence=CONVERGED, round=2) is RoundsEnd.CONSENSUS


@pytest.mark.parametrize(
    ("seconds_left", "reason"), [(80, None), (79.9, RoundsEnd.NO_TIME), (0, RoundsEnd.NO_TIME)]
)
def test_round_three_starts_only_if_it_fits(seconds_left: float, reason: RoundsEnd | None) -> None:
    """A30, A31, 2.2#22."""
    assert reason_of(round=2, seconds_left=seconds_left) is reason


@pytest.mark.parametrize(("seconds_left", "reason"), [(1, None), (0, RoundsEnd.NO_TIME)])
def test_round_two_starts_while_any_time_is_left(
    seconds_left: float, reason: RoundsEnd | None
) -> None:
    """A30, A31, 2.2#22."""
    assert reason_of(round=1, seconds_left=seconds_left) is reason


def test_the_overall_limit_ends_the_rounds_of_any_panel() -> None:
    """A30."""
    assert reason_of(early_exit=False, seconds_left=-5) is RoundsEnd.NO_TIME


@pytest.mark.parametrize(
    ("seated", "speaking", "reason"),
    [
        (4, 0, RoundsEnd.NOBODY_LEFT),
        (4, 1, RoundsEnd.PEERS_FAILED),
        (1, 1, RoundsEnd.ALONE),
        (4, 2, None),
    ],
)
def test_a_debate_needs_two(seated: int, speaking: int, reason: RoundsEnd | None) -> None:
    """E107, E108, E112."""
    assert reason_of(seated=seated, speaking=speaking) is reason


def test_the_timed_out_count_in_the_denominator() -> None:
    """A18, 2.2#23: two of four agree, two timed out."""
    assert reason_of(stances=(A, A, N, N), seated=4, speaking=2) is None


def test_one_panelist_agreeing_with_itself_is_not_called_consensus() -> None:
    """E108."""
    assert reason_of(stances=(A,), seated=1, speaking=1) is RoundsEnd.ALONE


@pytest.mark.parametrize(
    "changes",
    [
        {"speaking": 0},
        {"planned": 1},
        {"speaking": 1},
        {"seated": 1, "speaking": 1},
        {"stances": (A, A, A)},
        {"stances": (A, A, N)},
        {"round": 2, "convergence": CONVERGED},
        {"seconds_left": 0},
    ],
)
def test_every_end_is_told_in_a_sentence(changes: dict[str, object]) -> None:
    text = after_round(replace(OPEN, **changes)).text  # type: ignore[arg-type]
    assert text.endswith(".")
