"""A template is filled in stretches of lines; line by line must give the same."""

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from bot.prompting.contract import Visibility, reach_of
from bot.prompting.filling import PLACEHOLDER, Part

NAMES = ("PROMPT", "FLOOR", "ROLE", "TASK", "ROUND")
ALONE = [f"[{name}]" for name in NAMES]
LINES = st.one_of(
    st.sampled_from(["", " ", "Text.", "50% of %s", "%(ROLE)s {0}", "[E1]", *ALONE]),
    st.lists(st.sampled_from([" ", "is", "%", *ALONE]), max_size=4).map("".join),
)
VALUES = st.sampled_from(["", "", "words", "two\nlines", "[ROLE] %(ROLE)s %d", "100%"])


def line_by_line(template: str, texts: dict[str, str]) -> list[tuple[Visibility, str]]:
    kept: list[tuple[Visibility, str]] = []
    for line in template.split("\n"):
        filled = PLACEHOLDER.sub(lambda found: texts[found[1]], line)
        reach = max(map(reach_of, PLACEHOLDER.findall(line)), default=Visibility.RUN)
        vanished = bool(line.strip()) and not filled.strip()
        doubled = not line.strip() and bool(kept) and not kept[-1][1]
        if not vanished and not doubled:
            kept.append((reach, filled))
    return kept


def joined(lines: list[tuple[Visibility, str]]) -> str:
    return "\n".join(text for _, text in lines).strip()


def beginning(
    lines: list[tuple[Visibility, str]], reach: Visibility
) -> list[tuple[Visibility, str]]:
    return list(takewhile(lambda line: line[0] <= reach, lines))


@given(st.lists(LINES, max_size=12), st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)))
def test_a_part_is_filled_as_if_line_by_line(lines: list[str], texts: dict[str, str]) -> None:
    """E117, and that nothing in a value or in a template is taken for a form of `%`."""
    template = "\n".join(lines)
    filled, slow = Part(template).fill(texts), line_by_line(template, texts)
    assert filled.text == joined(slow)
    shared = {len(joined(beginning(slow, reach))) for reach in (Visibility.RUN, Visibility.STEP)}
    assert filled.shared_lengths() == tuple(sorted(shared - {0}))
