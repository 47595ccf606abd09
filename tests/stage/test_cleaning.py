"""Text of models and people is shown without pings, traps or invisible characters."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.stage.cleaning import clean_text, file_text, one_line
from bot.stage.message_text import readable, split_text

HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "@everyone",
                "@here",
                "<@123456789012345678>",
                "<@&123456789012345678>",
                "[click](https://evil.example/x)",
                "https://evil.example/?q=" + "a" * 80,
                "discord.gg/abc",
                "https://discord.com/invite/abc",
                "`",
                "```",
                "\\`",
                "[",
                "](",
                ")",
                "<",
                ">",
                "\u202e",
                "\u200b",
                "\U000e0041",
                "\n",
                " ",
            ]
        ),
        st.text(max_size=8),
    ),
    max_size=30,
).map("".join)

MASKED_LINK = re.compile(r"\[[^\]]*\]\([^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
INVISIBLE = re.compile(
    "[\u0000-\u0008\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


@given(HOSTILE)
def test_for_any_text_nothing_pings_and_nothing_is_hidden(text: str) -> None:
    """Providers.md 3.4: no raw @everyone, no masked link, no invite, no invisible characters."""
    for part in split_text(clean_text(text)):
        assert not re.search(r"@(everyone|here)", part, re.IGNORECASE)
        assert not re.search(r"<@[!&]?\d+>", part)
        assert not MASKED_LINK.search(part)
        assert not re.search(r"discord\.gg/\w", part, re.IGNORECASE)
        assert not INVISIBLE.search(part)
        assert not re.search(r"https?://", CODE.sub("", part), re.IGNORECASE)


@given(HOSTILE)
def test_only_known_addresses_are_links_and_none_has_a_preview(text: str) -> None:
    """Providers.md 3.4: a link outside of code is one of ours, in angle brackets."""
    known = "https://example.org/facts"
    for part in split_text(clean_text(readable(f"{text} {known} {text}"), {known})):
        bare = CODE.sub("", part).replace(f"<{known}>", "")
        assert not re.search(r"https?://", bare, re.IGNORECASE)


@given(HOSTILE)
def test_cleaning_twice_changes_nothing_more_that_matters(text: str) -> None:
    assert len(clean_text(clean_text(text))) <= len(clean_text(text)) + 40


def test_a_masked_link_shows_where_it_goes() -> None:
    cleaned = clean_text("see [the docs](https://evil.example/a)")
    assert cleaned == "see the docs (`evil.example/a`)"


def test_a_source_the_bot_knows_stays_a_link_without_preview() -> None:
    url = "https://example.org/facts"
    assert clean_text(f"see {url}.", {url}) == f"see <{url}>."


def test_long_query_strings_of_foreign_urls_are_dropped() -> None:
    assert "secret" not in clean_text("https://evil.example/p?data=" + "secret" * 20)


def test_code_keeps_its_addresses() -> None:
    code = "```sh\ncurl https://example.org/x?y=1\n```"
    assert clean_text(code) == code


def test_a_fence_left_open_is_closed() -> None:
    assert clean_text("```py\nx = 1").endswith("\n```")


def test_towers_of_combining_marks_are_cut() -> None:
    assert len(clean_text("a" + "\u0301" * 50)) == 5


@pytest.mark.parametrize(("text", "short"), [("a\nb", "a b"), ("one two three", "one two…")])
def test_one_line_is_flat_and_cut_at_a_word(text: str, short: str) -> None:
    assert one_line(text, 10) == short


@pytest.mark.parametrize(
    "text",
    [
        "0https://evil.example/",
        "`[click](https://evil.example/x)https://evil.example/y",
        "`https://evil.example/ and https://evil.example/`",
    ],
)
def test_addresses_that_were_once_let_through(text: str) -> None:
    """Providers.md 3.4: glued to a word, or behind a backtick that is never closed."""
    assert "https://" not in CODE.sub("", clean_text(text))


@pytest.mark.parametrize(
    "host", ["discord.gg", "DISCORD.GG", "d\u0131scord.gg", "DiScOrD.com/invite"]
)
def test_an_invite_is_removed_however_its_letters_are_written(host: str) -> None:
    """Providers.md 3.4."""
    assert clean_text(f"come to {host}/abc now") == "come to (invite removed) now"


def test_what_looks_like_a_heading_after_markup_was_dropped_is_none_in_a_file() -> None:
    """A reader of the file must not take a seat's words for a heading of ours."""
    assert file_text("<#123># Verdict") == "**Verdict**"
