"""Reading digests and ballots back: who said what, and on which side that puts them.

Digests come from this package or from real models, labelled by role in one of several ways, so
everything is optional and nothing is trusted.
"""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.rehearsal.phrase_types import Stance
from bot.rehearsal.text import clause, clean, cut, fold

_CLAIM_CHARS = 160
LEAD = {Stance.AGREE: "In favour", Stance.DISAGREE: "Against", Stance.NEUTRAL: "Undecided"}

_FIELD = re.compile(
    r"^\W*(?P<name>thesis|C(?P<number>[1-9])|evidence|risk)\W{0,3}:[\s*_]*(?P<text>\S.*)$",
    re.IGNORECASE,
)
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=(?:Thesis|C[1-9]|Evidence|Risk):\s)")
_ATTRIBUTE = re.compile(r"\brole\s*=\s*[\"'](?P<name>[^\"'>]+(?:'s[^\"'>]*)?)[\"']", re.IGNORECASE)
_LABEL = re.compile(
    r"^\W*(?:(?:from|role|peer|seat|panelist|digest of|answer of|answer by)\b[ :]+)?"
    r"(?P<name>[^\W\d_][^\n:|()\[\]<>*#.!?“”]{0,58}?)\s*(?:\([^)\n]*\))?\W*$",
    re.IGNORECASE,
)
_HEADINGS = frozenset(
    "thesis|key claims|evidence reasoning|evidence|risks weaknesses|risks|recommendation"
    "|self digest|critique|defend|revise|agreement scores|scores|proposition|no change".split("|")
)
_CONCEDED = re.compile(r"\bC\d\b")
_NO_BALLOT = "no readable ballot"
_BALLOT = re.compile(
    r"^[^\w\n]*+(?P<role>[^:\n]{1,60}): (?P<option>.+?)(?: — (?P<reason>.*))?$", re.MULTILINE
)
_SIDES = (
    (Stance.AGREE, re.compile(r"^\W*(?:in favou?r|for|yes|agree)\b", re.IGNORECASE)),
    (Stance.DISAGREE, re.compile(r"^\W*(?:against|no|disagree|opposed)\b", re.IGNORECASE)),
    (Stance.NEUTRAL, re.compile(r"^\W*(?:undecided|neutral|open)\b", re.IGNORECASE)),
)
_NO_WORDS = re.compile(
    r"\b(?:not|never|against|cannot|wrong|mistake|premature|reject|avoid)\b", re.IGNORECASE
)
_YES_WORDS = re.compile(
    r"\b(?:should|worth|better|yes|support|adopt|good|right|recommend)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One numbered claim of a digest."""

    cid: str
    text: str


@dataclass(frozen=True, slots=True)
class Digest:
    """What one role said, as short as it was handed on."""

    role: str
    thesis: str = ""
    claims: tuple[Claim, ...] = field(default=())
    evidence: str = ""
    risk: str = ""

    @property
    def is_empty(self) -> bool:
        """True when nothing of the digest could be read."""
        return not self.thesis and not self.claims

    @property
    def own_claims(self) -> list[Claim]:
        """The claims that were not taken over from a peer."""
        return [claim for claim in self.claims if not _CONCEDED.search(claim.text)]


@dataclass(frozen=True, slots=True)
class Ballot:
    """One line of the vote; the option is empty when the seat's ballot could not be read."""

    role: str
    option: str
    reason: str


def read_digests(text: str) -> tuple[Digest, ...]:
    """Every labelled digest in a text, in its order, one per role."""
    lines = _one_field_a_line(textwrap.dedent(text))
    blocks: list[Digest] = []
    for index, line in enumerate(lines):
        name = _label_of(line, lines[index + 1] if index + 1 < len(lines) else "")
        if name:
            blocks.append(Digest(name))
        elif found := _FIELD.match(line):
            if not blocks:
                blocks.append(Digest(""))
            blocks[-1] = _with_field(blocks[-1], found)
    by_role = {fold(block.role): block for block in blocks if not block.is_empty}
    return tuple(by_role.values())


def read_own(text: str) -> Digest:
    """One's own digest, labelled or not."""
    found = read_digests(text)
    return found[-1] if found else Digest("")


def side_of(digest: Digest, options: Sequence[str]) -> str:
    """The side a digest takes: an option when there is a vote, else a stance, else nothing."""
    if options:
        return _option_in(digest.thesis, options)
    for stance, lead in _SIDES:
        if lead.match(digest.thesis):
            return stance.value
    return _guess(digest.thesis)


def _guess(thesis: str) -> str:
    if not thesis:
        return ""
    if _NO_WORDS.search(thesis):
        return Stance.DISAGREE.value
    return Stance.AGREE.value if _YES_WORDS.search(thesis) else Stance.NEUTRAL.value


def _option_in(thesis: str, options: Sequence[str]) -> str:
    said = f" {fold(thesis)} "
    places = [(said.find(f" {fold(o)} "), -len(o), o) for o in options if fold(o)]
    found = sorted(place for place in places if place[0] >= 0)
    return found[0][2] if found else ""


def _one_field_a_line(text: str) -> list[str]:
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw.rstrip()
        lines += _INLINE.split(line) if "Thesis:" in line else [line]
    return [line for line in lines if line.strip()]


def _label_of(line: str, following: str) -> str:
    if line[0].isspace():
        return ""
    attribute = _ATTRIBUTE.search(line)
    if attribute:
        return clean(attribute["name"])
    found = _LABEL.match(line)
    if not found or fold(found["name"]) in _HEADINGS:
        return ""
    marked = line[0] in "#*<=[_" or line.endswith((":", "**"))
    leads = re.match(r"\W*(?:thesis|c1)\b", following, re.IGNORECASE) is not None
    return clean(found["name"]) if marked or leads else ""


def _with_field(block: Digest, found: re.Match[str]) -> Digest:
    text = cut(clause(clean(found["text"])), _CLAIM_CHARS)
    name = found["name"].lower()
    if not found["number"]:
        return _with_text(block, name, text)
    kept = tuple(claim for claim in block.claims if claim.cid != found["name"].upper())
    return replace(block, claims=(*kept, Claim(found["name"].upper(), text)))


def _with_text(block: Digest, name: str, text: str) -> Digest:
    if name == "thesis":
        return replace(block, thesis=text)
    if name == "risk":
        return replace(block, risk=text)
    return replace(block, evidence=text)


def write_digest(
    thesis: str, claims: Sequence[str], evidence: str, risk: str, lead: str
) -> list[str]:
    """The lines of a digest."""
    numbered = [f"C{number}: {_sentence(text)}" for number, text in enumerate(claims, 1)]
    return [
        f"Thesis: {lead}: {clause(thesis)}.",
        *numbered,
        f"Evidence: {_sentence(evidence)}",
        f"Risk: {_sentence(risk)}",
    ]


def _sentence(text: str) -> str:
    text = clause(text)
    return f"{text[:1].upper()}{text[1:]}."


def read_ballots(text: str) -> Mapping[str, Ballot]:
    """The ballots by folded role, in their order, from lines such as "Role: option — reason"."""
    lines = [_ballot(found) for found in _BALLOT.finditer(text)]
    return {fold(ballot.role): ballot for ballot in lines}


def _ballot(found: re.Match[str]) -> Ballot:
    option = found["option"].strip()
    reason = (found["reason"] or "").strip()
    return Ballot(found["role"].strip(), "" if fold(option) == fold(_NO_BALLOT) else option, reason)
