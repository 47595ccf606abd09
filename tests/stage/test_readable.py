"""What Discord does not draw becomes what it does, and nothing is lost on the way."""

import time

from hypothesis import given
from hypothesis import strategies as st

from bot.stage.message_text import readable, set_code_aside

MOST_LINES = 200

PIECES = st.sampled_from(
    ["|", "a | b", "---|---", "\n", "```", "# ", "#### deep", "***", "word", "\\|", " ", "- x"]
)


def test_a_table_becomes_a_list_with_the_names_of_its_columns() -> None:
    """Issue 8, 7."""
    table = (
        "Costs:\n| Tool | Speed | Price |\n|:--|--:|---|\n| uv | fast | free |\n| pip | | free |"
    )
    assert readable(table) == (
        "Costs:\n- **uv** — Speed: fast · Price: free\n- **pip** — Price: free"
    )


def test_code_and_ordinary_text_stay_as_they_are() -> None:
    text = (
        "a | b\n- one\n  - two\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n#### x\n```\n### kept\n1. yes"
    )
    assert readable(text) == text


def test_deep_headings_are_bold_and_rules_are_gone() -> None:
    assert readable("#### Risks ##\n---\n* * *\ntext") == "**Risks**\n\n\ntext"


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_word_is_lost(text: str) -> None:
    assert readable(text).count("word") == text.count("word")


def test_a_huge_text_is_read_in_no_time() -> None:
    began = time.perf_counter()
    readable("| a |\n" * 20_000 + "- " * 20_000 + "#" * 20_000)
    set_code_aside("```\n" * 20_001)
    assert time.perf_counter() - began < 2


def test_only_long_code_becomes_a_file() -> None:
    """Issue 8, 7."""
    short = "```py\n" + "x = 1\n" * 20 + "```"
    long = "```python\n" + "\n".join(f"y{n} = {n}" for n in range(MOST_LINES + 1)) + "\n```"
    text, files = set_code_aside(f"see {short} and {long} end")
    assert short in text
    assert "📎 `code-1.py` (201 lines, attached)" in text
    assert text.endswith(" end")
    assert [file.name for file in files] == ["code-1.py"]
    assert files[0].text.splitlines()[-1] == "y200 = 200"
