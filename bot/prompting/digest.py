"""Reads the SELF-DIGEST of an answer, or makes one when the seat wrote none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.prompting.cleaning import one_line
from bot.prompting.lists import strip_mark
from bot.prompting.markers import strip_markers
from bot.prompting.words import cut_words

DIGEST_WORDS: Final = 200
MAX_CLAIMS: Final = 9
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
    """Read the body of a SELF-DIGEST section."""
    text = strip_markers(body)
    fields = _fields(text)
    claims = {key: fields[key] for key in sorted(fields) if key[0] == "C" and fields[key]}
    digest = Digest(
        one_line(fields.get("thesis", "")),
        claims,
        fields.get("evidence", ""),
        fields.get("risk", ""),
    )
    shown = _shown(digest) if digest.thesis and claims else text
    return _with_text(digest, shown, made_up=False)


def make_digest(thesis: str, claims: Sequence[str], evidence: str, risk: str, text: str) -> Digest:
    """Build a digest from the other sections, or from the answer's first words."""
    numbered = {f"C{n}": one_line(claim) for n, claim in enumerate(claims[:MAX_CLAIMS], start=1)}
    start = thesis or cut_words(one_line(text), DIGEST_WORDS // 2)
    digest = Digest(one_line(start), numbered, one_line(evidence), one_line(risk))
    return _with_text(digest, _shown(digest), made_up=True)


def _fields(text: str) -> dict[str, str]:
    """The labelled lines of a digest; unlabelled ones continue the line before them."""
    fields: dict[str, list[str]] = {}
    current = ""
    for line in text.split("\n"):
        label = _LABEL.match(line[:80])
        if label:
            current = _name_of(label)
            fields[current] = [line[label.end() :]]
        elif _BULLET.match(line) and (current == "claims" or current.startswith("C")):
            current = f"C{min(MAX_CLAIMS, sum(key[0] == 'C' for key in fields) + 1)}"
            fields[current] = [strip_mark(line)]
        elif current:
            fields[current].append(line)
    return {key: one_line(" ".join(lines)).strip("* ") for key, lines in fields.items()}


def _name_of(label: re.Match[str]) -> str:
    if label["claim"]:
        return f"C{label['claim']}"
    return next(name for name in ("thesis", "claims", "evidence", "risk") if label[name])


def _shown(digest: Digest) -> str:
    lines = [f"Thesis: {digest.thesis}"] if digest.thesis else []
    lines += [f"{key}: {claim}" for key, claim in digest.claims.items()]
    lines += [f"Evidence: {digest.evidence}"] if digest.evidence else []
    lines += [f"Risk: {digest.risk}"] if digest.risk else []
    return "\n".join(lines)


def _with_text(digest: Digest, text: str, *, made_up: bool) -> Digest:
    return Digest(
        digest.thesis,
        digest.claims,
        digest.evidence,
        digest.risk,
        cut_words(text, DIGEST_WORDS),
        made_up,
    )
