"""The analysts' designs become one decision."""

import pytest

from bot.meeting.design.decision import AnalystVote, Decision, decide, votes_summary
from bot.prompting.meta import parse_design_proposal
from tests.meeting.design.sample_designs import DEBATE, HAIKU, decided, design, panel, rules, vote
from tests.prompting.sample_texts import DESIGN

INTEGRATOR = panel("mistral-large=Integrator", stage=2)


def models(decision: Decision, stage: int = 1) -> list[str]:
    return [seat.model for seat in decision.seats if seat.stage == stage]


def roles(decision: Decision) -> list[str]:
    return [seat.role for seat in decision.seats]


def test_the_majority_gives_the_workflow() -> None:
    """E41."""
    hybrid = design(*DEBATE, *INTEGRATOR, workflow="hybrid")
    assert decided(hybrid, hybrid, design()).workflow == "hybrid"
    assert decided(hybrid, design(), design()).workflow == "parallel_debate"


def test_a_tie_gives_hybrid() -> None:
    """E41."""
    decision = decided(design(*DEBATE, *INTEGRATOR, workflow="sequential"), design())
    assert decision.workflow == "hybrid"
    assert any("tied" in note for note in decision.notes)


def test_an_unreadable_workflow_is_not_a_vote() -> None:
    """E41."""
    sequential = design(*DEBATE, *INTEGRATOR, workflow="sequential")
    assert (
        decided(design(workflow=None), design(workflow=None), sequential).workflow == "sequential"
    )


def test_without_any_readable_workflow_it_is_a_parallel_debate() -> None:
    """E41."""
    assert decided(design(workflow=None)).workflow == "parallel_debate"


def test_the_most_recommended_model_takes_each_position() -> None:
    """E42: of whatever tier."""
    swapped = panel("claude-opus=Advocate", "grok-mid=Sceptic", "gemini-pro=Counter")
    assert models(decided(design(), design(*swapped), design(*swapped))) == [
        "claude-opus",
        "grok-mid",
        "gemini-pro",
    ]


def test_a_tie_at_a_position_goes_to_the_earlier_analyst() -> None:
    """E42."""
    other = panel("grok=Rebel", "gpt=Sceptic", "gemini-pro=Counter")
    assert models(decided(design(*other), design()))[0] == "grok"


def test_in_stage_2_the_most_recommended_model_sits_too_and_its_own_role_with_it() -> None:
    """E42: position by position; what comes after stage 2 is part of it."""
    first = panel("mistral-large=Integrator", "claude-opus=Reviewer", stage=2)
    others = panel("grok=Judge", "claude-opus=Checker", stage=2)
    later = panel("grok=Judge", "claude-opus=Checker", stage=3)
    seats = ((*DEBATE, *stage) for stage in (first, others, later))
    decision = decided(*(design(*own, workflow="hybrid") for own in seats))
    assert [(seat.model, seat.role) for seat in decision.seats if seat.stage == 2] == [
        ("grok", "Judge"),
        ("claude-opus", "Reviewer"),
    ]


def test_as_many_seats_as_the_middle_analyst_wants_and_no_gap_where_one_wants_fewer() -> None:
    """E42: of designs with two, two and four seats two are taken; of two, three, three three."""
    two, four = DEBATE[:2], (*DEBATE, *panel("mistral-large=Fourth"))
    assert models(decided(design(*two), design(*two), design(*four))) == ["claude-opus", "gpt"]
    three = models(decided(design(*two), design(), design()))
    assert three == ["claude-opus", "gpt", "gemini-pro"]


def test_a_model_is_seated_once_while_another_was_recommended() -> None:
    """E42."""
    first = panel("claude-opus=One", "gpt=Two")
    second = panel("claude-opus=One", "claude-opus=Two")
    assert models(decided(design(*second), design(*second), design(*first))) == [
        "claude-opus",
        "gpt",
    ]


def test_a_model_sits_twice_when_nothing_else_was_recommended() -> None:
    """E21: one usable model still makes a panel."""
    decision = decided(design(*panel("grok=Advocate", "grok=Sceptic")))
    assert (models(decision), roles(decision)) == (["grok", "grok"], ["Advocate", "Sceptic"])


@pytest.mark.parametrize("name", ["opus", "OPUS", "claude-opus-4-6", "claude-opus-5-5", "opus-4.6"])
def test_aliases_and_wire_ids_mean_the_model(name: str) -> None:
    """E42: votes for one model under two names are votes for one."""
    votes = (design(*panel(f"{one}=Lead", "gpt=Sceptic")) for one in ("grok", "claude-opus", name))
    assert models(decided(*votes))[0] == "claude-opus"
    assert models(decided(design(*panel(f"{name}=Advocate", "grok=Sceptic"))))[0] == "claude-opus"


def test_a_model_outside_the_allowlist_gives_way_to_the_next() -> None:
    """E43, E91."""
    allowed = rules().allowlist - {"claude-opus"}
    other = panel("grok=Rebel", "gpt=Sceptic", "gemini-pro=Counter")
    decision = decided(design(), design(), design(*other), under=rules(allowlist=allowed))
    assert models(decision)[0] == "grok"
    assert "claude-opus was skipped. Add claude-opus to allowlist in panels.json" in (
        decision.notes
    )


def test_a_position_nobody_valid_was_named_for_is_dropped() -> None:
    """E43."""
    unknown = panel("gpt-9=Oracle", "claude-opus=Advocate", "grok=Sceptic", "gemini-pro=Judge")
    decision = decided(design(*unknown))
    assert models(decision) == ["claude-opus", "grok", "gemini-pro"]
    assert "gpt-9 was skipped: there is no model with this name" in decision.notes


def test_an_unusable_model_gives_way_to_the_next() -> None:
    """E43."""
    usable = rules().usable - {"claude-opus"}
    decision = decided(design(), under=rules(usable=usable))
    assert models(decision) == ["gpt", "gemini-pro"]


@pytest.mark.parametrize("name", [HAIKU, "haiku", "claude-haiku-4-5"])
def test_the_orchestrators_model_never_sits(name: str) -> None:
    """E44, under any of its names, even when allowed."""
    under = rules(allowlist=rules().allowlist | {HAIKU}, premium=rules().premium | {HAIKU})
    seats = panel(f"{name}=Boss", "grok=Sceptic", "gemini-pro=Judge")
    decision = decided(design(*seats, synthesis=name), under=under)
    assert HAIKU not in [*models(decision), decision.synthesis]


@pytest.mark.parametrize(
    ("named", "rounds"),
    [([1, 2], 2), ([1, 2, 3], 2), ([1, 1, 2, 2], 2), ([3, 3, 1], 3), ([None, 1], 1), ([None], 2)],
)
def test_rounds_are_the_median_rounded_up(named: list[int | None], rounds: int) -> None:
    """E45, 2.2#1."""
    assert decided(*(design(rounds=number) for number in named)).rounds == rounds


def test_rounds_stay_under_the_cap() -> None:
    """E45."""
    assert decided(design(rounds=3), under=rules(max_rounds=2)).rounds == 2
    assert decided(design(rounds=9)).rounds == 3


def test_the_most_recommended_premium_model_off_the_panel_concludes() -> None:
    """E46: more named a model that sits, and one that is not premium; two names mean one model."""
    writers = [*["claude-opus"] * 2, *["claude-sonnet"] * 3, "grok", "mistral", "mistral-large"]
    decision = decided(*(design(synthesis=name) for name in writers))
    assert decision.synthesis == "mistral-large"


def test_without_such_a_model_the_writer_is_left_open() -> None:
    """2.2#19."""
    decision = decided(design(synthesis="claude-opus"), design(synthesis=None))
    assert decision.synthesis is None
    assert decision.line.endswith("Synthesis: default.")


def test_a_writer_who_sits_in_stage_2_does_not_conclude() -> None:
    """E46."""
    assert decided(design(*DEBATE, *INTEGRATOR, workflow="hybrid")).synthesis is None


def test_the_line_tells_the_design() -> None:
    """E47."""
    decision = decided(design(*DEBATE, *INTEGRATOR, workflow="sequential", synthesis="grok"))
    assert decision.line == (
        "Meta-panel designed workflow: sequential. Stages: 2. "
        "Panel: claude-opus, gpt, gemini-pro, mistral-large. Synthesis: grok."
    )
    assert decision.stages == 2


@pytest.mark.parametrize(
    "votes",
    [
        (),
        vote(None, None, None, None),
        vote(parse_design_proposal("I would rather not.")),
        vote(design(*panel("claude-opus=Alone"))),
        vote(design(*panel("gpt-9=One", "gpt-8=Two"))),
    ],
)
def test_no_panel_of_two_is_no_decision(votes: tuple[AnalystVote, ...]) -> None:
    """E48."""
    assert decide(votes, rules()) is None


def test_failed_analysts_do_not_matter_while_one_answers() -> None:
    """E48."""
    assert models(decided(None, None, design(), None)) == [seat.model for seat in DEBATE]


def test_the_documented_answer_is_a_decision() -> None:
    """E39."""
    assert decided(parse_design_proposal(DESIGN)).seats


def test_a_parallel_debate_has_no_stage_2() -> None:
    """E49."""
    assert decided(design(*DEBATE, *INTEGRATOR), design()).stages == 1


def test_stage_2_of_a_sequence_has_at_most_three_seats() -> None:
    """E50."""
    second = panel("grok=A1", "mistral=B1", "claude-sonnet=C1", "gpt=D1", stage=2)
    decision = decided(design(*DEBATE, *second, workflow="sequential"))
    assert models(decision, 2) == ["grok", "mistral-large", "claude-sonnet"]


def test_stage_2_of_a_hybrid_has_at_most_two_premium_seats() -> None:
    """E42 E51: a model that is not premium is no choice there, whoever recommends it."""
    second = panel("claude-sonnet=A1", "grok=B1", "mistral=C1", "gpt=D1", stage=2)
    decision = decided(design(*DEBATE, *second, workflow="hybrid"))
    assert models(decision, 2) == ["grok", "mistral-large"]


def test_a_hybrid_without_a_premium_model_for_stage_2_becomes_a_debate() -> None:
    """E51."""
    second = panel("claude-sonnet=Integrator", stage=2)
    decision = decided(design(*DEBATE, *second, workflow="hybrid"))
    assert (decision.workflow, decision.stages) == ("parallel_debate", 1)
    assert any("stage 2" in note for note in decision.notes)


def test_a_third_stage_belongs_to_the_second() -> None:
    third = panel("grok=Editor", stage=3)
    decision = decided(design(*DEBATE, *INTEGRATOR, *third, workflow="sequential"))
    assert models(decision, 2) == ["mistral-large", "grok"]


def test_the_panel_is_as_large_as_the_middle_analyst_wants() -> None:
    """E42."""
    large = panel(*(f"{m}=Role {m}" for m in ("claude-opus", "grok", "gpt", "gemini-pro")))
    small = panel("claude-opus=One", "gpt=Two")
    assert len(decided(design(*small), design(*small), design(*large)).seats) == 2
    assert len(decided(design(*small), design(*large), design(*large)).seats) == 4


def test_a_panel_has_at_least_two_seats_even_if_most_want_one() -> None:
    one = panel("claude-opus=Alone")
    assert len(decided(design(*one), design(*one), design()).seats) == 2


def test_stage_1_stays_under_the_seat_limit() -> None:
    assert len(decided(design(), under=rules(max_seats=2)).seats) == 2


def test_the_role_and_task_come_from_the_analyst_who_named_the_model() -> None:
    """E42."""
    other = panel("grok=Rebel", "gpt=Sceptic")
    decision = decided(design(*other), design(*panel("opus=Guide", "gpt=Sceptic")), design())
    assert (decision.seats[0].role, decision.seats[0].task) == ("Guide", "Guide works")


def test_a_role_discord_refuses_is_replaced_by_another_analysts() -> None:
    bad = panel("claude-opus=Discord Guru", "gpt=Sceptic")
    assert roles(decided(design(*bad), design(*bad), design()))[0] == "Advocate"


def test_without_any_valid_role_the_seat_has_a_neutral_one() -> None:
    bad = panel("claude-opus=everyone", "gpt=here")
    assert roles(decided(design(*bad))) == ["Panelist", "Panelist B"]


def test_equal_roles_get_letters_across_stages() -> None:
    seats = panel("claude-opus=Analyst", "gpt=analyst")
    second = panel("grok=ANALYST", stage=2)
    decision = decided(design(*seats, *second, workflow="sequential"))
    assert roles(decision) == ["Analyst", "analyst B", "ANALYST C"]


@pytest.mark.parametrize("bad", ["", "Should the queue move?", "<one sentence>", "Yes.", "a " * 90])
def test_the_first_valid_proposition_is_taken(bad: str) -> None:
    """2.2#6."""
    decision = decided(design(proposition=bad), design(proposition="Postgres is the better queue."))
    assert decision.proposition == "Postgres is the better queue."


def test_without_a_valid_proposition_there_is_none() -> None:
    assert decided(design(proposition="")).proposition is None


def test_the_summary_keeps_every_analysts_vote() -> None:
    """E93: meta_panel_recommendation."""
    hybrid = design(*DEBATE[:2], *INTEGRATOR, workflow="hybrid", rounds=None, synthesis=None)
    unreadable = parse_design_proposal("no idea")
    assert votes_summary(vote(design(), hybrid, None, unreadable)) == (
        "Analyst A: parallel_debate; claude-opus, gpt, gemini-pro; 2 rounds; "
        "synthesis mistral-large. "
        "Analyst B: hybrid; claude-opus, gpt then mistral-large; ? rounds; synthesis ?. "
        "Analyst C: no design (timeout after 90 s). "
        "Analyst D: no readable panel."
    )
