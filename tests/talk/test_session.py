"""However long a thread gets, what a seat is reminded of stays within its limit."""

from hypothesis import given
from hypothesis import strategies as st

from bot.prompting.text import CUT, cut_chars
from bot.talk.session import fit_entries

ENTRIES = st.lists(st.tuples(st.text(max_size=40), st.text(max_size=3000)), max_size=60)


@given(ENTRIES, st.integers(min_value=200, max_value=12_000))
def test_whatever_was_said_fits(entries: list[tuple[str, str]], limit: int) -> None:
    """Issue 6: a follow-up's prompt stays within its limit."""
    assert len(fit_entries(entries, limit)) <= max(limit, 200)


def test_the_newest_turns_stay_whole_and_the_oldest_are_counted() -> None:
    entries = [(f"Turn {n}", f"{n} says " + "many words " * 40) for n in range(100)]
    fitted = fit_entries(entries, 6000)
    assert fitted.endswith("Turn 99:\n  99 says " + ("many words " * 40).strip())
    assert fitted.startswith("(")
    assert "earlier turns are left out)" in fitted
    in_brief = next(block for block in fitted.split("\n\n") if block.startswith("Turn 80:"))
    assert in_brief.endswith("…")


def test_few_turns_are_not_touched() -> None:
    assert fit_entries([("You", "Yes."), ("Ada", "Why?")], 500) == "You:\n  Yes.\n\nAda:\n  Why?"
    assert fit_entries([], 500) == ""


def test_one_endless_turn_is_cut_and_marked() -> None:
    fitted = fit_entries([("Ada", "word " * 5000)], 1000)
    assert len(fitted) <= 1000
    assert fitted.endswith(CUT.strip())
    assert cut_chars("short", 100) == "short"
    assert cut_chars("x" * 200, 100).endswith(CUT)
