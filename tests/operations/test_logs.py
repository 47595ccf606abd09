"""Nothing secret reaches the log."""

import io
import json
import logging

from bot.errors import UnavailableError
from bot.operations.logs import JsonLines, Redactor


def logged(message: str, *arguments: object, secrets: tuple[str, ...] = ()) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(Redactor(secrets))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    logger.warning(message, *arguments)
    return stream.getvalue()


def test_a_known_secret_is_hidden_wherever_it_stands() -> None:
    assert logged("key %s!", "abc-secret", secrets=("abc-secret",)) == "key [hidden]!\n"


def test_webhook_addresses_and_keys_are_hidden_by_their_shape() -> None:
    text = logged("POST /webhooks/123456/Tok-en_1 with sk-abcdefgh12345678")
    assert "Tok-en_1" not in text
    assert "abcdefgh" not in text


def test_a_traceback_is_cleaned_too() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(Redactor(("hunter2",)))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    try:
        int("hunter2")
    except ValueError:
        logger.exception("failed")
    assert "hunter2" not in stream.getvalue()
    assert "ValueError" in stream.getvalue()


def test_an_error_that_is_a_sentence_for_people_is_one_line() -> None:
    """Issue 23 point 7: what a lost database stops is told without a traceback."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(Redactor(("hunter2",)))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    away = UnavailableError("The database hunter2 is unreachable: try again.")
    logger.error("%s failed", "it", exc_info=away)
    told = "it failed: The database [hidden] is unreachable: try again."
    assert stream.getvalue().splitlines() == [told]


def test_json_lines_are_one_object_each_without_secrets() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    handler.addFilter(Redactor(("hunter2",)))
    logger = logging.Logger("bot.test")
    logger.addHandler(handler)
    logger.warning("first\nsecond %s", "hunter2")
    try:
        int("hunter2")
    except ValueError:
        logger.exception("failed")

    first, second = (json.loads(line) for line in stream.getvalue().splitlines())
    assert first["message"] == "first\nsecond [hidden]"
    assert (first["level"], first["logger"]) == ("WARNING", "bot.test")
    assert "ValueError" in second["error"]
    assert "hunter2" not in stream.getvalue()
