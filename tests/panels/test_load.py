"""What is said about a file that is not even JSON."""

from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.panels import load_panels, parse_panels
from tests.panels.panels_data import SHIPPED


def _complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_panels(text)
    return caught.value.text


def test_a_missing_comma_is_reported_with_line_and_column() -> None:
    assert _complaint('{\n  "output": {}\n  "trigger": {}\n}') == (
        "line 3, column 3: a comma or a closing bracket is missing; add it before this position"
    )


@pytest.mark.parametrize("comment", ["// why", "/* why */", "# why"])
def test_a_comment_is_named_as_such(comment: str) -> None:
    found = _complaint('{\n  "output": {},\n  ' + comment + '\n  "trigger": {}\n}')
    assert found == "line 3, column 3: JSON has no comments; remove this one"


def test_a_trailing_comma_is_named_as_such() -> None:
    assert "comma before the closing bracket" in _complaint('{"premium": ["a",\n]}')


def test_single_quotes_are_named_as_such() -> None:
    assert "double quotes" in _complaint("{'output': {}}")


def test_a_cut_off_file_is_named_as_such() -> None:
    assert "ends too early" in _complaint('{"output": {')


def test_every_repeated_key_is_refused_with_its_path() -> None:
    text = '{"limits": {"maxSeats": 1, "maxSeats": 2}, "premium": [{"a": 1, "a": 1}]}'
    lines = _complaint(text).splitlines()
    assert "limits.maxSeats: duplicate key; keep one" in lines
    assert "premium[0].a: duplicate key; keep one" in lines


@pytest.mark.parametrize("text", ["[]", '"x"', "3", "null"])
def test_anything_but_an_object_is_refused(text: str) -> None:
    assert "not a JSON object" in _complaint(text)


def test_numbers_that_json_does_not_know_are_refused() -> None:
    assert "NaN is not a JSON number" in _complaint('{"timeouts": {"run": NaN}}')


def test_endless_nesting_is_refused_politely() -> None:
    assert "nested too deeply" in _complaint("[" * 200_000)


def test_a_file_that_is_not_there_says_which_setting_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone.json: no such file; set ROUNDTABLE_PANELS"):
        load_panels(tmp_path / "gone.json")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="make it a readable file"):
        load_panels(tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "panels.json"
    file.write_bytes(b"\xef\xbb\xbf" + SHIPPED.read_bytes())
    assert load_panels(file).models


def test_text_in_another_encoding_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "panels.json"
    file.write_bytes('{"output": "ü"}'.encode("latin-1"))
    with pytest.raises(ConfigError, match="save it as UTF-8"):
        load_panels(file)
