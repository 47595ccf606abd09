"""Posting order: fixed, random, priority or as ready."""

from bot.measures.speech_order import post_order
from bot.types.mode import SpeechOrder

ROLES = ("Advocate", "Analyst", "Contrarian", "Critic", "Judge")


def ordered(
    order: SpeechOrder, seed: int = 7, round_number: int = 1, **priorities: int
) -> tuple[str, ...] | None:
    return post_order(order, ROLES, priorities, seed, round_number)


def test_fixed_is_the_order_of_the_panel() -> None:
    """C5, 2.2#10."""
    assert ordered("fixed", Judge=9) == ROLES


def test_free_has_no_order() -> None:
    """2.2#10."""
    assert ordered("free") is None


def test_priority_puts_the_highest_first_and_keeps_the_panel_order_among_equals() -> None:
    """C5, 2.2#10: who has none stands between those above and below 0."""
    assert ordered("priority", Critic=5, Analyst=5, Judge=1, Advocate=-1) == (
        "Analyst",
        "Critic",
        "Judge",
        "Contrarian",
        "Advocate",
    )


def test_random_is_the_same_again_for_the_same_run_and_round() -> None:
    """2.2#10: a restart must not change it."""
    assert ordered("random") == ("Analyst", "Advocate", "Critic", "Judge", "Contrarian")


def test_random_differs_between_rounds_and_runs() -> None:
    orders = {ordered("random", seed, number) for seed in range(5) for number in (1, 2, 3)}
    assert len(orders) > 10


def test_random_seats_everybody_once() -> None:
    assert sorted(ordered("random", 3) or ()) == sorted(ROLES)
