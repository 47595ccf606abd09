"""Scripted examples: whole meetings that people wrote, read from data files and checked once.

A file holds one meeting of two rounds. `topic` is what starts it; `options` makes it a vote, whose
positions are options with a confidence and a reason; otherwise positions are stances toward the
`proposition`. Each of the `seats` has its answers to both rounds, its verdict on the conclusion, a
`dissent` if it ends up on the smaller side, and written `answers` to follow-up questions, which are
recognised by their `keywords`. `thinks` and `words_per_second` are the pace of the seat.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bot.errors import ConfigError
from bot.rehearsal.data_files import Strict, read_folder
from bot.rehearsal.phrase_types import Stance
from bot.rehearsal.text import fold

_FOLDER = Path(__file__).with_name("examples")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“`])")
_LEAST_ANSWERS = 6
_ROUNDS = 2
_NO_CHANGE = "No change."
_VERDICTS = Literal["ACCURATE", "PARTIALLY ACCURATE", "INACCURATE"]


def _one_line(text: str) -> str:
    """The text in one line; lines are broken in the file only to be read there."""
    plain = " ".join(text.split())
    if not plain:
        raise ValueError("is empty")
    return plain


def _at_most(words: int) -> AfterValidator:
    def checked(text: str) -> str:
        found = len(text.split())
        if found > words:
            raise ValueError(f"has {found} words, {words} are allowed")
        return text

    return AfterValidator(checked)


_Text = Annotated[str, AfterValidator(_one_line)]
_Claims = Annotated[tuple[_Text, ...], Field(min_length=3, max_length=3)]
_Some = Annotated[tuple[_Text, ...], Field(min_length=1)]
_Claim = Literal["C1", "C2", "C3"]


def first_sentence(text: str) -> str:
    """The first sentence of a paragraph, which is what a digest has of it."""
    return _SENTENCE_END.split(text, maxsplit=1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held(Strict):
    """Where a seat stands at the end of a round; a ballot has a confidence and a reason, too."""

    position: _Text
    confidence: Annotated[int, Field(ge=0, le=100)] | None = None
    reason: _Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class First(_Held):
    """An answer of round 1; its digest is made of the first sentences."""

    thesis: _Text
    claims: _Claims
    evidence: _Text
    risks: _Text
    recommendation: _Text


@dataclass(frozen=True, slots=True)
class _Named(Strict):
    """A claim of another seat."""

    of: _Text
    claim: _Claim


@dataclass(frozen=True, slots=True)
class _Critique(_Named):
    text: _Text


@dataclass(frozen=True, slots=True)
class _Score(Strict):
    of: _Text
    score: Annotated[int, Field(ge=1, le=5)]
    text: _Text


@dataclass(frozen=True, slots=True)
class _Digest(Strict):
    thesis: _Text
    claims: _Claims
    evidence: _Text
    risk: _Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Second(_Held):
    """An answer of round 2; a changed position says whose claim was the cause."""

    critique: Annotated[tuple[_Critique, ...], Field(min_length=2, max_length=2)]
    defend: _Text
    revise: _Text
    because: _Named | None = None
    digest: _Digest
    scores: tuple[_Score, ...]


@dataclass(frozen=True, slots=True)
class _Validation(Strict):
    verdict: _VERDICTS
    reasoning: Annotated[_Text, _at_most(80)]
    correction: Annotated[_Text, _at_most(50)] = ""


@dataclass(frozen=True, slots=True)
class _Dissent(Strict):
    text: Annotated[_Text, _at_most(80)]


@dataclass(frozen=True, slots=True)
class FollowUp(Strict):
    """A question that people are likely to ask a seat, and its answer."""

    question: _Text
    keywords: _Some
    answer: Annotated[_Text, _at_most(250)]


@dataclass(frozen=True, slots=True)
class ScriptedSeat(Strict):
    """One panelist of a script."""

    role: _Text
    model: _Text
    task: _Text
    thinks: Annotated[float, Field(ge=0, le=30)]
    words_per_second: Annotated[float, Field(gt=0)]
    first: First
    second: Second
    validation: _Validation
    answers: tuple[FollowUp, ...]
    dissent: _Dissent | None = None


@dataclass(frozen=True, slots=True)
class _Quote(Strict):
    of: _Text
    quote: _Text


@dataclass(frozen=True, slots=True)
class _Conclusion(Strict):
    title: Annotated[_Text, _at_most(10)]
    consensus: _Some
    divergences: _Some
    blind_spots: _Some
    recommendation: _Text
    outlier: _Quote
    red_flags: _Some
    next_24h: _Some
    next_7d: _Some


@dataclass(frozen=True, slots=True)
class _Point(Strict):
    text: _Text
    from_: Annotated[_Some, Field(alias="from")]


@dataclass(frozen=True, slots=True)
class _Round(Strict):
    """What the coordinator writes after a round."""

    summary: Annotated[_Text, _at_most(350)]
    consensus: tuple[_Point, ...]
    disagreement: tuple[_Point, ...]
    new_points: tuple[_Point, ...]


@dataclass(frozen=True, slots=True)
class Script(Strict):
    """One meeting from its design to its follow-ups."""

    topic: _Text
    proposition: _Text
    assessment: _Text
    writer: _Text
    reasoning: _Text
    anti_pattern: _Text
    seats: Annotated[tuple[ScriptedSeat, ...], Field(min_length=3, max_length=5)]
    conclusion: _Conclusion
    rounds: Annotated[tuple[_Round, ...], Field(min_length=_ROUNDS, max_length=_ROUNDS)]
    options: tuple[_Text, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """Who sits, in order."""
        return tuple(seat.role for seat in self.seats)

    def seat(self, role: str) -> ScriptedSeat | None:
        """The seat of a role, however it is spelled."""
        return next((seat for seat in self.seats if fold(seat.role) == fold(role)), None)

    def fits(self, mode: str) -> bool:
        """Whether the mode asks for what the script has: ballots in a vote, else stances."""
        return (mode.casefold() == "vote") == bool(self.options)


@cache
def _shipped() -> Mapping[str, Script]:
    return {fold(script.topic): script for script in load_scripts(_FOLDER).values()}


def script_for(topic: str) -> Script | None:
    """The script that is played for a topic, if it is exactly the topic of one."""
    return _shipped().get(fold(topic))


def is_scripted(topic: str, mode: str, roles: Iterable[str]) -> bool:
    """Whether a panel of these roles plays a script on this topic."""
    script = script_for(topic)
    return script is not None and script.fits(mode) and all(map(script.seat, roles))


def load_scripts(folder: Path) -> dict[str, Script]:
    """The scripts of a folder by file name, or a ConfigError with a sentence for each problem."""
    scripts = read_folder(dict[str, Script], folder)
    faults = [f"{name}.toml: {fault}" for name, s in scripts.items() for fault in _faults(s)]
    if faults:
        raise ConfigError("\n".join(faults))
    return scripts


def _faults(script: Script) -> Iterator[str]:
    """What makes a script unplayable although every key is there."""
    if len(set(script.roles)) < len(script.roles):
        yield "two seats have the same role."
    if script.seat(script.conclusion.outlier.of) is None:
        yield f"the conclusion quotes nobody called “{script.conclusion.outlier.of}”."
    for number, held in enumerate(script.rounds, 1):
        for point in (*held.consensus, *held.disagreement, *held.new_points):
            for name in set(point.from_) - set(script.roles):
                yield f"the summary of round {number} names nobody called “{name}”."
    for seat in script.seats:
        yield from (f"{seat.role} {fault}" for fault in _seat_faults(script, seat))
    yield from _ending_faults(script)


def _seat_faults(script: Script, seat: ScriptedSeat) -> Iterator[str]:
    peers = [role for role in script.roles if role != seat.role]
    second = seat.second
    for held in (seat.first, second):
        yield from _position_faults(script, held)
    for named in (*second.critique, *([second.because] if second.because else [])):
        if named.of not in peers:
            yield f"has no peer called “{named.of}” to criticise or to follow."
    for critique in second.critique:
        if " because " not in critique.text:
            yield f"criticises {critique.of} {critique.claim} without a “because”."
    if sorted(score.of for score in second.scores) != sorted(peers):
        yield f"must score every peer once: {', '.join(peers)}."
    yield from _change_faults(seat)
    if (seat.validation.verdict == "ACCURATE") == bool(seat.validation.correction):
        yield "needs a correction exactly when its verdict is not ACCURATE."
    if len(seat.answers) < _LEAST_ANSWERS:
        yield f"answers {len(seat.answers)} questions, at least {_LEAST_ANSWERS} are needed."


def _position_faults(script: Script, held: _Held) -> Iterator[str]:
    known = script.options or tuple(Stance)
    if held.position not in known:
        yield f"takes the position “{held.position}”; use one of: {', '.join(known)}."
    if bool(script.options) != (held.confidence is not None and bool(held.reason)):
        yield "needs a confidence and a reason in a vote, and neither in any other meeting."


def _change_faults(seat: ScriptedSeat) -> Iterator[str]:
    second = seat.second
    if (seat.first.position != second.position) != (second.because is not None):
        yield "needs a “because” exactly when its position changes."
    cause = f"Because of {second.because.of} {second.because.claim}: " if second.because else ""
    if not (second.revise.startswith(cause) if cause else second.revise == _NO_CHANGE):
        yield f"must begin “revise” with “{cause or _NO_CHANGE}”."


def _ending_faults(script: Script) -> Iterator[str]:
    """Round 2 must be held, somebody must have moved, and exactly the losing side dissents."""
    first = {seat.first.position for seat in script.seats}
    if len(first) < 2 or (not script.options and Stance.DISAGREE not in first):
        yield "round 1 must leave the panel divided, or round 2 is not held."
    if not any(seat.second.because for seat in script.seats):
        yield "somebody must change position in round 2, with a cause."
    counted = Counter(seat.second.position for seat in script.seats)
    counted.pop(Stance.NEUTRAL, None)
    (_, most), *others = counted.most_common() or [("", 0)]
    if not others or others[0][1] == most:
        yield "round 2 must end with a larger and a smaller side."
        return
    losing = {position for position, _ in others}
    for seat in script.seats:
        if (seat.second.position in losing) != (seat.dissent is not None):
            yield f"{seat.role} needs a dissent exactly when it ends on the smaller side."
