"""Peers are read by role, in an order of the reader's own."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.meeting.rounds import labelled_digests, peer_digests, peer_order

ROLES = ("Advocate", "Analyst", "Contrarian", "Critic", "Judge")


def test_a_reader_does_not_read_itself() -> None:
    """E64."""
    assert sorted(peer_order("Analyst", ROLES, 7, 2)) == [
        "Advocate",
        "Contrarian",
        "Critic",
        "Judge",
    ]


def test_readers_have_orders_of_their_own() -> None:
    """Design 5: nobody is read first by all."""
    firsts = {peer_order(f"Reader {n}", ROLES, 7, 2)[0] for n in range(30)}
    assert firsts == set(ROLES)


def test_the_order_differs_between_rounds_and_runs() -> None:
    orders = {peer_order("Judge", ROLES, seed, number) for seed in range(5) for number in (2, 3)}
    assert len(orders) > 5


def test_the_order_does_not_depend_on_how_the_digests_came_in() -> None:
    """Design 4: a restart gives the same prompt."""
    assert peer_order("Judge", ROLES, 7, 2) == peer_order("Judge", ROLES[::-1], 7, 2)


def test_each_digest_stands_below_its_role() -> None:
    """E64."""
    text = peer_digests(
        "Judge", labelled_digests({"Judge": "mine", "Analyst": "Thesis: yes\nC1: so"}), 7, 2
    )
    assert text == "Analyst:\n  Thesis: yes\n  C1: so"


def test_peers_without_a_digest_are_left_out() -> None:
    """E112: empty means that there is nobody to answer."""
    assert peer_digests("Judge", labelled_digests({"Judge": "mine", "Analyst": "  "}), 7, 2) == ""


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_digest_can_speak_in_the_name_of_another(digest: str) -> None:
    text = peer_digests("Judge", labelled_digests({"Analyst": digest, "Critic": "fine"}), 7, 2)
    labels = [line for line in text.split("\n") if line and not line.startswith(" ")]
    assert set(labels) <= {"Analyst:", "Critic:"}
    assert len(labels) <= 2
