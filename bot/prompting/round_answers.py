"""Reads an answer of round 1: its sections, its digest, and the text people see."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from bot.prompting.closing_lines import Digest, make_digest, read_digest, strip_markers
from bot.prompting.roles import Mention, Roles, roles_of
from bot.prompting.sections import (
    Headings,
    Section,
    has_mark,
    is_rule,
    last_bodies,
    last_body,
    list_items,
    split_sections,
    strip_mark,
)
from bot.prompting.text import cut_words, flat, tidy

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
_NAMED_CLAIM: Final = re.compile(r"[\s*_]{0,4}C[1-9]\b")
_NAMES: Final = ("thesis", "claims", "evidence", "risks", "recommendation")


@dataclass(frozen=True, slots=True)
class _Round1:
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


def parse_round1(answer: str) -> _Round1:
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
    return _Round1(
        thesis=bodies["thesis"],
        claims=claims,
        evidence=bodies["evidence"],
        risks=bodies["risks"],
        recommendation=bodies["recommendation"],
        digest=read_digest(stripped_digest)
        if stripped_digest
        else make_digest(bodies["thesis"], claims, bodies["evidence"], bodies["risks"], public),
        public_text=_with_claim_ids(public, sections),
        full_text=answer,
        missing=tuple(missing),
    )


def _with_claim_ids(public: str, sections: tuple[Section, ...]) -> str:
    """The text with its claims named as critiques cite them: C1, C2, C3."""
    lines, number = public.split("\n"), 0
    for section in sections:
        for at in range(section.first_line, section.end_line) if section.key == "claims" else ():
            if has_mark(lines[at]) and not lines[at].startswith("  "):
                number += 1
                claim = strip_mark(lines[at])
                lines[at] = claim if _NAMED_CLAIM.match(claim) else f"C{number}. {claim}"
    return "\n".join(lines)


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


_REASON_WORDS: Final = 80
_MOST_CRITIQUES: Final = 20
ROUND2_HEADINGS: Final = Headings(
    {
        "critique": ("CRITIQUE", "CRITIQUES", "CROSS-CRITIQUE"),
        "defend": ("DEFEND", "DEFENCE", "DEFENSE"),
        "revise": ("REVISE", "REVISION"),
        "digest": ("SELF-DIGEST", "UPDATED SELF-DIGEST"),
        "scores": ("AGREEMENT SCORES", "SCORES"),
    }
)
_ROUND2_NAMES: Final = ("critique", "defend", "revise", "digest", "scores")
_CLAIM: Final = re.compile(r"(?<!\w)(?:C|claim\s{0,2}#?)\s?([1-9])(?!\w)", re.IGNORECASE)
_BECAUSE: Final = re.compile(r"[\s,;:—–-]{1,6}because\s{1,4}", re.IGNORECASE)
_NO_CHANGE: Final = re.compile(
    r"[\W_]{0,8}(?:no\s(?:changes?|revisions?)\b|none\b|unchanged\b|n/?a\b|nothing\b|not\s?applicable\b)",
    re.IGNORECASE,
)
_NEAR: Final = 60  # a claim id further from the name may belong to somebody else
_EDGE: Final = " \t:：,;.—–-*_'’"


class Outline(NamedTuple):
    """An answer, the same tidied, and the sections that it falls into."""

    answer: str
    text: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Critique:
    """One objection: the peer's role, the claim it is about ("C2"), what is wrong, and why."""

    target: str
    claim: str | None
    point: str
    reason: str


@dataclass(frozen=True, slots=True)
class Revision:
    """Whether the seat changed its position, and whose claim it names as the cause."""

    changed: bool = False
    role: str | None = None
    claim: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Round2:
    """An answer of a later round taken apart; no `digest` means the earlier one still stands."""

    critiques: tuple[Critique, ...]
    defend: str
    revision: Revision
    digest: Digest | None
    public_text: str
    full_text: str
    missing: tuple[str, ...]


def parse_round2(answer: str, peers: Sequence[str]) -> Round2:
    """Take a cross-critique apart; only the given peers can be targets or causes."""
    return read_round2(outline_of(answer), peers)


def outline_of(answer: str) -> Outline:
    """Find the sections of a cross-critique, out of which its parts and its scores are read."""
    text = tidy(answer)
    return Outline(answer, text, split_sections(text, ROUND2_HEADINGS.find))


def read_round2(outline: Outline, peers: Sequence[str]) -> Round2:
    """Read the parts of a cross-critique out of its sections."""
    found = last_bodies(outline.sections)
    bodies = {name: strip_markers(found.get(name, "")) for name in _ROUND2_NAMES}
    roles = roles_of(*peers)
    return Round2(
        critiques=tuple(islice(_critiques(bodies["critique"], roles), _MOST_CRITIQUES)),
        defend=bodies["defend"],
        revision=_revision(bodies["revise"], roles),
        digest=read_digest(bodies["digest"]) if bodies["digest"] else None,
        public_text=_public(outline),
        full_text=outline.answer,
        missing=tuple(name for name in _ROUND2_NAMES if not bodies[name]),
    )


def _critiques(body: str, roles: Roles) -> Iterator[Critique]:
    for item in _items(body, roles):
        mention = roles.first(item)
        if mention is not None:
            yield _critique(item, mention)


def _items(body: str, roles: Roles) -> Iterator[str]:
    """List items and paragraphs that begin with a role; any other paragraph is talk."""
    item: list[str] = []
    for line in body.split("\n"):
        if has_mark(line) or _opens_with_role(line, roles):
            yield " ".join(item)
            item = [strip_mark(line)]
        elif not line.strip():
            yield " ".join(item)
            item = []
        elif item:
            item.append(line.strip())
    yield " ".join(item)


def _opens_with_role(line: str, roles: Roles) -> bool:
    mention = roles.first(line[:120])
    return mention is not None and not line[: mention.start].strip(_EDGE + "[")


def _critique(item: str, mention: Mention) -> Critique:
    claim = _CLAIM.search(item, mention.end, mention.end + _NEAR)
    start = claim.end() if claim else mention.end
    named = claim or _CLAIM.search(item[: mention.start])
    said = flat(item[start:]).lstrip(_EDGE + "])")
    point, reason = _split_because(said or flat(item))
    claim_id = f"C{named[1]}" if named else None
    short = (cut_words(text, _REASON_WORDS) for text in (point, reason))
    return Critique(mention.role, claim_id, *short)


def _split_because(said: str) -> tuple[str, str]:
    match = _BECAUSE.search(f" {said}")
    if match is None:
        return "", said
    return said[: max(0, match.start() - 1)].strip(), said[match.end() - 1 :].strip()


def _revision(body: str, roles: Roles) -> Revision:
    if not body or _NO_CHANGE.match(body[:80]):
        return Revision(text=body)
    mention = roles.first(body)
    if mention is None:
        return Revision(changed=True, text=body)
    claim = _CLAIM.search(body, mention.end)
    return Revision(True, mention.role, f"C{claim[1]}" if claim else None, body)


def _public(outline: Outline) -> str:
    """The answer without its digest, which is bookkeeping, and without markers."""
    lines = outline.text.split("\n")
    for section in reversed(outline.sections):
        if section.key == "digest":
            del lines[section.first_line : section.end_line]
    return strip_markers("\n".join(lines)) or strip_markers(outline.text)
