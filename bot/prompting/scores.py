"""Reads agreement scores: a clean line first, else the digit by the name, else an inferred 3."""

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.prompting.roles import Mention, Roles, level, roles_of
from bot.prompting.round_answers import ROUND2_HEADINGS, Outline, outline_of
from bot.prompting.sections import is_rule, strip_mark

_INFERRED_SCORE: Final = 3
_LINE_LOOK: Final = 600
_CLEAN: Final = re.compile(r"\s{0,8}:\s{0,8}([1-5])\s{0,4}/\s{0,4}5(?![\w/]|[.,]\d)")
# A digit of its own: no part of a larger number, a fraction, a percentage, a word or a claim id.
_DIGIT: Final = re.compile(
    r"(?<![\w.,/⁄+-])([1-5])(?![\w⁄%]|[.,]\d|\s{0,4}/\s{0,4}(?!5(?![\d.,]))|\s{0,2}%)"
)
_OF_FIVE: Final = re.compile(r"\s{0,4}(?:/|out\sof|of)\s{0,4}5(?!\d)", re.IGNORECASE)
_BLOCK_END: Final = re.compile(
    r"\s{0,20}[*_`>]{0,4}\s{0,4}(?:\[\s{0,8}(?:STANCE|BALLOT)|</?data-|<!--)", re.IGNORECASE
)


class How(enum.StrEnum):
    """How a score was found."""

    CLEAN = "clean"
    NEAREST = "nearest"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Score:
    """What a seat gave one peer, from 1 to 5."""

    peer: str
    value: int
    how: How


@dataclass(frozen=True, slots=True)
class Scores:
    """One score for every peer, in the order the peers were given."""

    scores: tuple[Score, ...]

    @property
    def readable(self) -> bool:
        """Whether the seat gave at least one score that could be read (2.2#16)."""
        return any(score.how is not How.INFERRED for score in self.scores)

    @property
    def inferred(self) -> tuple[str, ...]:
        """The peers whose score had to be inferred."""
        return tuple(score.peer for score in self.scores if score.how is How.INFERRED)


def parse_scores(text: str, peers: Sequence[str], own_role: str = "") -> Scores:
    """Read the block after the last `SCORES:`; scores for oneself or for strangers are ignored."""
    return read_scores(outline_of(text), peers, own_role)


def read_scores(outline: Outline, peers: Sequence[str], own_role: str = "") -> Scores:
    """Read the scores out of the sections of a cross-critique."""
    others = _others(tuple(peers), own_role)
    roles = roles_of(*others, own_role)
    lines = outline.text.split("\n")
    block = _last_block(lines, outline)
    clean = _clean_scores(lines if block is None else block, roles)
    nearest = {} if block is None else _nearest_scores(block, roles)
    return Scores(tuple([_score(peer, clean, nearest) for peer in others]))


@lru_cache(maxsize=1024)
def _others(peers: tuple[str, ...], own_role: str) -> tuple[str, ...]:
    oneself = roles_of(own_role)
    return tuple(peer for peer in dict.fromkeys(peers) if oneself.named(peer) is None)


def _score(peer: str, clean: dict[str, int], nearest: dict[str, int]) -> Score:
    if peer in clean:
        return Score(peer, clean[peer], How.CLEAN)
    if peer in nearest:
        return Score(peer, nearest[peer], How.NEAREST)
    return Score(peer, _INFERRED_SCORE, How.INFERRED)


def _last_block(lines: list[str], outline: Outline) -> list[str] | None:
    """The lines after the last scores heading up to whatever ends the block."""
    sections = [section for section in outline.sections if section.key == "scores"]
    if not sections:
        return None
    heading, end = sections[-1].first_line, sections[-1].end_line
    found = ROUND2_HEADINGS.find(lines[heading])
    block = [found.inline if found else ""]
    for line in lines[heading + 1 : end]:
        if is_rule(line) or _BLOCK_END.match(line, 0, 80):
            break
        block.append(line[:_LINE_LOOK])
    return block


def _clean_scores(lines: list[str], roles: Roles) -> dict[str, int]:
    """`- Role: X/5` with X from 1 to 5; this form is trusted even without a heading."""
    scores: dict[str, int] = {}
    for line in lines:
        text = strip_mark(level(line[:_LINE_LOOK]))
        mention = roles.leading(text[:200])
        if mention is not None:
            match = _CLEAN.match(text, mention.end)
            if match:
                scores[mention.role] = int(match[1])
    return scores


def _nearest_scores(block: list[str], roles: Roles) -> dict[str, int]:
    """For every role the digit that belongs to it on its line, or alone on the line below it."""
    scores: dict[str, int] = {}
    waiting: str | None = None
    for raw in block:
        line = strip_mark(level(raw))
        mentions = list(roles.mentions(line))
        if not mentions and waiting and (digit := _DIGIT.match(line)):
            scores.setdefault(waiting, int(digit[1]))
        for role, value in _line_scores(line, mentions):
            scores.setdefault(role, value)
        if mentions or line:
            waiting = mentions[-1].role if mentions else None
    return scores


def _line_scores(line: str, mentions: list[Mention]) -> Iterator[tuple[str, int]]:
    """Pair roles with digits; whether a line counts forwards or backwards is told by its start."""
    digits = list(_DIGIT.finditer(line))
    if not digits or not mentions:
        return
    names_first = mentions[0].start < digits[0].start()
    edges = [mention.start for mention in mentions] + [len(line)]
    previous_end = 0
    for mention, next_start in zip(mentions, edges[1:], strict=True):
        low, high = (mention.end, next_start) if names_first else (previous_end, mention.start)
        inside = [digit for digit in digits if low <= digit.start() < high]
        if inside:
            nearest = inside[0] if names_first else inside[-1]
            yield mention.role, int(next((d for d in inside if _is_of_five(line, d)), nearest)[1])
        previous_end = mention.end


def _is_of_five(line: str, digit: re.Match[str]) -> bool:
    return _OF_FIVE.match(line, digit.end()) is not None
