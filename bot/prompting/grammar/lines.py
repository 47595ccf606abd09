"""The lines that several formats share: digests, closings, JSON, and names out of a prompt."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from bot.prompting.grammar.nodes import Node, Repeat, choice, sequence, text
from bot.prompting.grammar.prose import sentence, words
from bot.prompting.stance import Stance
from bot.request.modes import Mode

Values = Mapping[str, str]
_LABEL: Final = re.compile(r"^(\S[^\n]{0,120}):$", re.MULTILINE)
_POSITION: Final = re.compile(r"^([^\s(:][^(:\n]{0,90}?) \([^()\n]{1,200}\):", re.MULTILINE)
_CONFIDENCES: Final = tuple(str(number) for number in range(50, 100, 5))
CLAIM: Final = choice(("C1", "C2", "C3"))


def lines(*parts: Node | str) -> Node:
    """The parts, one below the other; a part may end without text, but not with a line end."""
    first, *rest = (text(part) for part in parts)
    return sequence(first, *(sequence("\n", part) for part in rest))


def digest() -> Node:
    """The SELF-DIGEST with its heading."""
    return lines(
        "**SELF-DIGEST:**",
        sequence("Thesis: ", sentence()),
        *(sequence(f"C{number}: ", sentence()) for number in (1, 2, 3)),
        sequence("Evidence: ", sentence()),
        sequence("Risk: ", sentence()),
    )


def closing(values: Values) -> Node:
    """The last line: a stance, or in vote mode a ballot for one of the options."""
    if values.get("MODE") != Mode.VOTE:
        stances = [stance.value for stance in Stance if stance is not Stance.UNKNOWN]
        return sequence("[STANCE: ", choice(stances), "]")
    options = [line.strip() for line in values.get("OPTIONS", "").split("\n") if line.strip()]
    return sequence(
        "[BALLOT: ", choice(options), " | ", choice(_CONFIDENCES), " | ", words(4, 16), "]"
    )


def roles_in(value: str) -> tuple[str, ...]:
    """The roles that label voices or positions in a value, each once."""
    found = _LABEL.findall(value) or _POSITION.findall(value)
    return tuple(dict.fromkeys(found))


def json_list(item: Node, most: int) -> Node:
    """A JSON array of a few items."""
    return sequence("[", item, Repeat(sequence(", ", item), 0, most - 1), "]")


def one_of(names: Sequence[str], otherwise: Node) -> Node:
    """One of the names, or something else where there are none."""
    return choice(names) if names else otherwise
