"""What the data files of phrases hold; reading them through these types checks them."""

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from bot.rehearsal.dice import Dice

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_SHARED = frozenset("role a_role mark whom hedge word thing".split())
"""What every sentence of a seat may use."""


def _check(
    pattern: str, needed: str = "", allowed: str = "", shared: frozenset[str] = frozenset()
) -> None:
    """Refuse a text that lacks a placeholder, or has one that nobody fills."""
    if set("{}") & set(_PLACEHOLDER.sub("", pattern)):
        raise ValueError(f"has a brace without its partner in “{pattern}”")
    found = set(_PLACEHOLDER.findall(pattern))
    if shared:
        found = {name[:1].lower() + name[1:] for name in found}
    for name in sorted(found - {*needed.split(), *allowed.split(), *shared}):
        raise ValueError(f"does not know the placeholder {{{name}}} in “{pattern}”")
    for name in sorted(set(needed.split()) - found):
        raise ValueError(f"needs the placeholder {{{name}}} in “{pattern}”")


def _says(needed: str = "", allowed: str = "", least: int = 1) -> AfterValidator:
    """Sentences of a seat, at least so many, with these placeholders and the shared ones."""

    def checked(patterns: tuple[str, ...]) -> tuple[str, ...]:
        if len(patterns) < least:
            raise ValueError(f"needs more phrases, at least {least}")
        for pattern in patterns:
            _check(pattern, needed, allowed, _SHARED)
        return patterns

    return AfterValidator(checked)


def _fills(needed: str = "", allowed: str = "") -> AfterValidator:
    """One text that is filled with these placeholders alone."""

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


def _wordings(found: str | Mapping[Stance, Patterns]) -> Iterator[str]:
    if isinstance(found, str):
        yield found
        return
    for stance in Stance:
        if len(found.get(stance, ())) != PLACES:
            raise ValueError(f"needs {PLACES} wordings of {stance} for every kind of topic")
        yield from found[stance]


class Strict:
    """A table of a file; unknown keys are refused."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Card(Strict):
    """One consideration; in a deck of choices `{x}` is the option spoken for, `{y}` its rival."""

    name: Annotated[str, _fills()]
    pro: Annotated[str, _fills(allowed="x y")]
    con: Annotated[str, _fills(allowed="x y")]
    check: Annotated[str, _fills(allowed="x y")]
    risk: Annotated[str, _fills(allowed="x y")]
    mend: Annotated[str, _fills(allowed="x y")]

    def between(self, x: str, y: str) -> "Card":
        """The same card with the options filled in."""
        return Card(*(text.replace("{x}", x).replace("{y}", y) for text in self.texts))

    @property
    def texts(self) -> Patterns:
        """Everything the card says."""
        return (self.name, self.pro, self.con, self.check, self.risk, self.mend)


def _dealt_out(deck: tuple[Card, ...]) -> tuple[Card, ...]:
    if len(deck) < PLACES * HAND:
        raise ValueError(f"needs {HAND} cards for each of {PLACES} places")
    return deck


def _without_options(deck: tuple[Card, ...]) -> tuple[Card, ...]:
    for text in (text for card in deck for text in card.texts):
        _check(text)
    return deck


Deck = Annotated[tuple[Card, ...], AfterValidator(_dealt_out)]
_PlainDeck = Annotated[Deck, AfterValidator(_without_options)]


@dataclass(frozen=True, slots=True)
class Cards(Strict):
    """The decks, and the names of the cards that mixed decks take from them."""

    plan: _PlainDeck
    choice: Deck
    build: _PlainDeck
    attack: _PlainDeck
    technical: Patterns
    practical: Patterns
    human: Patterns


@dataclass(frozen=True, slots=True)
class Voice(Strict):
    """How one role argues in its first answer; roles.toml says what the keys mean."""

    place: Annotated[int, Field(ge=0, lt=PLACES)]
    lean: Annotated[float, Field(ge=-1, le=1)]
    thesis_for: Annotated[Patterns, _says("stand")]
    thesis_against: Annotated[Patterns, _says("stand")]
    thesis_open: Annotated[Patterns, _says("stand")]
    claims: Annotated[Patterns, _says("point", "name", least=3)]
    evidence: Annotated[Patterns, _says("check", "name")]
    risks: Annotated[Patterns, _says("", "counter risk")]
    advice: Annotated[Patterns, _says("", "check mend name")]
    turned: Annotated[Patterns, _says("point", "name", least=3)] = ()
    manner: str = ""
    choice: Annotated[str, _fills("x y")] = ""


@dataclass(frozen=True, slots=True)
class Roles(Strict):
    """Which roles there are, and where they are at home."""

    same_as: dict[str, str]
    favourites: dict[str, int]
    at_home: dict[str, frozenset[str]]
    voices: dict[str, Voice]


@dataclass(frozen=True, slots=True)
class Manners(Strict):
    """How a seat behaves after its first answer; manners.toml says what the keys mean."""

    against_foe: Annotated[Patterns, _says("quote reason")]
    against_ally: Annotated[Patterns, _says("quote reason")]
    reasons: Annotated[Patterns, _says()]
    defend: Annotated[Patterns, _says("cid own")]
    keep: Annotated[Patterns, _says("check")]
    floor: Annotated[Patterns, _says("said")]
    yield_open: Annotated[Patterns, _says("quote", "cid")]
    yield_over: Annotated[Patterns, _says("quote", "cid")]
    close_score: Annotated[Patterns, _says("cid")]
    middle_score: Annotated[Patterns, _says("cid")]
    far_score: Annotated[Patterns, _says("cid")]
    aside: Annotated[Patterns, _says("word")]
    dissent: Annotated[Patterns, _says("own", "cid")]
    change: Annotated[Patterns, _says("check")]
    opening: Annotated[Patterns, _says("asker")]
    replies: Annotated[Patterns, _says("name point question", "check mend")]
    closing: Annotated[Patterns, _says()]
    cite: Annotated[Patterns, _says("source")]
    task: Annotated[Patterns, _says("task")]
    concede: Annotated[Patterns, _says("cid peer said")]

    def share(self, number: int, of: int, dice: Dice) -> "Manners":
        """The share of one of several guests; no phrase is in two shares while there are enough."""
        shares: dict[str, Patterns] = {}
        for field in fields(self):
            phrases: list[str] = dice.order(getattr(self, field.name))
            start = number % min(of, len(phrases))
            shares[field.name] = tuple(phrases[start :: min(of, len(phrases))])
        return Manners(**shares)


@dataclass(frozen=True, slots=True)
class Lens(Strict):
    """What a guest pays attention to: `words` give it away, `whom` is for whom it speaks."""

    name: str
    words: re.Pattern[str]
    whom: Annotated[Patterns, _says()]
    voice: Voice


@dataclass(frozen=True, slots=True)
class Guests(Strict):
    """What the roles without a place of their own speak with."""

    whens: Annotated[Patterns, _says()]
    marks: Annotated[Patterns, _says(least=7)]
    manners: Manners
    lenses: Annotated[tuple[Lens, ...], Field(min_length=1)]


Stands = Annotated[dict[Kind, dict[Stance, Patterns]], AfterValidator(_each_kind)]


@dataclass(frozen=True, slots=True)
class Conclusion(Strict):
    """Phrases of the neutral seats."""

    not_a_model: Annotated[str, _fills()]
    agreed: Annotated[Patterns, _says("roles thesis")]
    shared: Annotated[Patterns, _says("claim role")]
    nothing_agreed: Annotated[Patterns, _says()]
    divided: Annotated[Patterns, _says("claim one other reply", least=2)]
    undivided: Annotated[Patterns, _says()]
    blind: Annotated[Patterns, _says("check name")]
    verdict_for: Annotated[Patterns, _says("count total")]
    verdict_against: Annotated[Patterns, _says("count total")]
    verdict_answered: Annotated[Patterns, _says("count total")]
    verdict_unanswered: Annotated[Patterns, _says("count total")]
    verdict_open: Annotated[Patterns, _says("count total")]
    verdict_choice: Annotated[Patterns, _says("count side total")]
    verdict_vote: Annotated[Patterns, _says("count side total")]
    verdict_ballots: Annotated[Patterns, _says("count side total")]
    ballots_tied: Annotated[Patterns, _says("count total")]
    next_step: Annotated[Patterns, _says("", "check mend")]
    spoken: Annotated[Patterns, _says("claim lead role", "thesis")]
    missing_people: Annotated[Patterns, _says()]


_Workflow = Literal["parallel_debate", "sequential", "hybrid"]


@dataclass(frozen=True, slots=True)
class Design(Strict):
    """What the designers of a panel know."""

    integrator: tuple[str, str]
    needs: Annotated[Patterns, Field(min_length=1)]
    rounds: Annotated[Patterns, Field(min_length=3, max_length=3)]
    reasons: Annotated[Patterns, _says()]
    anti_patterns: Annotated[Patterns, Field(min_length=1)]
    options: Annotated[Patterns, Field(min_length=2)]
    propositions: Annotated[dict[Kind, str], AfterValidator(_each_kind)]
    types: dict[str, str]
    workflows: dict[str, tuple[_Workflow, ...]]
    roles: dict[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Temper(Strict):
    """A model's temperament: its hedge, its openness to others and its confidence in itself."""

    hedge: str
    openness: float
    confidence: int
    talkative: float


@dataclass(frozen=True, slots=True)
class _Validation(Strict):
    """What a seat says about a draft conclusion."""

    accurate: Annotated[Patterns, _says("role")]
    partial: Annotated[Patterns, _says("role cid")]
    inaccurate: Annotated[Patterns, _says("role cid")]


@dataclass(frozen=True, slots=True)
class Seats(Strict):
    """Small phrases that every role shares."""

    eyes: Annotated[Patterns, _says()]
    perspectives: Annotated[Patterns, _says("said")]
    perspective_verbs: Patterns
    validation: _Validation
    tempers: Annotated[tuple[Temper, ...], Field(min_length=1)]


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
