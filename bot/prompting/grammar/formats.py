"""One grammar for each prompt: what it can produce is what the parser beside it reads (3.1)."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bot.prompting.build_spec import HEADINGS
from bot.prompting.closing_lines import Stance
from bot.prompting.grammar.nodes import (
    Node,
    Repeat,
    choice,
    reason,
    sentence,
    sentences,
    sequence,
    text,
    words,
)
from bot.prompting.short_answers import NO_REPLY
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.prompting.validation import Verdict
from bot.types.mode import Mode
from bot.types.model_port import Prompt

_Values = Mapping[str, str]
_LABEL: Final = re.compile(r"^(\S[^\n]{0,120}):$", re.MULTILINE)
_POSITION: Final = re.compile(r"^([^\s(:][^(:\n]{0,90}?) \([^()\n]{1,200}\):", re.MULTILINE)
_CONFIDENCES: Final = tuple(str(number) for number in range(50, 100, 5))
_CLAIM: Final = choice(("C1", "C2", "C3"))


def _lines(*parts: Node | str) -> Node:
    """The parts, one below the other; a part may end without text, but not with a line end."""
    first, *rest = (text(part) for part in parts)
    return sequence(first, *(sequence("\n", part) for part in rest))


def _digest() -> Node:
    """The SELF-DIGEST with its heading."""
    return _lines(
        "**SELF-DIGEST:**",
        sequence("Thesis: ", sentence()),
        *(sequence(f"C{number}: ", sentence()) for number in (1, 2, 3)),
        sequence("Evidence: ", sentence()),
        sequence("Risk: ", sentence()),
    )


def _closing(values: _Values) -> Node:
    """The last line: a stance, or in vote mode a ballot for one of the options."""
    if values.get("MODE") != Mode.VOTE:
        stances = [stance.value for stance in Stance if stance is not Stance.UNKNOWN]
        return sequence("[STANCE: ", choice(stances), "]")
    options = [line.strip() for line in values.get("OPTIONS", "").split("\n") if line.strip()]
    return sequence(
        "[BALLOT: ", choice(options), " | ", choice(_CONFIDENCES), " | ", words(4, 16), "]"
    )


def _roles_in(value: str) -> tuple[str, ...]:
    """The roles that label voices or positions in a value, each once."""
    found = _LABEL.findall(value) or _POSITION.findall(value)
    return tuple(dict.fromkeys(found))


def _json_list(item: Node, most: int) -> Node:
    """A JSON array of a few items."""
    return sequence("[", item, Repeat(sequence(", ", item), 0, most - 1), "]")


def _one_of(names: Sequence[str], otherwise: Node) -> Node:
    """One of the names, or something else where there are none."""
    return choice(names) if names else otherwise


_CRITERION: Final = re.compile(r"^(\d{1,2})\. ", re.MULTILINE)
_VERDICTS: Final = ("APPROVED", "CHANGES_REQUESTED", "BLOCKED")
_SEVERITIES: Final = ("critical", "major", "minor")
_FENCE: Final = "````"


def _spec(_: _Values) -> Node:
    bullets = sequence("- ", sentence(), Repeat(sequence("\n- ", sentence()), 0, 2))
    criteria = _lines(*(sequence(f"{n}. ", sentence()) for n in (1, 2, 3)))
    # A small model writes one file, see below, and only what is declared is taken (B20).
    bodies = {"acceptance_criteria": criteria, "outputs": text("- README.md")}
    listed = [
        _lines(f"**{heading}:**", bodies.get(name, bullets))
        for name, heading in HEADINGS.items()
        if name != "goal"
    ]
    return _lines(sequence("**GOAL:** ", sentences(1, 2)), *listed)


def _files(_: _Values) -> Node:
    steps = _lines(*(sequence(f"{n}. ", sentence()) for n in (1, 2, 3)))
    head = sequence("# ", words(2, 6))
    return _lines("FILE: README.md", _FENCE, head, "", sentences(2, 5), "", steps, _FENCE)


def _finding() -> Node:
    return sequence("- ", choice(_SEVERITIES), " | ", words(1, 3), " | ", sentence())


def _head() -> tuple[Node, Node]:
    return (
        sequence("**VERDICT:** ", choice(_VERDICTS)),
        sequence("**SUMMARY:** ", sentences(1, 2)),
    )


def _spec_review(_: _Values) -> Node:
    return _lines(*_head(), "**FINDINGS:**", _finding())


def _spec_gate(values: _Values) -> Node:
    numbers = tuple(dict.fromkeys(_CRITERION.findall(values.get("SPEC", "")))) or ("1",)
    met = choice(("MET", "NOT MET"))
    checks = [sequence(f"{n}. ", met, " | README.md | ", sentence()) for n in numbers]
    return _lines(*_head(), "**CRITERIA:**", *checks)


def _quality_gate(_: _Values) -> Node:
    gap = sequence("- ", sentence())
    risk = sequence("**RISK:** ", sentence())
    return _lines(*_head(), "**CONCERNS:**", _finding(), "**TEST GAPS:**", gap, risk)


_BUILD_FORMATS: Final[Mapping[str, Callable[[_Values], Node]]] = MappingProxyType(
    {
        "build-spec": _spec,
        "build-spec-review": _spec_review,
        "build-files": _files,
        "build-spec-gate": _spec_gate,
        "build-quality-gate": _quality_gate,
    }
)


_MODEL_LINE: Final = re.compile(r"^- ([\w.:/@+-]{1,100}) \(", re.MULTILINE)
# A very small model finds no good names; each seat picks from a list that pulls its own way.
_ROLE_LISTS: Final = (
    ("Advocate", "Optimist", "Builder", "Supporter"),
    ("Skeptic", "Critic", "Challenger", "Risk Officer"),
    ("Analyst", "Researcher", "Historian", "Economist"),
    ("Practitioner", "Outsider", "User's Voice", "Newcomer"),
)
_INTEGRATORS: Final = ("Integrator", "Editor")
_TYPES: Final = ("debate", "analysis", "coding", "research", "decision", "creative", "mixed")
_LEVELS: Final = ("low", "medium", "high")
_SOURCES: Final = tuple(f" [E{number}]" for number in range(1, 6))


def grammar_for(prompt: Prompt) -> Node | None:
    """The grammar of a prompt's answer; None for a prompt whose answer has no format."""
    write = _FORMATS.get(prompt.template)
    return write(prompt.values) if write else None


def _round1(values: _Values) -> Node:
    return _lines(
        sequence("**THESIS:** ", sentence()),
        "**KEY CLAIMS:**",
        *(sequence(f"{number}. ", sentence()) for number in (1, 2, 3)),
        sequence("**EVIDENCE / REASONING:** ", sentences(1, 2)),
        sequence("**RISKS / WEAKNESSES:** ", sentence()),
        sequence("**RECOMMENDATION:** ", sentence()),
        "---",
        _digest(),
        "",
        _closing(values),
    )


def _round2(values: _Values) -> Node:
    peers = _roles_in(values.get("PEER_DIGESTS", ""))
    peer = _one_of(peers, words(1, 2))
    scores = [sequence(f"- {role}: ", choice("12345"), "/5 — ", sentence()) for role in peers]
    return _lines(
        "**CRITIQUE:**",
        *(
            sequence(f"{n}. ", peer, " ", _CLAIM, ": ", words(3, 10), " because ", reason())
            for n in (1, 2)
        ),
        sequence("**DEFEND:** ", sentence()),
        sequence(
            "**REVISE:** ",
            choice(("No change.", sequence("Because of ", peer, " ", _CLAIM, ": ", sentence()))),
        ),
        _digest(),
        "**AGREEMENT SCORES**",
        "SCORES:",
        *scores,
        "",
        _closing(values),
    )


def _validation(_: _Values) -> Node:
    found = [verdict for verdict in Verdict if verdict is not Verdict.UNKNOWN]
    reasoning = sequence("\n**REASONING:** ", sentences(1, 2))
    correction = sequence("\n**CORRECTION:** ", sentence())
    endings = [
        sequence(verdict.value, reasoning, *(() if verdict is Verdict.ACCURATE else (correction,)))
        for verdict in found
    ]
    return sequence("**REPRESENTATION:** ", choice(endings))


def _synthesis(values: _Values) -> Node:
    bullets = sequence("- ", sentence(), Repeat(sequence("\n- ", sentence()), 0, 2))
    role = _one_of(_roles_in(values.get("ROUND1_SUMMARIES", "")), words(1, 2))
    bodies = {
        "recommendation": sentences(2, 3),
        "outlier": sequence(role, ': "', sentence(), '"'),
        "red_flags": sequence("- ", words(2, 8), ": ", sentence()),
        "action_plan": _lines("Next 24h:", bullets, "Next 7d:", bullets),
        "overturn": sequence("- ", sentence(), Repeat(sequence("\n- ", sentence()), 0, 1)),
    }
    sections = [
        _lines(heading, bodies.get(k, bullets)) for k, heading in SYNTHESIS_HEADINGS.items()
    ]
    return _lines(sequence("🎯 ", words(3, 9)), *sections)


def _summary(values: _Values) -> Node:
    role = _one_of(_roles_in(values.get("ROUND_ANSWERS", "")), words(1, 2))
    names = _json_list(sequence('"', role, '"'), 2)
    point = sequence('{"text": "', sentence(), '", "from": ', names, "}")
    found = [
        sequence(f', "{key}": ', _json_list(point, 2))
        for key in ("consensus", "disagreement", "new_points")
    ]
    return sequence('{"summary": "', sentences(2, 4), '"', *found, "}")


def _meta_panel(values: _Values) -> Node:
    models = tuple(_MODEL_LINE.findall(values.get("MODELS", "")))
    model = _one_of(models, words(1, 1))
    head = (
        sequence("**PROPOSITION:** ", sentence()),
        sequence(
            "**TASK ASSESSMENT:** Type: ",
            choice(_TYPES),
            " | Complexity: ",
            choice(_LEVELS),
            " | Primary need: ",
            words(2, 6),
        ),
    )
    tail = (
        sequence("**ROUNDS:** ", choice("123"), " — ", sentence()),
        sequence("**SYNTHESIS MODEL:** ", model),
        sequence("**REASONING:** ", sentences(2, 3)),
        sequence("**ANTI-PATTERN:** ", sentence()),
    )
    return _lines(*head, _workflow(model), *tail)


def _workflow(model: Node) -> Node:
    """The workflow's name and its stages; the second stage belongs to two of the three."""
    first = _lines("**STAGES:**", "Stage 1", *(_seat(model, roles) for roles in _ROLE_LISTS))
    second = _lines(first, "Stage 2", _seat(model, _INTEGRATORS))
    return choice(
        (
            _lines("**WORKFLOW TYPE:** parallel_debate", first),
            _lines(sequence("**WORKFLOW TYPE:** ", choice(("sequential", "hybrid"))), second),
        )
    )


def _seat(model: Node, roles: tuple[str, ...]) -> Node:
    return sequence("- Model: ", model, " | Role: ", choice(roles), " | Task: ", sentence())


def _search_digest(values: _Values) -> Node:
    fact = sequence(words(5, 20), choice(_SOURCES), ".")
    first = f"Searched on {values.get('DATE', 'an unknown day')}."
    return _lines(first, sequence(fact, Repeat(sequence(" ", fact), 1, 4)))


def _follow_up(values: _Values) -> Node:
    answer = sentences(1, 6)
    may_pass = values.get("OPEN_FLOOR", "").strip().casefold() == "yes"
    return choice((NO_REPLY, answer)) if may_pass else answer


def _proposition(_: _Values) -> Node:
    return sentence()


def _vote_options(_: _Values) -> Node:
    option = words(1, 2)  # longer ones could pass the length that an option may have
    return sequence("- ", option, Repeat(sequence("\n- ", option), 1, 3))


def _dissent(_: _Values) -> Node:
    return sentences(2, 3)


_FORMATS: Final[Mapping[str, Callable[[_Values], Node]]] = MappingProxyType(
    {
        "proposition": _proposition,
        "vote-options": _vote_options,
        "meta-panel": _meta_panel,
        "round1": _round1,
        "round2-cross-critique": _round2,
        "round3-validation": _validation,
        "final-synthesis": _synthesis,
        "rolling-summary": _summary,
        "search-digest": _search_digest,
        "follow-up": _follow_up,
        "dissent": _dissent,
        **_BUILD_FORMATS,
    }
)
