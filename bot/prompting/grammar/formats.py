"""One grammar for each prompt: what it can produce is what the parser beside it reads (3.1)."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from bot.models.port import Prompt
from bot.prompting.followup import NO_REPLY
from bot.prompting.grammar.builds import BUILD_FORMATS
from bot.prompting.grammar.lines import (
    CLAIM,
    Values,
    closing,
    digest,
    json_list,
    lines,
    one_of,
    roles_in,
)
from bot.prompting.grammar.nodes import Node, Repeat, choice, sequence
from bot.prompting.grammar.prose import reason, sentence, sentences, words
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.prompting.validation import Verdict
from bot.request.modes import Mode

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


def _round1(values: Values) -> Node:
    return lines(
        sequence("**THESIS:** ", sentence()),
        "**KEY CLAIMS:**",
        *(sequence(f"{number}. ", sentence()) for number in (1, 2, 3)),
        sequence("**EVIDENCE / REASONING:** ", sentences(1, 2)),
        sequence("**RISKS / WEAKNESSES:** ", sentence()),
        sequence("**RECOMMENDATION:** ", sentence()),
        "---",
        digest(),
        "",
        closing(values),
    )


def _round2(values: Values) -> Node:
    peers = roles_in(values.get("PEER_DIGESTS", ""))
    peer = one_of(peers, words(1, 2))
    scores = [sequence(f"- {role}: ", choice("12345"), "/5 — ", sentence()) for role in peers]
    return lines(
        "**CRITIQUE:**",
        *(
            sequence(f"{n}. ", peer, " ", CLAIM, ": ", words(3, 10), " because ", reason())
            for n in (1, 2)
        ),
        sequence("**DEFEND:** ", sentence()),
        sequence(
            "**REVISE:** ",
            choice(("No change.", sequence("Because of ", peer, " ", CLAIM, ": ", sentence()))),
        ),
        digest(),
        "**AGREEMENT SCORES**",
        "SCORES:",
        *scores,
        "",
        closing(values),
    )


def _validation(_: Values) -> Node:
    found = [verdict for verdict in Verdict if verdict is not Verdict.UNKNOWN]
    reasoning = sequence("\n**REASONING:** ", sentences(1, 2))
    correction = sequence("\n**CORRECTION:** ", sentence())
    endings = [
        sequence(verdict.value, reasoning, *(() if verdict is Verdict.ACCURATE else (correction,)))
        for verdict in found
    ]
    return sequence("**REPRESENTATION:** ", choice(endings))


def _synthesis(values: Values) -> Node:
    bullets = sequence("- ", sentence(), Repeat(sequence("\n- ", sentence()), 0, 2))
    role = one_of(roles_in(values.get("ROUND1_SUMMARIES", "")), words(1, 2))
    bodies = {
        "recommendation": sentences(2, 3),
        "outlier": sequence(role, ': "', sentence(), '"'),
        "red_flags": sequence("- ", words(2, 8), ": ", sentence()),
        "action_plan": lines("Next 24h:", bullets, "Next 7d:", bullets),
    }
    sections = [lines(heading, bodies.get(k, bullets)) for k, heading in SYNTHESIS_HEADINGS.items()]
    return lines(sequence("🎯 ", words(3, 9)), *sections)


def _summary(values: Values) -> Node:
    role = one_of(roles_in(values.get("ROUND_ANSWERS", "")), words(1, 2))
    names = json_list(sequence('"', role, '"'), 2)
    point = sequence('{"text": "', sentence(), '", "from": ', names, "}")
    found = [
        sequence(f', "{key}": ', json_list(point, 2))
        for key in ("consensus", "disagreement", "new_points")
    ]
    return sequence('{"summary": "', sentences(2, 4), '"', *found, "}")


def _meta_panel(values: Values) -> Node:
    models = tuple(_MODEL_LINE.findall(values.get("MODELS", "")))
    model = one_of(models, words(1, 1))
    votes = values.get("MODE") == Mode.VOTE
    option = words(1, 2)  # longer ones could pass the length that an option may have
    options = sequence("**OPTIONS:** ", option, Repeat(sequence(" | ", option), 1, 3))
    head = (
        sequence("**PROPOSITION:** ", sentence()),
        *((options,) if votes else ()),
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
    return lines(*head, _workflow(model), *tail)


def _workflow(model: Node) -> Node:
    """The workflow's name and its stages; the second stage belongs to two of the three."""
    first = lines("**STAGES:**", "Stage 1", *(_seat(model, roles) for roles in _ROLE_LISTS))
    second = lines(first, "Stage 2", _seat(model, _INTEGRATORS))
    return choice(
        (
            lines("**WORKFLOW TYPE:** parallel_debate", first),
            lines(sequence("**WORKFLOW TYPE:** ", choice(("sequential", "hybrid"))), second),
        )
    )


def _seat(model: Node, roles: tuple[str, ...]) -> Node:
    return sequence("- Model: ", model, " | Role: ", choice(roles), " | Task: ", sentence())


def _search_digest(values: Values) -> Node:
    fact = sequence(words(5, 20), choice(_SOURCES), ".")
    first = f"Searched on {values.get('DATE', 'an unknown day')}."
    return lines(first, sequence(fact, Repeat(sequence(" ", fact), 1, 4)))


def _follow_up(values: Values) -> Node:
    answer = sentences(1, 6)
    may_pass = values.get("OPEN_FLOOR", "").strip().casefold() == "yes"
    return choice((NO_REPLY, answer)) if may_pass else answer


def _proposition(_: Values) -> Node:
    return sentence()


def _dissent(_: Values) -> Node:
    return sentences(2, 3)


_FORMATS: Final[Mapping[str, Callable[[Values], Node]]] = MappingProxyType(
    {
        "proposition": _proposition,
        "meta-panel": _meta_panel,
        "round1": _round1,
        "round2-cross-critique": _round2,
        "round3-validation": _validation,
        "final-synthesis": _synthesis,
        "rolling-summary": _summary,
        "search-digest": _search_digest,
        "follow-up": _follow_up,
        "dissent": _dissent,
        **BUILD_FORMATS,
    }
)
