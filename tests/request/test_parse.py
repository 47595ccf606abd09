"""The command line people type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.request import (
    FLAGS,
    Command,
    Request,
    is_addressed,
    parse_command,
    parse_request,
    without_mention,
)
from bot.types.mode import Mode


def parsed(text: str) -> Request:
    return parse_request(text, 4000)


@pytest.mark.parametrize(
    ("typed", "topic", "options"),
    [
        ("which drink? --options tea | black coffee | water", "which drink?", 3),
        ("--options tea | coffee which drink?", "which drink?", 2),
        ("--options=tea|coffee which drink?", "which drink?", 2),
        ('--options tea | "black coffee" which drink?', "which drink?", 2),
        ("--options red wine | white wine -- which drink?", "which drink?", 2),
        ("--options red wine | white wine\nwhich drink?", "which drink?", 2),
        ("--options tea | coffee --quick which drink?", "which drink?", 2),
        ("which drink? --options tea | coffee --quick", "which drink?", 2),
        ("which drink? --rounds 2 --options tea | coffee --quick", "which drink?", 2),
        ("which drink? —options tea | coffee", "which drink?", 2),
    ],
)
def test_options_are_named_before_or_after_the_topic(typed: str, topic: str, options: int) -> None:
    found = parsed(f"roundtable {typed}")
    assert (found.topic, len(found.options), found.mode) == (topic, options, Mode.VOTE)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--options", "needs a value"),
        ("--options tea which drink?", "2 to 8 options"),
        ("--debate --options tea | coffee which?", "use `--vote` instead of `--debate`"),
    ],
)
def test_options_that_make_no_vote_are_refused_with_advice(typed: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parsed(f"roundtable {typed}")


def test_a_bare_topic_has_its_mode_detected() -> None:
    """E1 E9."""
    request = parsed("Roundtable should we adopt uv?")
    assert (request.topic, request.mode, request.mode_forced) == (
        "should we adopt uv?",
        Mode.DEBATE,
        False,
    )


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode is not Mode.DEFAULT])
def test_a_mode_flag_forces_the_mode(mode: Mode) -> None:
    """E10 E11 E12 E13."""
    assert parsed(f"roundtable --{mode} the colour of autumn").mode is mode
    assert "--default" not in FLAGS, "what no flag asks for is no flag"


def test_all_flags_are_read_together() -> None:
    """E14 E15 E16 E17 E18."""
    request = parsed(
        "roundtable --vote --validate --masked --no-search --panel opus,grok"
        " --context-from our-queue  a or b"
    )
    assert request.topic == "a or b"
    assert request.validate
    assert request.masked
    assert not parsed("roundtable a or b").masked
    assert not request.search
    assert request.panel == ("opus", "grok")
    assert request.context_from == "our-queue"


def test_a_panel_may_have_spaces_after_its_commas() -> None:
    """E15."""
    request = parsed("roundtable --panel opus, grok , gemini is it so")
    assert request.panel == ("opus", "grok", "gemini")
    assert request.topic == "is it so"


def test_a_comma_too_many_seats_nobody() -> None:
    """E15."""
    assert parsed("roundtable --panel opus,,grok is it so").panel == ("opus", "grok")


def test_the_budget_profile_is_a_panel_name() -> None:
    """E19."""
    assert parsed("roundtable --panel budget tea or coffee").panel == ("budget",)


def test_known_flags_also_work_at_the_end() -> None:
    request = parsed("roundtable tea or coffee --quick --vote")
    assert (request.topic, request.quick, request.mode) == ("tea or coffee", True, Mode.VOTE)
    assert parsed("roundtable tea or coffee --panel opus,grok").panel == ("opus", "grok")


def test_a_dash_made_by_a_phone_still_starts_a_flag() -> None:
    assert parsed("roundtable —quick tea or coffee").quick


def test_options_of_other_programs_inside_a_topic_stay_in_it() -> None:
    topic = "should we use git rebase --interactive here"
    assert parsed(f"roundtable {topic}").topic == topic


def test_two_dashes_end_the_flags() -> None:
    assert parsed("roundtable -- --fast or --slow").topic == "--fast or --slow"


def test_two_modes_are_refused() -> None:
    """2.2#43."""
    with pytest.raises(UsageError, match="one mode"):
        parsed("roundtable --vote --debate x")


def test_an_unknown_flag_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean `--quick`"):
        parsed("roundtable --quik tea or coffee")


@pytest.mark.parametrize("slug", ["../../etc/passwd", "a/b", "UP_per"])
def test_a_context_that_is_no_slug_is_refused(slug: str) -> None:
    """2.2#45."""
    with pytest.raises(UsageError, match="lowercase letters"):
        parsed(f"roundtable --context-from {slug} topic")


def test_a_flag_without_its_value_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a value"):
        parsed("roundtable --panel --quick")


def test_quick_wins_over_validate_and_says_so() -> None:
    """2.2#44."""
    request = parsed("roundtable --quick --validate x")
    assert not request.validate
    assert "no effect" in request.notices[0]


def test_line_breaks_and_code_fences_of_a_topic_are_kept() -> None:
    topic = "is this right?\n```py\nprint( 1)\n```"
    assert parsed(f"roundtable {topic}").topic == topic


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("roundtable help", Command("help")),
        ("roundtable STOP", Command("stop")),
        ("roundtable stop rt_0123abcd", Command("stop", "rt_0123abcd")),
        ("roundtable list the pros of tea", None),
        ("roundtable stop it", None),
        ("roundtable help rt_0123abcd", None),
    ],
)
def test_only_the_exact_forms_are_commands(text: str, command: Command | None) -> None:
    """2.2#42."""
    assert parse_command(text) == command


@pytest.mark.parametrize("text", ["roundtables are nice", "a roundtable", "round table x"])
def test_other_words_do_not_address_the_bot(text: str) -> None:
    assert not is_addressed(text)


@given(st.text())
def test_any_line_gives_a_request_or_one_sentence(text: str) -> None:
    try:
        request = parsed("roundtable " + text)
    except UsageError as error:
        assert "\n" not in error.text  # noqa: PT017
    else:
        assert request.topic


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<@7> roundtable help", "roundtable help"),
        (" <@!7><@7>\nroundtable help ", "roundtable help"),
        ("roundtable is <@7> any good?", "roundtable is <@7> any good?"),
        ("<@78> roundtable help", "<@78> roundtable help"),
        ("<@7>", ""),
    ],
)
def test_a_leading_mention_is_stripped_and_no_other(text: str, rest: str) -> None:
    assert without_mention(text, 7) == rest
