"""What ballots weigh, how many opinions a panel is worth, and how sure a vote is."""

import json
import math
import random
from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.measures.tally import Tally
from bot.measures.worth import (
    Experience,
    PanelWorth,
    curve_of,
    recalibrated,
    seat_weights,
    skills_of,
)
from bot.prompting.closing_lines import Ballot

SKILLS = st.floats(0, 1)
CONFIDENCE = st.none() | st.integers(0, 100)
OPTIONS = ("tea", "coffee", "water")
ROLES = ("Ada", "Bo", "Cy", "Di", "Ed")
BALLOTS = st.dictionaries(
    st.sampled_from(ROLES),
    st.none() | st.builds(Ballot, st.sampled_from(OPTIONS), CONFIDENCE),
    min_size=1,
)
PANELS = st.dictionaries(st.sampled_from(ROLES), st.sampled_from("abc"), min_size=1)


def worth(models: Mapping[str, str], **more: object) -> PanelWorth:
    found = PanelWorth.of(models, models, {}, **more)  # type: ignore[arg-type]
    assert found
    return found


def panel(size: int) -> dict[str, str]:
    return {f"m{n}": f"m{n}" for n in range(size)}


def test_unknown_skill_for_all_means_equal_weights() -> None:
    assert skills_of({"a": None, "b": None}) == {}
    assert seat_weights({"Ada": "a", "Bo": "b"}, {}) == (("Ada", 1.0), ("Bo", 1.0))


def test_a_model_of_unknown_skill_counts_as_the_others_do_on_average() -> None:
    assert skills_of({"a": 0.9, "b": 0.7, "c": None})["c"] == pytest.approx(0.8)


def test_resolved_decisions_move_a_skill_like_forty_that_were_there_before() -> None:
    found = skills_of({"a": 0.5, "b": 0.8}, {"a": (40, 40)})
    assert found == pytest.approx({"a": 0.75, "b": 0.8})


def test_without_a_word_of_the_admin_a_newcomer_starts_where_the_panel_stands() -> None:
    found = skills_of({"a": None, "b": None}, {"a": (30, 40)})
    assert found == pytest.approx({"a": 0.75, "b": 0.75})


@given(st.dictionaries(st.sampled_from("abcd"), st.none() | SKILLS, min_size=1), st.data())
def test_a_skill_stays_a_share(skills: dict[str, float | None], data: st.DataObject) -> None:
    counts = st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
    decided = {model: data.draw(counts) for model in skills}
    assert all(-1e-9 <= skill <= 1 + 1e-9 for skill in skills_of(skills, decided).values())


@given(PANELS, st.fixed_dictionaries(dict.fromkeys("abc", SKILLS)))
def test_seats_of_one_model_share_its_vote(
    models: dict[str, str], skills: dict[str, float]
) -> None:
    """The issue, 1: weight exp(12 (skill - best)), k seats of one model get 1/k of it each."""
    weights = dict(seat_weights(models, skills))
    best = max(skills[model] for model in models.values())
    for model in set(models.values()):
        own = [weights[role] for role in models if models[role] == model]
        assert sum(own) == pytest.approx(math.exp(12 * (skills[model] - best)))
        assert len(set(own)) == 1


@given(BALLOTS, st.fixed_dictionaries(dict.fromkeys(ROLES, st.floats(0.01, 1))))
def test_the_plain_count_is_the_same_whatever_the_weights(
    ballots: dict[str, Ballot | None], weights: dict[str, float]
) -> None:
    plain = Tally.of(1, OPTIONS, ballots)
    weighed = Tally.of(1, OPTIONS, ballots, tuple(weights.items()))
    assert weighed.counts == plain.counts
    assert weighed.most_voted == plain.winners
    assert weighed.by_weight == (set(weighed.winners) != set(plain.winners))
    assert weighed.leader is None or weighed.leader in weighed.winners
    assert weighed.without_weights().winners == weighed.winners


@given(BALLOTS)
def test_confidence_never_overrules_a_count(ballots: dict[str, Ballot | None]) -> None:
    """The issue, 1: it breaks ties only."""
    tally = Tally.of(1, OPTIONS, ballots)
    if len(tally.most_voted) == 1:
        assert tally.leader == tally.most_voted[0]


@given(BALLOTS, st.fixed_dictionaries(dict.fromkeys(ROLES, st.floats(0.01, 1))))
def test_how_sure_is_never_more_than_the_supporters_say(
    ballots: dict[str, Ballot | None], weights: dict[str, float]
) -> None:
    """The issue, 3: a share times a mean, never a model's own number alone."""
    tally = Tally.of(1, OPTIONS, ballots, tuple(weights.items()))
    if tally.sure is not None:
        stated = [b.confidence for b in ballots.values() if b and b.confidence is not None]
        assert 0 <= tally.sure <= max(stated) / 100 + 1e-9


def test_how_sure_is_share_times_mean_confidence() -> None:
    cast = {"Ada": Ballot("tea", 90), "Bo": Ballot("tea", 70), "Cy": Ballot("coffee", 99)}
    assert Tally.of(1, OPTIONS, {**cast, "Di": None}).sure == pytest.approx(0.5 * 0.8)
    assert Tally.of(1, OPTIONS, cast, (("Cy", 0.5),)).sure == pytest.approx(0.8 * 0.8)
    assert Tally.of(1, OPTIONS, {"Ada": Ballot("tea")}).sure is None
    assert Tally.of(1, OPTIONS, {"Ada": None}).sure is None


def test_ties_are_said_honestly() -> None:
    """The issue, 1: a tie stays one where confidence points to a side; where not, nobody leads."""
    tied = Tally.of(1, OPTIONS, {"Ada": Ballot("tea", 60), "Bo": Ballot("coffee", 90)})
    assert (tied.winners, tied.leader) == (("tea", "coffee"), "coffee")
    assert tied.verdict == (
        "A tie between tea and coffee with 1 vote each; only stated confidence puts coffee ahead."
    )
    silent = Tally.of(1, OPTIONS, {"Ada": Ballot("tea"), "Bo": Ballot("coffee", 90)})
    assert (silent.leader, silent.sure) == (None, None)
    assert silent.verdict == "A tie between tea and coffee with 1 vote each."


def test_a_tie_by_weight_tells_both_counts() -> None:
    models = {"Ada": "a", "Bo": "b", "Cy": "b"}
    ballots = {"Ada": Ballot("tea", 80), "Bo": Ballot("coffee", 80), "Cy": Ballot("coffee", 80)}
    tally = Tally.of(1, OPTIONS, ballots, seat_weights(models, {}))
    assert tally.verdict == "A tie by weight between coffee (2 votes) and tea (1 vote)."


@given(st.integers(1, 8), st.sampled_from(OPTIONS))
def test_a_panel_of_copies_is_worth_one(size: int, model: str) -> None:
    """The issue: simulated panels."""
    found = worth({f"seat {n}": model for n in range(size)})
    assert found.votes == pytest.approx(1.0)
    assert found.models == 1


@given(PANELS, st.fixed_dictionaries(dict.fromkeys("abc", SKILLS)))
def test_a_panel_is_worth_at_least_one_and_at_most_its_models(
    models: dict[str, str], skills: dict[str, float]
) -> None:
    found = PanelWorth.of(models, models, skills)
    assert found
    assert 1 - 1e-9 <= found.votes <= found.models + 1e-9


def test_before_any_decision_is_resolved_half_is_assumed() -> None:
    found = worth(panel(4))
    assert (found.correlation, found.resolved) == (0.5, 0)
    assert found.votes == pytest.approx(4 / 2.5)


def test_nobody_is_worth_nothing() -> None:
    assert PanelWorth.of({}, {}, {}) is None


def simulated(chance: random.Random, size: int, skill: float, rho: float) -> list[dict[str, bool]]:
    """A hundred decisions of models that are right as often as `skill`, correlated by `rho`."""
    decisions = []
    for _ in range(100):
        together = chance.random() < skill if chance.random() < rho else None
        decisions.append(
            {m: chance.random() < skill if together is None else together for m in panel(size)}
        )
    return decisions


@settings(max_examples=40, deadline=None)
@given(
    size=st.integers(2, 7),
    skill=st.floats(0.55, 0.85),
    rho=st.floats(0.4, 0.95),
    seed=st.integers(0, 10_000),
)
def test_after_a_hundred_decisions_the_worth_of_a_simulated_panel_is_known(
    size: int, skill: float, rho: float, seed: int
) -> None:
    """The issue: within 0.2 of the truth, on the average of servers.

    Below a correlation of 0.4, which no panel of the benchmark has, what was assumed before still
    pulls a hundred decisions toward 0.5.
    """
    chance = random.Random(seed)
    servers = 40
    found = [
        worth(panel(size), experience=Experience(tuple(simulated(chance, size, skill, rho)))).votes
        for _ in range(servers)
    ]
    assert sum(found) / servers == pytest.approx(size / (1 + (size - 1) * rho), abs=0.2)


def within_reach(size: int, skill: float, rho: float, servers: int = 60) -> float:
    """The share of servers whose figure is within 0.2 of the truth after a hundred decisions."""
    chance = random.Random(f"{size} {skill} {rho}")
    truth = size / (1 + (size - 1) * rho)
    found = (
        worth(panel(size), experience=Experience(tuple(simulated(chance, size, skill, rho)))).votes
        for _ in range(servers)
    )
    return sum(abs(votes - truth) <= 0.2 for votes in found) / servers


def test_most_single_servers_know_what_their_panel_is_worth() -> None:
    """The issue: not on the average alone, from the correlation on that real panels have.

    At least nine of ten servers over all panels, and two of three on the worst of them.
    """
    shares = [
        within_reach(size, skill, rho)
        for size in (2, 4, 7)
        for skill in (0.55, 0.85)
        for rho in (0.5, 0.7, 0.95)
    ]
    assert sum(shares) / len(shares) >= 0.9
    assert min(shares) >= 2 / 3


def test_weakly_correlated_models_are_undervalued() -> None:
    """What does not hold: below 0.4 the assumption of 0.5 outweighs a hundred decisions."""
    found = [
        worth(
            panel(7), experience=Experience(tuple(simulated(random.Random(seed), 7, 0.7, 0.2)))
        ).votes
        for seed in range(20)
    ]
    assert sum(found) / len(found) < 7 / (1 + 6 * 0.2) - 0.2


def test_models_that_never_differ_are_measured_as_one() -> None:
    alike = [dict.fromkeys(panel(3), right) for right in [True, False] * 500]
    found = worth(panel(3), experience=Experience(tuple(alike)))
    assert found.resolved == 1000
    assert found.votes == pytest.approx(1.0, abs=0.05)


@given(st.floats(0, 1), st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=99))
def test_fewer_than_a_hundred_decisions_correct_nothing(
    sure: float, resolved: list[tuple[float, bool]]
) -> None:
    """The issue, 3."""
    assert recalibrated(sure, curve_of(resolved)) == sure


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=100, max_size=150))
def test_a_correction_keeps_the_order_and_stays_a_share(
    resolved: list[tuple[float, bool]],
) -> None:
    curve = curve_of(resolved)
    found = [recalibrated(sure / 10, curve) for sure in range(11)]
    assert all(0 <= share <= 1 for share in found)
    assert all(a <= b + 1e-9 for a, b in pairwise(found))


def test_a_panel_that_was_too_sure_is_corrected() -> None:
    """The issue, 3: of those that said 90 % six in ten were right."""
    resolved = [(0.9, n % 10 < 6) for n in range(300)]
    assert recalibrated(0.9, curve_of(resolved)) == pytest.approx(0.6, abs=0.05)
    right = [(0.6, n % 10 < 6) for n in range(300)]
    assert recalibrated(0.6, curve_of(right)) == pytest.approx(0.6, abs=0.02)


def test_experience_is_of_the_models_asked_for_and_survives_being_frozen() -> None:
    """The issue, 1 and 3: counts by model, and a curve from a hundred votes on."""
    votes = [({"a": n % 4 > 0, "b": n % 2 > 0, "z": True}, 0.9, n % 10 < 6) for n in range(100)]
    found = Experience.of(votes, {"a", "b"})
    assert found.decided == {"a": (75, 100), "b": (50, 100)}
    assert found.judged == 100
    assert recalibrated(0.9, found.curve) == pytest.approx(0.6, abs=0.05)
    kept = json.loads(json.dumps(found.freeze()))
    assert len(kept["history"]) == 3, "votes that went alike are counted"
    again = Experience.frozen(kept)
    assert (again.decided, again.judged) == (found.decided, 100)
    assert again.curve == pytest.approx(found.curve)
    few = Experience.of(votes[:99], {"a"})
    assert (few.curve, few.judged) == (None, 0)
    assert Experience.frozen({}) == Experience()
