"""Messages that hardly ask for a meeting are asked back."""

import pytest

from bot.request import Command, UnknownFlagError, corrected, parse_command, parse_request
from bot.request.doubts import doubt_about

RUN = "rt_0123abcd"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("statsu", Command("status")),
        ("stpo", Command("stop")),
        ("hlep", Command("help")),
        ("lst", Command("list")),
        ("concldue", Command("conclude")),
        ("cost", Command("costs")),
        (f"stpo {RUN}", Command("stop", RUN)),
        ("stop rt_12", Command("stop")),
        ("status please", Command("status")),
        ("stop it now!", Command("stop")),
        ("help me", Command("help")),
    ],
)
def test_a_near_miss_of_a_command_is_no_topic(typed: str, meant: Command) -> None:
    doubt = doubt_about(f"roundtable {typed}")
    assert doubt
    assert doubt.command == meant


@pytest.mark.parametrize("typed", ["", "-h", "--help", "-?", "?"])
def test_who_asks_for_help_gets_it(typed: str) -> None:
    assert parse_command(f"roundtable {typed}") == Command("help")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("post #decisions", "choose it from the list"),
        ("psot #decisions", "choose it from the list"),
        ("tea", "One word is little"),
        ("Kubernetes?", "One word is little"),
        ("紅茶", "One word is little"),
        ("hello there", "👋"),
        ("good morning everybody", "👋"),
        ("danke dir", "👋"),
        ("こんにちは", "👋"),
        ("<@123> what do you think of it?", "question to people"),
        ("@Ines can you look at this?", "question to people"),
        ("does anybody have a charger?", "question to people"),
        ("Hat jemand ein Ladekabel dabei?", "question to people"),
    ],
)
def test_what_is_no_question_to_the_panel_is_asked_back(typed: str, said: str) -> None:
    doubt = doubt_about(f"roundtable {typed}")
    assert doubt
    assert said in doubt.text


@pytest.mark.parametrize(
    "typed",
    [
        "Postgres or SQLite for our queue?",
        "should we adopt uv?",
        "stop using tabs in our Python files",
        "stop smoking",
        "test coverage",
        "list comprehensions or loops?",
        "post-mortem of the outage of last week",
        "Hi, Postgres or SQLite?",
        "Should anyone own a gun?",
        "紅茶それともコーヒー？",
        "移行すべきですか？",
        "tea --quick",
    ],
)
def test_a_topic_is_a_topic(typed: str) -> None:
    assert doubt_about(f"roundtable {typed}") is None


def test_where_every_message_is_a_topic_it_has_a_few_words() -> None:
    assert "Every message here" in getattr(doubt_about("nice weather"), "text", "")
    assert doubt_about("tabs or spaces?") is None
    assert doubt_about("is it time to migrate?") is None
    assert doubt_about("stop the presses now") is None


@pytest.mark.parametrize(
    ("flag", "near"),
    [
        ("--fast", "--quick"),
        ("--anonymous", "--masked"),
        ("--models", "--panel"),
        ("--poll", "--vote"),
        ("--choices", "--options"),
        ("--verify", "--validate"),
        ("--offline", "--no-search"),
        ("--qiuck", "--quick"),
        ("--redtaem", "--redteam"),
    ],
)
def test_an_unknown_flag_is_guessed_by_meaning_and_by_spelling(flag: str, near: str) -> None:
    with pytest.raises(UnknownFlagError, match=f"did you mean `{near}`") as caught:
        parse_request(f"roundtable {flag} is it time to migrate?", 4000)
    mended = corrected(f"roundtable {flag} is it time to migrate?", caught.value)
    assert mended == f"roundtable {near} is it time to migrate?"
