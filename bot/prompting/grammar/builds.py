"""Grammars of the five prompts of a build, for models too small to keep a format by themselves."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from bot.prompting.build_spec import HEADINGS
from bot.prompting.grammar.lines import Values, lines
from bot.prompting.grammar.nodes import Node, Repeat, choice, sequence
from bot.prompting.grammar.prose import sentence, sentences, words

_CRITERION: Final = re.compile(r"^(\d{1,2})\. ", re.MULTILINE)
_VERDICTS: Final = ("APPROVED", "CHANGES_REQUESTED", "BLOCKED")
_SEVERITIES: Final = ("critical", "major", "minor")
_FENCE: Final = "````"


def _spec(_: Values) -> Node:
    bullets = sequence("- ", sentence(), Repeat(sequence("\n- ", sentence()), 0, 2))
    criteria = lines(*(sequence(f"{n}. ", sentence()) for n in (1, 2, 3)))
    bodies = {"acceptance_criteria": criteria}
    listed = [
        lines(f"**{heading}:**", bodies.get(name, bullets))
        for name, heading in HEADINGS.items()
        if name != "goal"
    ]
    return lines(sequence("**GOAL:** ", sentences(1, 2)), *listed)


def _files(_: Values) -> Node:
    steps = lines(*(sequence(f"{n}. ", sentence()) for n in (1, 2, 3)))
    head = sequence("# ", words(2, 6))
    return lines("FILE: README.md", _FENCE, head, "", sentences(2, 5), "", steps, _FENCE)


def _finding() -> Node:
    return sequence("- ", choice(_SEVERITIES), " | ", words(1, 3), " | ", sentence())


def _head() -> tuple[Node, Node]:
    return (
        sequence("**VERDICT:** ", choice(_VERDICTS)),
        sequence("**SUMMARY:** ", sentences(1, 2)),
    )


def _spec_review(_: Values) -> Node:
    return lines(*_head(), "**FINDINGS:**", _finding())


def _spec_gate(values: Values) -> Node:
    numbers = tuple(dict.fromkeys(_CRITERION.findall(values.get("SPEC", "")))) or ("1",)
    met = choice(("MET", "NOT MET"))
    checks = [sequence(f"{n}. ", met, " | README.md | ", sentence()) for n in numbers]
    return lines(*_head(), "**CRITERIA:**", *checks)


def _quality_gate(_: Values) -> Node:
    gap = sequence("- ", sentence())
    risk = sequence("**RISK:** ", sentence())
    return lines(*_head(), "**CONCERNS:**", _finding(), "**TEST GAPS:**", gap, risk)


BUILD_FORMATS: Final[Mapping[str, Callable[[Values], Node]]] = MappingProxyType(
    {
        "build-spec": _spec,
        "build-spec-review": _spec_review,
        "build-files": _files,
        "build-spec-gate": _spec_gate,
        "build-quality-gate": _quality_gate,
    }
)
