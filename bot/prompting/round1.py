"""Reads an answer of round 1: its sections, its digest, and the text people see."""

from dataclasses import dataclass
from typing import Final

from bot.prompting.cleaning import tidy
from bot.prompting.digest import Digest, make_digest, read_digest
from bot.prompting.lists import list_items
from bot.prompting.markers import strip_markers
from bot.prompting.sections import (
    Headings,
    Section,
    is_rule,
    last_bodies,
    last_body,
    split_sections,
)

_DIGEST: Final = Headings({"digest": ("SELF-DIGEST", "SELF DIGEST")})
_SECTIONS: Final = Headings(
    {
        "thesis": ("THESIS",),
        "claims": ("KEY CLAIMS", "CLAIMS"),
        "evidence": ("EVIDENCE / REASONING", "EVIDENCE AND REASONING", "EVIDENCE", "REASONING"),
        "risks": ("RISKS / WEAKNESSES", "RISKS AND WEAKNESSES", "RISKS", "WEAKNESSES"),
        "recommendation": ("RECOMMENDATION", "RECOMMENDATIONS"),
    }
)
_NAMES: Final = ("thesis", "claims", "evidence", "risks", "recommendation")


@dataclass(frozen=True, slots=True)
class Round1:
    """An answer taken apart; `missing` names the sections the seat left out."""

    thesis: str
    claims: tuple[str, ...]
    evidence: str
    risks: str
    recommendation: str
    digest: Digest
    public_text: str
    full_text: str
    missing: tuple[str, ...]


def parse_round1(answer: str) -> Round1:
    """Take an answer of round 1 apart; any text gives a result."""
    text = tidy(answer)
    parts = split_sections(text, _DIGEST.find)
    digest = last_body(parts, "digest")
    stripped_digest = strip_markers(digest)
    before = _before_digest(text, parts)
    public = strip_markers(before) or strip_markers(text)
    sections = split_sections(public, _SECTIONS.find)
    found = last_bodies(sections)
    bodies = {name: found.get(name, "") for name in _NAMES}
    claims = list_items(bodies["claims"])
    missing = [name for name in _NAMES if not bodies[name]] + ["digest"] * (not digest)
    return Round1(
        thesis=bodies["thesis"],
        claims=claims,
        evidence=bodies["evidence"],
        risks=bodies["risks"],
        recommendation=bodies["recommendation"],
        digest=read_digest(stripped_digest)
        if stripped_digest
        else make_digest(bodies["thesis"], claims, bodies["evidence"], bodies["risks"], public),
        public_text=public,
        full_text=answer,
        missing=tuple(missing),
    )


def _before_digest(text: str, parts: tuple[Section, ...]) -> str:
    """What stands before the digest that counts, without the rule that announces it."""
    starts = [part.first_line for part in parts if part.key == "digest" and part.body]
    starts = starts or [part.first_line for part in parts if part.key == "digest"]
    if not starts:
        return text
    lines = text.split("\n")[: starts[-1]]
    while lines and (not lines[-1].strip() or is_rule(lines[-1])):
        lines.pop()
    return "\n".join(lines)
