"""Reads what a seat declares at the end of an answer: digest, stance, ballot."""

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.prompting.sections import strip_mark
from bot.prompting.text import cut_words, flat, one_line
from bot.types.characters import clean

_OPENING: Final = re.compile(r"\[\s{0,8}(STANCE|BALLOT)\s{0,8}:", re.IGNORECASE)
_BRACKET_OR_END: Final = re.compile(r"[\[\]\n]")
_ONLY_DECORATION: Final = re.compile(r"[\s*_`>~#-]*")
_EMPTY_FENCE: Final = re.compile(r"^```[\w-]{0,20}\n\s{0,40}```$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Marker:
    """A marker's place, its kind in upper case, and what stands after its colon."""

    start: int
    end: int
    kind: str
    body: str


def _find_markers(text: str) -> Iterator[_Marker]:
    """Every marker in order; an unclosed one ends with its line."""
    position = 0
    while match := _OPENING.search(text, position):
        end, body_end = _closing(text, match.end())
        yield _Marker(match.start(), end, match[1].upper(), text[match.end() : body_end].strip())
        position = end


def _closing(text: str, start: int) -> tuple[int, int]:
    """Where the marker and its body end; brackets inside a reason are balanced."""
    depth = 1
    for match in _BRACKET_OR_END.finditer(text, start):
        if match[0] == "\n":
            return match.start(), match.start()
        depth += 1 if match[0] == "[" else -1
        if depth == 0:
            return match.end(), match.start()
    return len(text), len(text)


def strip_markers(text: str) -> str:
    """The text without any marker and without the lines and fences that held nothing else."""
    if _OPENING.search(text) is None:
        return text.strip()
    pieces: list[str] = []
    position = 0
    for marker in _find_markers(text):
        pieces.extend((text[position : marker.start], "\0"))
        position = marker.end
    pieces.append(text[position:])
    lines = "".join(pieces).split("\n")
    kept = [line for line in lines if "\0" not in line or not _was_marker(line)]
    bare = "\n".join(kept).replace("\0", "")
    return (_EMPTY_FENCE.sub("", bare) if "```" in bare else bare).strip()


def _was_marker(line: str) -> bool:
    return _ONLY_DECORATION.fullmatch(line.replace("\0", "")) is not None


_REASON_WORDS: Final = 60
_BARS: Final = re.compile(r"[|｜]")
_LABEL: Final = re.compile(r"option\b[\s:.)-]{0,4}", re.IGNORECASE)
_AROUND: Final = " \t*_`\"'“”‘’«»<>()."
_CONFIDENCE: Final = re.compile(r"\D{0,20}?(-?\d{1,9}(?:[.,]\d{1,9})?)\s{0,4}(%|/\s{0,4}\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote; no `option` means abstained or unreadable, no `confidence` means none was given."""

    option: str | None = None
    confidence: int | None = None
    reason: str = ""


def parse_ballot(text: str, options: Sequence[str]) -> Ballot:
    """The last ballot that names a known option, else an empty one."""
    ballot = Ballot()
    for marker in _find_markers(clean(text)):
        if marker.kind != "BALLOT":
            continue
        fields = [field.strip() for field in _BARS.split(marker.body, maxsplit=2)]
        option = match_option(fields[0], options)
        if option is not None and not _is_the_instruction(fields):
            confidence = _confidence(fields[1]) if len(fields) > 1 else None
            reason = cut_words(one_line(fields[2]), _REASON_WORDS) if len(fields) > 2 else ""
            ballot = Ballot(option, confidence, reason)
    return ballot


def match_option(written: str, options: Sequence[str]) -> str | None:
    """The one option that is meant, ignoring case and, where that decides, punctuation."""
    spelled = written.strip(_AROUND)
    candidates = [spelled]
    label = _LABEL.match(spelled)
    if label:
        candidates.append(spelled[label.end() :])
    for candidate in candidates:
        for form in (_folded, _key):
            wanted = form(candidate)
            hits = [option for option in options if wanted and form(option) == wanted]
            if len(hits) == 1:
                return hits[0]
    return None


def _folded(text: str) -> str:
    return one_line(text).strip(_AROUND).casefold()


def _key(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _is_the_instruction(fields: Sequence[str]) -> bool:
    return [field.casefold() for field in fields] == ["option", "confidence", "reason"]


def _confidence(written: str) -> int | None:
    match = _CONFIDENCE.match(written)
    if match is None:
        return None
    number = float(match[1].replace(",", "."))
    scale = (match[2] or "").replace(" ", "")
    if scale.startswith("/") and scale != "/100":
        return None
    if not scale and 0 < number < 1:
        number *= 100
    return round(min(100.0, max(0.0, number)))


__all__ = ["Stance", "parse_stance", "strip_markers"]

_STANCE: Final = re.compile(r"\[STANCE:\s*(?:(AGREE)|(DISAGREE)|(NEUTRAL))\]", re.IGNORECASE)


class Stance(enum.StrEnum):
    """Where a seat stands toward the proposition; UNKNOWN is stored as it is (A17)."""

    AGREE = "AGREE"
    DISAGREE = "DISAGREE"
    NEUTRAL = "NEUTRAL"
    UNKNOWN = "UNKNOWN"


_IN_ORDER: Final = (Stance.AGREE, Stance.DISAGREE, Stance.NEUTRAL)


def parse_stance(text: str) -> Stance:
    """The last well-formed stance marker of a text, UNKNOWN when there is none."""
    stance = Stance.UNKNOWN
    for match in _STANCE.finditer(text):
        stance = _IN_ORDER[(match.lastindex or 1) - 1]
    return stance


_DIGEST_WORDS: Final = 200
_MAX_CLAIMS: Final = 9
_DIGEST_LABEL: Final = re.compile(
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
        label = _DIGEST_LABEL.match(line, 0, 80)
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
