"""What calls may cost: amounts, output limits per call, and the estimate of a whole run."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from bot.messages.money import MoneyText
from bot.money.prices import PriceBook, Source, Tariff, Tokens
from bot.panels import Budgets, ResolvedModel

_CHARS_PER_TOKEN: Final = 4
_MARGIN: Final = 1.15
_BUILD_DRAFTS: Final = 2
_BUILD_ATTEMPTS: Final = 3
WORDS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "search-digest": 300,
        "meta-panel": 500,
        "proposition": 60,
        "vote-options": 60,
        "round1": 550,
        "round2-cross-critique": 650,
        "rolling-summary": 800,
        "final-synthesis": 1200,
        "dissent": 120,
        "round3-validation": 200,
        "follow-up": 300,
        "build-spec": 900,
        "build-spec-review": 500,
        "build-files": 4000,
        "build-spec-gate": 800,
        "build-quality-gate": 800,
    }
)
"""How many words each prompt asks for at most, with the lines of its format."""
_ANY_WORDS: Final = 1200
_TOKENS_PER_WORD: Final = 2
"""English needs fewer, other languages more."""
_ROOM: Final = 3


@dataclass(frozen=True, slots=True)
class _Size:
    """How much a kind of call reads and writes, in tokens."""

    least_read: int
    most_read: int
    least_written: int
    most_written: int


SIZES: Final[Mapping[str, _Size]] = MappingProxyType(
    {
        "search-digest": _Size(900, 3000, 150, 500),
        "proposition": _Size(150, 800, 10, 300),
        "vote-options": _Size(150, 800, 10, 300),
        "meta-panel": _Size(700, 2500, 350, 1200),
        "round1": _Size(450, 2500, 400, 1200),
        "round2-cross-critique": _Size(900, 4000, 450, 1300),
        "rolling-summary": _Size(700, 3500, 350, 900),
        "final-synthesis": _Size(1200, 8000, 600, 2000),
        "dissent": _Size(600, 2500, 80, 400),
        "round3-validation": _Size(900, 3500, 80, 500),
        "follow-up": _Size(1500, 8000, 60, 700),
        "build-spec": _Size(1500, 6000, 300, 1200),
        "build-spec-review": _Size(700, 2000, 60, 500),
        "build-files": _Size(1000, 12000, 500, 6000),
        "build-spec-gate": _Size(1500, 9000, 150, 900),
        "build-quality-gate": _Size(1500, 9000, 100, 900),
    }
)
_ANY: Final = _Size(700, 8000, 60, 2000)


def size_of(purpose: str) -> _Size:
    """The usual size of a call, by the prompt it renders."""
    return SIZES.get(purpose, _ANY)


def tokens_in(chars: int) -> int:
    """About how many tokens a text of so many characters has, rather too many than too few."""
    return round(chars / _CHARS_PER_TOKEN * _MARGIN)


def tokens_of(text: str) -> int:
    """About how many tokens a text has; letters beyond ASCII take more than a quarter of one."""
    beyond_ascii = len(text.encode("utf-8", "surrogatepass")) - len(text)
    return tokens_in(len(text) + 2 * beyond_ascii)


class Planned(NamedTuple):
    """Calls of one kind to one model: how many at least and at most."""

    purpose: str
    model: ResolvedModel
    least: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """A range: calls, dollars of the models with a price, tokens of those without."""

    least_calls: int = 0
    most_calls: int = 0
    least_usd: float = 0.0
    most_usd: float = 0.0
    most_tokens: int = 0
    unpriced: tuple[str, ...] = ()

    @property
    def is_free(self) -> bool:
        """Whether nothing has to be set aside."""
        return not self.most_usd and not self.most_tokens

    def after(self, usd: float, tokens: int) -> "Estimate":
        """What is still to come when so much is spent."""
        most = max(0.0, self.most_usd - usd)
        least = min(most, max(0.0, self.least_usd - usd))
        return replace(
            self, least_usd=least, most_usd=most, most_tokens=max(0, self.most_tokens - tokens)
        )

    def to_dict(self) -> dict[str, Any]:
        """The estimate as the store keeps it."""
        return asdict(self) | {"unpriced": list(self.unpriced)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Estimate":
        """Read a stored estimate back."""
        return cls(**{**stored, "unpriced": tuple(stored["unpriced"])})


NO_ESTIMATE: Final = Estimate()


def estimate_calls(planned: Iterable[Planned], prices: PriceBook, topic_chars: int) -> Estimate:
    """Add up what planned calls cost at least and at most."""
    calls = [call for call in planned if call.most]
    topic = tokens_in(topic_chars)
    tariffs = {model: prices.tariff(model) for model in {call.model for call in calls}}
    least_usd, most_usd, most_tokens = 0.0, 0.0, 0
    unpriced: dict[str, None] = {}
    for call in calls:
        size, tariff = size_of(call.purpose), tariffs[call.model]
        thought = prices.expected_reasoning(call.model)
        most = Tokens(size.most_read + topic, size.most_written + thought)
        if tariff is None:
            unpriced[call.model.key] = None
            most_tokens += call.most * most.all
        else:
            least = Tokens(size.least_read + topic, size.least_written)
            least_usd += call.least * tariff.cost(least)
            most_usd += call.most * tariff.cost(most)
    return Estimate(
        least_calls=sum([call.least for call in calls]),
        most_calls=sum([call.most for call in calls]),
        least_usd=least_usd,
        most_usd=most_usd,
        most_tokens=most_tokens,
        unpriced=tuple(unpriced),
    )


@dataclass(frozen=True, slots=True)
class Agenda:
    """The shape of a meeting, as far as calls are concerned."""

    seats: Sequence[ResolvedModel]
    second_stage: Sequence[ResolvedModel]
    analysts: Sequence[ResolvedModel]
    coordinators: Sequence[ResolvedModel]
    writers: Sequence[ResolvedModel]
    rounds: int
    may_end_early: bool
    searches: bool
    validates: bool
    votes: bool
    builds: bool = False
    phrases: bool = False
    """Whether the topic states no proposition itself."""
    names_options: bool = False
    """Whether the topic of a vote names no options."""
    promised: int = 1
    """How many rounds agreement cannot end."""


def planned_calls(agenda: Agenda) -> Iterator[Planned]:
    """Every call a meeting may make, by the formula of the contract."""
    coordinator = next(iter(agenda.coordinators), None)
    if coordinator and agenda.searches:
        yield Planned("search-digest", coordinator, 0, 1)
    if coordinator and agenda.names_options:
        yield Planned("vote-options", coordinator)
    yield from (Planned("meta-panel", model) for model in agenda.analysts)
    if coordinator and agenda.phrases:
        yield Planned("proposition", coordinator, 0 if agenda.analysts else 1, 1)
    yield from _rounds(agenda)
    if coordinator:
        yield Planned("rolling-summary", coordinator, _least_rounds(agenda), agenda.rounds)
    yield from (Planned("round1", model) for model in agenda.second_stage)
    yield from _delivery(agenda)
    yield from _dissents(agenda)
    yield from _writing(agenda)


def _delivery(agenda: Agenda) -> Iterator[Planned]:
    """A spec and its review, then the files and two gates for each attempt."""
    coordinator, seats = next(iter(agenda.coordinators), None), agenda.seats
    if not agenda.builds or not coordinator or not seats:
        return
    yield Planned("build-spec", coordinator, 1, _BUILD_DRAFTS)
    yield Planned("build-spec-review", seats[0], 1, _BUILD_DRAFTS)
    yield Planned("build-files", seats[-1], 1, _BUILD_ATTEMPTS)
    yield Planned("build-spec-gate", seats[0], 1, _BUILD_ATTEMPTS)
    yield Planned("build-quality-gate", coordinator, 1, _BUILD_ATTEMPTS)


def _least_rounds(agenda: Agenda) -> int:
    return min(agenda.promised, agenda.rounds) if agenda.may_end_early else agenda.rounds


def _rounds(agenda: Agenda) -> Iterator[Planned]:
    for model in agenda.seats:
        yield Planned("round1", model)
        yield Planned("round2-cross-critique", model, _least_rounds(agenda) - 1, agenda.rounds - 1)


def _dissents(agenda: Agenda) -> Iterator[Planned]:
    """The smaller side dissents; in a vote everybody but the winner's voters may."""
    seats = len(agenda.seats)
    most = seats - 1 if agenda.votes else (seats - 1) // 2
    yield from (Planned("dissent", model, 0, 1) for model in agenda.seats[:most])


def _writing(agenda: Agenda) -> Iterator[Planned]:
    writer = next(iter([*agenda.writers, *agenda.coordinators]), None)
    if writer is None:
        return
    yield Planned("final-synthesis", writer)
    # Its form may have a fault that is worth a rewrite, and its validators may find another.
    yield Planned("final-synthesis", writer, 0, 2 if agenda.validates else 1)
    if agenda.validates:
        yield from (Planned("round3-validation", model) for model in agenda.seats)


def calls_words(estimate: Estimate) -> str:
    """How many calls, as a range."""
    return MoneyText.calls_range(estimate.least_calls, estimate.most_calls)


def usd_words(estimate: Estimate) -> str:
    """How many dollars, as a range; models without a price are named."""
    return MoneyText.usd_range(estimate.least_usd, estimate.most_usd, estimate.unpriced)


def estimate_words(estimate: Estimate) -> str:
    """The estimate in one line."""
    return MoneyText.estimate(calls_words(estimate), usd_words(estimate))


def price_words(tariff: Tariff | None) -> str:
    """A model's price and where it comes from."""
    if tariff is None:
        return MoneyText.UNKNOWN_BUT_ALLOWED
    if tariff.source is Source.FREE:
        return MoneyText.FREE
    return MoneyText.price(tariff.read_per_million, tariff.written_per_million, tariff.source)


def limit_words(limits: Budgets) -> str:
    """The limits that hold, in one sentence."""
    return MoneyText.limits(
        limits.confirm_above_usd,
        limits.per_run_usd,
        limits.per_person_per_day_usd,
        limits.per_server_per_day_usd,
    )


@dataclass(frozen=True, slots=True)
class Amount:
    """Dollars of priced models, tokens of the others."""

    usd: float = 0.0
    tokens: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        """Both together."""
        return Amount(self.usd + other.usd, self.tokens + other.tokens)

    def __sub__(self, other: "Amount") -> "Amount":
        """What is left without the other; rounding never leaves less than nothing."""
        left = self.usd - other.usd
        return Amount(
            0.0 if math.isclose(left, 0.0, abs_tol=1e-12) else left, self.tokens - other.tokens
        )

    def beyond(self, other: "Amount") -> "Amount":
        """What is missing if the other is there already."""
        return Amount(max(0.0, self.usd - other.usd), max(0, self.tokens - other.tokens))

    def or_more(self, other: "Amount") -> "Amount":
        """The larger of both, each for itself."""
        return Amount(max(self.usd, other.usd), max(self.tokens, other.tokens))

    def __bool__(self) -> bool:
        """Whether it is anything at all."""
        return bool(self.usd or self.tokens)


NOTHING = Amount()


@dataclass(frozen=True, slots=True)
class Bill:
    """What a try cost, None when nobody knows, and what it counts against the budget."""

    cost_usd: float | None = None
    charged: Amount = NOTHING


NO_BILL = Bill()


@dataclass(frozen=True, slots=True)
class CallGrant:
    """What was held for a call, and how many tokens it may write for that."""

    held: Amount
    output_tokens: int


class OutputLimits(NamedTuple):
    """In tokens: what a call may write, and what it may write when money is short."""

    full: int
    tight: int


def output_limits(purpose: str, reasoning: int) -> OutputLimits:
    """The limits of a call, with so much on top for what the model thinks unseen."""
    asked = WORDS.get(purpose, _ANY_WORDS) * _TOKENS_PER_WORD
    tight = max(size_of(purpose).most_written, asked * _ROOM // 2)
    return OutputLimits(asked * _ROOM + reasoning, tight + reasoning)
