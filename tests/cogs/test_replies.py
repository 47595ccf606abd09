"""What people read when something went wrong."""

import re

import pytest

from bot.errors import UsageError
from cogs.replies import error_text


def test_an_error_meant_for_people_is_shown_as_it_is() -> None:
    assert error_text(UsageError("Write a topic.")) == "Write a topic."


def test_an_unknown_error_is_shown_as_a_code_that_the_log_explains(
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = error_text(KeyError("secret detail"))
    assert "secret detail" not in text
    (code,) = re.findall(r"[0-9a-f]{6}", text)
    assert code in caplog.text
    assert "secret detail" in caplog.text
