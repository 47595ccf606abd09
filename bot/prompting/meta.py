"""Reads a panel design and says what it left out; which models exist is not its question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bot.prompting.sections import Headings, last_bodies, split_sections, strip_mark
from bot.prompting.text import cut_words, flat, plain_words, tidy

_MAX_ROUNDS: Final = 3
_MAX_SEATS: Final = 16
_ROLE_CHARS: Final = 40
_TASK_WORDS: Final = 60
_SPELLINGS: Final = {
    "proposition": ("PROPOSITION",),
    "assessment": ("TASK ASSESSMENT",),
    "workflow": ("WORKFLOW TYPE", "WORKFLOW"),
    "stages": ("STAGES",),
    "rounds": ("ROUNDS",),
    "synthesis": ("SYNTHESIS MODEL",),
    "reasoning": ("REASONING",),
    "anti_pattern": ("ANTI-PATTERN", "ANTI-PATTERNS"),
}
_KEYS: Final = tuple(_SPELLINGS)
_HEADINGS: Final = Headings(_SPELLINGS)
_WORKFLOW: Final = re.compile(r"(parallel)[\s_-]{1,3}debate|(sequential)|(hybrid)", re.IGNORECASE)
_STAGE: Final = re.compile(r"[\s*_#>-]{0,12}stage\s{0,4}([1-9])\b", re.IGNORECASE)
_FIELD: Final = re.compile(
    r"[\s*_`]{0,8}(model|role|task)[\s*_`]{0,8}[:：][\s*_`]{0,8}", re.IGNORECASE
)
_MODEL: Final = re.compile(r"[\w.:/@+-]{1,100}")
_COUNT: Final = re.compile(
    r"\D{0,80}(?<![\w.,])(\d)(?![\w]|[.,]\d|\s{0,2}(?:[-–—/]|to\b|or\b)\s{0,2}\d)"
)


@dataclass(frozen=True, slots=True)
class SeatProposal:
    """One recommended member: `stage` is 1 or higher, `role` is fit to be a name."""

    stage: int
    model: str
    role: str
    task: str


@dataclass(frozen=True, slots=True)
class DesignProposal:
    """One analyst's recommendation; `missing` names what it did not say in a readable way."""

    workflow: str | None
    stages: tuple[SeatProposal, ...]
    rounds: int | None
    synthesis_model: str | None
    proposition: str
    assessment: str
    reasoning: str
    anti_pattern: str
    missing: tuple[str, ...] = ()


def parse_design_proposal(answer: str) -> DesignProposal:
    """Take a panel design apart; any text gives a result, an unreadable one with all missing."""
    found = last_bodies(split_sections(tidy(answer), _HEADINGS.find))
    body = {key: found.get(key, "") for key in _KEYS}
    needed = (
        ("proposition", proposition := _sentence(body["proposition"], 60)),
        ("workflow", workflow := _workflow(body["workflow"])),
        ("stages", stages := tuple(_seats(body["stages"]))[:_MAX_SEATS]),
        ("rounds", rounds := _rounds(body["rounds"])),
        ("synthesis", synthesis_model := _model(body["synthesis"])),
    )
    return DesignProposal(
        workflow=workflow,
        stages=stages,
        rounds=rounds,
        synthesis_model=synthesis_model,
        proposition=proposition,
        assessment=_sentence(body["assessment"], 60),
        reasoning=_sentence(body["reasoning"], 120),
        anti_pattern=_sentence(body["anti_pattern"], 120),
        missing=tuple(name for name, value in needed if not value),
    )


def _first_line(body: str) -> str:
    return body.partition("\n")[0][:400]


def _sentence(body: str, words: int) -> str:
    """The body as one line; a blank of the instruction that came back unfilled is nothing."""
    text = flat(body).strip("*_` ")
    return "" if text.startswith("<") and text.endswith(">") else cut_words(text, words)


def _workflow(body: str) -> str | None:
    """The workflow when exactly one is named in the first line."""
    names = {match.lastindex for match in _WORKFLOW.finditer(_first_line(body))}
    if len(names) != 1:
        return None
    return ("parallel_debate", "sequential", "hybrid")[(names.pop() or 1) - 1]


def _seats(body: str) -> Iterator[SeatProposal]:
    stage = 1
    for line in body.split("\n"):
        heading = _STAGE.match(line, 0, 80)
        if heading:
            stage = int(heading[1])
        seat = _seat(stage, line[heading.end() :] if heading else line)
        if seat is not None:
            yield seat


def _seat(stage: int, line: str) -> SeatProposal | None:
    if "|" not in line:
        return None
    fields: dict[str, str] = {}
    for piece in strip_mark(line).lstrip(" :.—–-").split("|")[:8]:
        label = _FIELD.match(piece)
        if label:
            fields[label[1].lower()] = piece[label.end() :].strip(" *_`")
    model = _model(fields.get("model", ""))
    written = fields.get("role", "")
    role = plain_words(written, _ROLE_CHARS)
    if model is None or written.startswith("<") or not role:
        return None
    return SeatProposal(stage, model, role, _sentence(fields.get("task", ""), _TASK_WORDS))


def _rounds(body: str) -> int | None:
    """The first number of its own in the first line, brought into 1 to 3; a range is no number."""
    match = _COUNT.match(_first_line(body))
    return min(_MAX_ROUNDS, max(1, int(match[1]))) if match else None


def _model(body: str) -> str | None:
    """The model's name at the start of a text."""
    match = _MODEL.match(body.lstrip(" *_`\"'"))
    return match[0].rstrip(".:,*_") or None if match else None
