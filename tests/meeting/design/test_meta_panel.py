"""Options the panel proposed itself become one ballot."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.meeting.design.meta_panel import merge_options
from bot.prompting.closing_lines import parse_ballot
from bot.request.modes import LONGEST_OPTION


def test_the_most_named_option_comes_first() -> None:
    proposals = {"Ada": ["Redis", "Kafka"], "Bo": ["Kafka", "NATS"], "Cy": ["kafka."]}
    assert merge_options(proposals) == ("Kafka", "Redis", "NATS")


def test_spellings_of_one_option_are_merged_under_the_first() -> None:
    proposals = {"Ada": ["Multi-tenant", "single"], "Bo": ["**multi tenant**", "1. MULTI_TENANT"]}
    assert merge_options(proposals) == ("Multi-tenant", "single")


def test_a_seat_naming_an_option_twice_counts_once() -> None:
    proposals = {"Ada": ["tea", "tea", "tea"], "Bo": ["coffee"], "Cy": ["coffee"]}
    assert merge_options(proposals) == ("coffee", "tea")


def test_names_that_differ_by_a_sign_stay_apart() -> None:
    assert merge_options({"Ada": ["C", "C++", "C#"]}) == ("C", "C++", "C#")


def test_at_most_six_are_kept() -> None:
    assert len(merge_options({"Ada": [f"plan {n}" for n in range(20)]})) == 6


def test_without_a_real_choice_it_is_yes_or_no() -> None:
    assert merge_options({"Ada": ["tea"], "Bo": ["Tea!", "…", "x" * 61]}) == ("Yes", "No")
    assert merge_options({}) == ("Yes", "No")


NAMES = st.text(alphabet="aAbB01 -_.,()|[]<>*\"'+#ß\n", max_size=12) | st.text(max_size=70)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("XYZ"), st.lists(NAMES, max_size=8)))
def test_whatever_was_proposed_can_be_voted_for(proposals: dict[str, list[str]]) -> None:
    options = merge_options(proposals)
    assert 2 <= len(options) <= 6
    for option in options:
        assert len(option) <= LONGEST_OPTION
        assert parse_ballot(f"[BALLOT: {option} | 80 | so]", options).option == option
