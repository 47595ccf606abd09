"""Reads the SELF-DIGEST of an answer, or makes one when the seat wrote none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.prompting.closing_lines import strip_markers
from bot.prompting.sections import strip_mark
from bot.prompting.text import cut_words, flat

_DIGEST_WORDS: Final = 200
_MAX_CLAIMS: Final = 9
_LABEL: Final = re.compile(
    r"[\s*_#>•+-]{0,12}"
    r"(?:(?P<thesis>(?:revised\s|updated\s)?thesis)|(?:claim\s?|C)(?P<claim>[1-9])|"
    r"(?P<claims>(?:key\s)?claims)|(?P<evidence>(?:strongest\s|key\s)?evidence)|"
    r"(?P<risk>(?:main\s|key\s)?risks?))"
    r"[*_\s]{0,4}[:：.)—–-][*_\s]{0,4}",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"\s{0,12}(?:[-+•*]\s|\d{1,2}[.)]\s)")


@dataclass(frozen=True, slots=True)
class Digest:
    """A position in brief; `made_up` tells that code built it because the seat wrote none."""

    thesis: str = ""
    claims: Mapping[str, str] = field(default_factory=dict)
    evidence: str = ""
    risk: str = ""
    text: str = ""
    made_up: bool = False


def read_digest(body: str) -> Digest:
    """Read the body of a SELF-DIGEST section of a tidied answer."""
    text = strip_markers(body)
    fields = _fields(text)
    thesis, evidence, risk = (fields.get(name, "") for name in ("thesis", "evidence", "risk"))
    claims = {key: fields[key] for key in sorted(fields) if key[0] == "C" and fields[key]}
    shown = _shown(thesis, claims, evidence, risk) if thesis and claims else text
    return Digest(thesis, claims, evidence, risk, cut_words(shown, _DIGEST_WORDS))


def make_digest(thesis: str, claims: Sequence[str], evidence: str, risk: str, text: str) -> Digest:
    """Build a digest from the other sections, or from the answer's first words."""
    numbered = {f"C{n}": flat(claim) for n, claim in enumerate(claims[:_MAX_CLAIMS], start=1)}
    start = flat(thesis) or cut_words(flat(text), _DIGEST_WORDS // 2)
    parts = (start, numbered, flat(evidence), flat(risk))
    return Digest(*parts, cut_words(_shown(*parts), _DIGEST_WORDS), made_up=True)


def _fields(text: str) -> dict[str, str]:
    """The labelled lines of a digest; unlabelled ones continue the line before them."""
    fields: dict[str, list[str]] = {}
    current = ""
    for line in text.split("\n"):
        label = _LABEL.match(line, 0, 80)
        if label:
            current = f"C{label['claim']}" if label["claim"] else label.lastgroup or ""
            fields[current] = [line[label.end() :]]
        elif _BULLET.match(line) and (current == "claims" or current.startswith("C")):
            current = f"C{min(_MAX_CLAIMS, sum(key[0] == 'C' for key in fields) + 1)}"
            fields[current] = [strip_mark(line)]
        elif current:
            fields[current].append(line)
    return {key: flat(" ".join(lines)).strip("* ") for key, lines in fields.items()}


def _shown(thesis: str, claims: Mapping[str, str], evidence: str, risk: str) -> str:
    lines = [f"Thesis: {thesis}"] if thesis else []
    lines += [f"{key}: {claim}" for key, claim in claims.items()]
    lines += [f"Evidence: {evidence}"] if evidence else []
    lines += [f"Risk: {risk}"] if risk else []
    return "\n".join(lines)
