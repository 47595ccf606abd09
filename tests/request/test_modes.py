"""Mode detection and options of a vote from the words of a topic."""

import pytest

from bot.request import detect_mode, parse_request
from bot.request.options import options_in
from bot.types.mode import Mode


@pytest.mark.parametrize(
    ("topic", "mode"),
    [
        ("Should we move to a four-day week?", Mode.DEBATE),
        ("pros/cons of remote work", Mode.DEBATE),
        ("implement a rate limiter", Mode.BUILD),
        ("what is the biggest threat to our login?", Mode.REDTEAM),
        ("which one fits: Postgres, SQLite", Mode.VOTE),
        ("recommend   between tea and coffee", Mode.VOTE),
        ("the colour of autumn", Mode.DEFAULT),
    ],
)
def test_a_mode_is_detected_from_its_words(topic: str, mode: Mode) -> None:
    """E55 E56 E57 E58 E59."""
    assert detect_mode(topic) is mode


def assert_every_word_means(mode: Mode, *words: str) -> None:
    """Each alone decides, in any case and with any space between its parts."""
    for word in words:
        assert detect_mode(f"about: {word}, today") is mode, word
        assert detect_mode(word.upper().replace(" ", "\n ")) is mode, word
        assert detect_mode(f"x{word} {word}x") is Mode.DEFAULT, word


def test_every_word_of_a_debate_means_one() -> None:
    """E55."""
    assert_every_word_means(
        Mode.DEBATE,
        *("pros/cons", "pros and cons", "tradeoff", "tradeoffs", "trade-off", "trade-offs"),
        *("should we", "ethics", "compare", "opinion", "better"),
    )


def test_every_word_of_a_build_means_one() -> None:
    """E56."""
    assert_every_word_means(
        Mode.BUILD, "implement", "code", "architecture", "build", "design", "develop", "create"
    )


def test_every_word_of_a_red_team_means_one() -> None:
    """E57."""
    assert_every_word_means(
        Mode.REDTEAM,
        *("attack", "vulnerability", "vulnerabilities", "failure", "risk", "risks"),
        *("break", "threat", "threats", "exploit"),
    )


def test_every_word_of_a_vote_means_one() -> None:
    """E58."""
    assert_every_word_means(
        Mode.VOTE, "choose", "decide", "which one", "best option", "select", "recommend between"
    )


def test_only_whole_words_count() -> None:
    """2.2#43: 'encode' is not 'code', 'breakfast' is not 'break'."""
    assert detect_mode("encode breakfast asterisks") is Mode.DEFAULT


def test_the_mode_with_most_hits_wins() -> None:
    """2.2#43: a word counts each time it is said."""
    assert detect_mode("should we build and design and develop it?") is Mode.BUILD
    assert detect_mode("should we build this and then build that?") is Mode.BUILD


def test_a_tie_goes_to_debate_before_build() -> None:
    """2.2#43: debate, build, redteam, vote."""
    assert detect_mode("should we build it?") is Mode.DEBATE
    assert detect_mode("select a threat") is Mode.REDTEAM


@pytest.mark.parametrize(
    "topic",
    [
        "Postgres or SQLite for our queue?",
        "Should we build our own auth or buy Auth0?",
        "What is better, tabs or spaces?",
        "A, B or C?",
    ],
)
def test_a_or_b_is_a_vote_whatever_its_other_words(topic: str) -> None:
    """2.2#43."""
    assert detect_mode(topic) is Mode.VOTE


@pytest.mark.parametrize(
    ("topic", "mode"),
    [
        ("Should we ship it or not?", Mode.DEBATE),
        ("What could break if our database or cache fails?", Mode.REDTEAM),
        ("How do we tell success or failure?", Mode.REDTEAM),
        ("Is our login safe or can somebody break it?", Mode.REDTEAM),
        ("Can we trust models more or less?", Mode.DEFAULT),
        ("a report about tea or coffee", Mode.DEFAULT),
    ],
)
def test_a_question_that_names_nothing_to_choose_from_is_no_vote(topic: str, mode: Mode) -> None:
    assert detect_mode(topic) is mode


@pytest.mark.parametrize("topic", ["design a rate limiter", "create a logo with some code"])
def test_only_who_asks_for_a_build_gets_one(topic: str) -> None:
    """Issue 19 point 8: words alone lead to a discussion that can be built."""
    found = parse_request(f"roundtable {topic}", 4000)
    assert (found.mode, found.offers_build) == (Mode.DEFAULT, True)
    asked = parse_request(f"roundtable --build {topic}", 4000)
    assert (asked.mode, asked.offers_build) == (Mode.BUILD, False)


@pytest.mark.parametrize(
    ("topic", "options"),
    [
        ("Postgres or SQLite for our queue?", ("Postgres", "SQLite")),
        ("tabs or spaces?", ("tabs", "spaces")),
        ("Should we use tabs or spaces in Python files?", ("tabs", "spaces")),
        ("Which one: red, green, or dark blue?", ("red", "green", "dark blue")),
        ("We need a queue. Redis vs Kafka vs NATS!", ("Redis", "Kafka", "NATS")),
        ("Rust or Go for the new command line tool?", ("Rust", "Go")),
        ("Should our club meet on Tuesdays or on Saturdays?", ("Tuesdays", "Saturdays")),
        ("should we adopt Rust or Go?", ("Rust", "Go")),
        ("Which is better, tea or coffee?", ("tea", "coffee")),
        ("What colour is best?", ()),
        ("Where should the orca swim?", ()),
    ],
)
def test_options_are_read_from_the_topic(topic: str, options: tuple[str, ...]) -> None:
    assert options_in(topic) == options


def test_one_option_named_twice_is_no_choice() -> None:
    assert options_in("tea or tea?") == ()
