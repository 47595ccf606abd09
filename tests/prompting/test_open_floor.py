"""A follow-up says whether silence is allowed."""

import pytest

from tests.prompting.sample_texts import VALUES, book


@pytest.mark.parametrize(("given", "shown"), [({}, "no"), ({"OPEN_FLOOR": "yes"}, "yes")])
def test_a_follow_up_says_whether_the_floor_is_open(given: dict[str, str], shown: str) -> None:
    prompt = book().render("follow-up", VALUES["follow-up"] | given)
    assert f"Floor open to all: {shown}." in prompt.messages[-1].text
    assert "Only when the floor is open to all may you stay silent" in prompt.messages[0].text
