"""What the data files of phrases hold; reading them through these types checks them."""

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from bot.rehearsal.data_files import Strict

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def _check(pattern: str, needed: str = "", allowed: str = "") -> None:
    """Refuse a text that lacks a placeholder, or has one that nobody fills."""
    if set("{}") & set(_PLACEHOLDER.sub("", pattern)):
        raise ValueError(f"has a brace without its partner in “{pattern}”")
    found = {name[:1].lower() + name[1:] for name in _PLACEHOLDER.findall(pattern)}
    for name in sorted(found - {*needed.split(), *allowed.split()}):
        raise ValueError(f"does not know the placeholder {{{name}}} in “{pattern}”")
    for name in sorted(set(needed.split()) - found):
        raise ValueError(f"needs the placeholder {{{name}}} in “{pattern}”")


def _says(needed: str = "", allowed: str = "") -> AfterValidator:
    """Sentences to choose from, with these placeholders."""

    def checked(patterns: tuple[str, ...]) -> tuple[str, ...]:
        if not patterns:
            raise ValueError("needs at least one phrase")
        for pattern in patterns:
            _check(pattern, needed, allowed)
        return patterns

    return AfterValidator(checked)


def _fills(needed: str = "", allowed: str = "") -> AfterValidator:
    """One text that is filled with these placeholders."""

    def checked(text: str) -> str:
        _check(text, needed, allowed)
        return text

    return AfterValidator(checked)


Patterns = tuple[str, ...]
PLACES = 5
HAND = 4


class Stance(enum.StrEnum):
    """Where a seat stands toward the proposition."""

    AGREE = "AGREE"
    DISAGREE = "DISAGREE"
    NEUTRAL = "NEUTRAL"


class Kind(enum.Enum):
    """What a topic is, grammatically."""

    PLAN = "plan"
    CHOICE = "choice"
    THING = "thing"
    TARGET = "target"
    YESNO = "yes or no"
    OPEN = "open question"
    STATEMENT = "statement"
    SUBJECT = "subject"


_OF_KIND = {Kind.PLAN: "action", Kind.CHOICE: "x y", Kind.THING: "thing", Kind.TARGET: "thing"}


def _each_kind(wordings: dict[Kind, Any]) -> dict[Kind, Any]:
    """Wordings for every kind of topic, with the placeholders of that kind."""
    for kind in Kind:
        if kind not in wordings:
            raise ValueError(f"lacks “{kind.value}”")
        for pattern in _wordings(wordings[kind]):
            _check(pattern, _OF_KIND.get(kind, "quote"))
    return wordings


def _wordings(found: str | Mapping[Stance, str]) -> Iterator[str]:
    if isinstance(found, str):
        yield found
        return
    for stance in Stance:
        if stance not in found:
            raise ValueError(f"needs a wording of {stance} for every kind of topic")
        yield found[stance]


@dataclass(frozen=True, slots=True)
class Card(Strict):
    """One consideration; in a deck of choices "it" is the option spoken for, `{y}` its rival."""

    name: Annotated[str, _fills()]
    pro: Annotated[str, _fills(allowed="y")]
    con: Annotated[str, _fills(allowed="y")]
    check: Annotated[str, _fills()]


def _dealt_out(deck: tuple[Card, ...]) -> tuple[Card, ...]:
    if len(deck) < PLACES * HAND:
        raise ValueError(f"needs {HAND} cards for each of {PLACES} places")
    return deck


def _without_options(deck: tuple[Card, ...]) -> tuple[Card, ...]:
    for card in deck:
        _check(card.pro)
        _check(card.con)
    return deck


Deck = Annotated[tuple[Card, ...], AfterValidator(_dealt_out)]


@dataclass(frozen=True, slots=True)
class Cards(Strict):
    """The decks: for topics of one thing, and for choices."""

    plan: Annotated[Deck, AfterValidator(_without_options)]
    choice: Deck


@dataclass(frozen=True, slots=True)
class Voice(Strict):
    """What one role looks at; roles.toml says what the keys mean."""

    place: Annotated[int, Field(ge=0, lt=PLACES)]
    lean: Annotated[float, Field(ge=-1, le=1)]
    eye: str


@dataclass(frozen=True, slots=True)
class Roles(Strict):
    """Which roles there are."""

    same_as: dict[str, str]
    favourites: dict[str, int]
    voices: dict[str, Voice]


@dataclass(frozen=True, slots=True)
class Temper(Strict):
    """A model's temperament: its openness to others and its confidence in itself."""

    openness: float
    confidence: int


@dataclass(frozen=True, slots=True)
class _Validation(Strict):
    """What a seat says about a draft conclusion."""

    accurate: Annotated[Patterns, _says("role")]
    partial: Annotated[Patterns, _says("role cid")]
    inaccurate: Annotated[Patterns, _says("role cid")]


@dataclass(frozen=True, slots=True)
class Manners(Strict):
    """What every seat says; manners.toml says what the keys mean."""

    thesis: Annotated[Patterns, _says("role stand eye")]
    claim_for: Annotated[str, _fills("noun pro")]
    claim_against: Annotated[str, _fills("noun con")]
    choice_for: Annotated[str, _fills("x pro")]
    choice_against: Annotated[str, _fills("x con")]
    evidence: Annotated[Patterns, _says("noun check")]
    risks: Annotated[Patterns, _says("nouns")]
    advice: Annotated[Patterns, _says("check")]
    task: Annotated[Patterns, _says("task")]
    perspective: Annotated[Patterns, _says("said")]
    cite: Annotated[Patterns, _says("source")]
    against_foe: Annotated[Patterns, _says("quote reason")]
    against_ally: Annotated[Patterns, _says("quote reason")]
    reasons: Annotated[Patterns, _says()]
    defend: Annotated[Patterns, _says("cid own")]
    keep: Annotated[Patterns, _says("check")]
    floor: Annotated[Patterns, _says("said")]
    yield_open: Annotated[Patterns, _says("quote cid")]
    yield_over: Annotated[Patterns, _says("quote cid")]
    concede: Annotated[Patterns, _says("cid peer said")]
    close_score: Annotated[Patterns, _says("cid")]
    middle_score: Annotated[Patterns, _says("cid")]
    far_score: Annotated[Patterns, _says("cid")]
    dissent: Annotated[Patterns, _says("own cid")]
    change: Annotated[Patterns, _says("check")]
    opening: Annotated[Patterns, _says("asker")]
    replies: Annotated[Patterns, _says("question check")]
    validation: _Validation
    tempers: Annotated[tuple[Temper, ...], Field(min_length=1)]


Stands = Annotated[dict[Kind, dict[Stance, str]], AfterValidator(_each_kind)]


@dataclass(frozen=True, slots=True)
class Conclusion(Strict):
    """Phrases of the neutral seats."""

    not_a_model: Annotated[str, _fills()]
    agreed: Annotated[str, _fills("roles thesis")]
    shared: Annotated[str, _fills("claim role")]
    nothing_agreed: Annotated[str, _fills()]
    divided: Annotated[str, _fills("claim one other reply")]
    undivided: Annotated[str, _fills()]
    blind: Annotated[str, _fills("check name")]
    no_facts: Annotated[str, _fills()]
    verdict_for: Annotated[str, _fills("count total")]
    verdict_against: Annotated[str, _fills("count total")]
    verdict_answered: Annotated[str, _fills("count total")]
    verdict_unanswered: Annotated[str, _fills("count total")]
    verdict_open: Annotated[str, _fills("count total")]
    verdict_choice: Annotated[str, _fills("count side total")]
    verdict_vote: Annotated[str, _fills("count side total")]
    verdict_ballots: Annotated[str, _fills("count side total")]
    ballots_tied: Annotated[str, _fills("count total")]
    next_step: Annotated[str, _fills("check")]
    red_flag: Annotated[str, _fills("check")]
    overturn: Annotated[str, _fills("check")]
    spoken: Annotated[str, _fills("claim lead role thesis")]


_Workflow = Literal["parallel_debate", "sequential", "hybrid"]


@dataclass(frozen=True, slots=True)
class Design(Strict):
    """What the designers of a panel know."""

    integrator: tuple[str, str]
    needs: Annotated[Patterns, _says()]
    rounds: str
    reasons: Annotated[Patterns, _says()]
    anti_patterns: Annotated[Patterns, _says()]
    options: Annotated[Patterns, Field(min_length=2)]
    propositions: Annotated[dict[Kind, str], AfterValidator(_each_kind)]
    types: dict[str, str]
    workflows: dict[str, tuple[_Workflow, ...]]
    roles: dict[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Build(Strict):
    """A build: the spec, its review, the files and the two gates."""

    remark: Annotated[str, _fills("findings")]
    step: Annotated[str, _fills("number step")]
    criterion: Annotated[str, _fills("number file")]
    spec: Annotated[str, _fills("thing remark")]
    spec_review: Annotated[str, _fills("role count")]
    files: Annotated[str, _fills("thing steps")]
    spec_gate: Annotated[str, _fills("role count")]
    quality_gate: Annotated[str, _fills("role")]


@dataclass(frozen=True, slots=True)
class Words(Strict):
    """Words by which a topic is understood."""

    common: frozenset[str]
    security: frozenset[str]
    technical: frozenset[str]
