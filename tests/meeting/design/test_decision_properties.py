"""Whatever analysts recommend, the decision keeps to the rules."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.meeting.design.decision import AnalystVote, decide
from bot.meeting.design.seating import is_taken
from bot.panels.names import role_fault
from bot.prompting.meta import DesignProposal, SeatProposal, parse_design_proposal
from bot.prompting.text import is_plain
from tests.meeting.design.sample_designs import HAIKU, rules

RULES = rules()
NAMES = [*RULES.names.known, "gpt-9", "claude-opus-4-6", "", "[x]"]
SEATS = st.builds(
    SeatProposal,
    stage=st.integers(-1, 9),
    model=st.sampled_from(NAMES) | st.text(max_size=5),
    role=st.sampled_from(["Analyst", "analyst", "everyone", "分析2", "批評2", "㌖" * 40])
    | st.text(max_size=90),
    task=st.text(max_size=5),
)
DESIGNS = st.builds(
    DesignProposal,
    workflow=st.sampled_from([None, "parallel_debate", "sequential", "hybrid", "relay"]),
    stages=st.lists(SEATS, max_size=16).map(tuple),
    rounds=st.none() | st.integers(-5, 50),
    synthesis_model=st.none() | st.sampled_from(NAMES) | st.text(max_size=5),
    proposition=st.text(max_size=30),
    assessment=st.just(""),
    reasoning=st.just(""),
    anti_pattern=st.just(""),
)
VOTES = st.lists(
    st.builds(AnalystVote, st.text(max_size=5), st.none() | DESIGNS, st.text(max_size=5)),
    max_size=6,
)
SUBSETS = st.sets(st.sampled_from(sorted(RULES.usable))).map(frozenset)


@settings(max_examples=100, deadline=None)
@given(VOTES, SUBSETS, SUBSETS, SUBSETS, st.integers(1, 16), st.integers(1, 3))
def test_a_decision_never_breaks_the_rules(
    votes: list[AnalystVote],
    allowlist: frozenset[str],
    premium: frozenset[str],
    usable: frozenset[str],
    max_seats: int,
    max_rounds: int,
) -> None:
    """E43-E46, E51."""
    under = replace(
        RULES,
        allowlist=allowlist | {"grok", HAIKU},
        premium=premium | {HAIKU},
        usable=usable | {"grok", HAIKU},
        max_seats=max_seats,
        max_rounds=max_rounds,
    )
    decision = decide(votes, under)
    if decision is None:
        return
    first = [seat for seat in decision.seats if seat.stage == 1]
    second = [seat for seat in decision.seats if seat.stage == 2]
    permitted = (under.allowlist & under.usable) - {HAIKU}
    assert {seat.model for seat in decision.seats} <= permitted
    assert 2 <= len(first) <= max_seats
    assert len(second) <= {"sequential": 3, "hybrid": 2}.get(decision.workflow, 0)
    assert bool(second) is (decision.workflow != "parallel_debate")
    assert decision.workflow != "hybrid" or {seat.model for seat in second} <= under.premium
    assert 1 <= decision.rounds <= max_rounds
    seated = {seat.model for seat in decision.seats}
    assert decision.synthesis is None or decision.synthesis in (permitted & under.premium) - seated


@settings(max_examples=100, deadline=None)
@given(VOTES)
def test_roles_are_valid_and_unlike_each_other(votes: list[AnalystVote]) -> None:
    decision = decide(votes, RULES)
    seated: list[str] = []
    for seat in decision.seats if decision else ():
        assert role_fault(seat.role) is None
        assert is_plain(seat.role)
        assert not is_taken(seat.role, seated)
        seated.append(seat.role)


@settings(max_examples=50, deadline=None)
@given(VOTES)
def test_the_same_votes_give_the_same_decision(votes: list[AnalystVote]) -> None:
    assert decide(votes, RULES) == decide(list(votes), RULES)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=300).map(parse_design_proposal), max_size=4))
def test_no_parsed_text_makes_it_raise(designs: list[DesignProposal]) -> None:
    decide([AnalystVote("A", design) for design in designs], RULES)
