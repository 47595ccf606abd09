"""Options that the coordinator proposes become one ballot."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.prompting.closing_lines import parse_ballot
from bot.prompting.short_answers import parse_options
from bot.request.options import LONGEST_OPTION


def test_bullets_numbers_and_bars_are_no_part_of_an_option() -> None:
    assert parse_options("- Redis\n2. **Kafka**\n* NATS.") == ("Redis", "Kafka", "NATS")
    assert parse_options("Paper | Plastic") == ("Paper", "Plastic")


def test_spellings_of_one_option_are_merged_under_the_first() -> None:
    proposed = "- Multi-tenant\n- single\n- **multi tenant**\n- MULTI_TENANT"
    assert parse_options(proposed) == ("Multi-tenant", "single")


def test_names_that_differ_by_a_sign_stay_apart() -> None:
    assert parse_options("- C\n- C++\n- C#") == ("C", "C++", "C#")


def test_at_most_six_are_kept() -> None:
    assert len(parse_options("\n".join(f"- plan {n}" for n in range(20)))) == 6


def test_what_is_no_real_choice_proposes_nothing() -> None:
    assert parse_options("") == ()
    assert parse_options("- tea\n- Tea!\n- …\n- " + "x" * 61) == ()
    assert parse_options("- <option>\n- <option two>") == ()


NAMES = st.text(alphabet="aAbB01 -_.,()|[]<>*\"'+#ß\n", max_size=12) | st.text(max_size=70)


@settings(deadline=None)
@given(st.lists(NAMES, max_size=8))
def test_whatever_was_proposed_can_be_voted_for(proposed: list[str]) -> None:
    options = parse_options("\n".join(f"- {name}" for name in proposed))
    assert len(options) == 0 or 2 <= len(options) <= 6
    for option in options:
        assert len(option) <= LONGEST_OPTION
        assert parse_ballot(f"[BALLOT: {option} | 80 | so]", options).option == option
