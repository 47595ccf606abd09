"""A seat: everything a writer knows about who is speaking, and where that one stands."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from bot.rehearsal.dice import Dice
from bot.rehearsal.digests import Digest, side_of
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import (
    HAND,
    PLACES,
    Card,
    Deck,
    Kind,
    Lens,
    Manners,
    Stance,
    Temper,
    Voice,
)
from bot.rehearsal.positions import first_option, first_stance
from bot.rehearsal.text import capital, cut, fold, role_in_prose, role_key, with_article
from bot.rehearsal.topic import MAX_OPTIONS, Topic


class _Slots(dict[str, str]):
    """Values for a pattern; `{Name}` is `{name}` beginning with a capital."""

    def __missing__(self, key: str) -> str:
        return capital(self[key[0].lower() + key[1:]]) if key[0].isupper() else ""


@dataclass(frozen=True, slots=True)
class Position:
    """Where a seat stands: a stance, and in a choice the option it prefers and its rival."""

    stance: Stance
    side: str
    x: str = ""
    y: str = ""
    ballot: str = ""

    def point(self, card: Card, number: int = 0) -> str:
        """What the card says for this position; the undecided alternate between its two sides."""
        filled = card.between(self.x, self.y)
        return filled.pro if self.speaks_for(number) else filled.con

    def speaks_for(self, number: int) -> bool:
        """True when the numbered point is taken from the favourable side of its card."""
        if self.stance is Stance.NEUTRAL:
            return number % 2 == 0
        return not self._reads_against

    def favours(self, number: int) -> bool:
        """True when the numbered point speaks for the proposition."""
        return number % 2 == 0 if self.stance is Stance.NEUTRAL else self.stance is Stance.AGREE

    def counter(self, card: Card) -> str:
        """What the card says against this position."""
        filled = card.between(self.x, self.y)
        return (
            filled.pro if self._reads_against and self.stance is not Stance.NEUTRAL else filled.con
        )

    @property
    def _reads_against(self) -> bool:
        return self.stance is Stance.DISAGREE and not self.x


@dataclass(frozen=True, slots=True)
class RehearsedSeat:
    """One speaker of one run, with its voice, its manners, its temperament and its cards."""

    seed: int
    model: str
    template: str
    values: Mapping[str, str]
    role: str
    mode: str
    topic: Topic
    ballots: tuple[str, ...]
    voice: Voice
    lens: Lens
    manners: Manners
    temper: Temper

    @property
    def votes(self) -> bool:
        """True when a ballot is asked for instead of a stance."""
        return self.mode == "vote"

    @property
    def is_choice(self) -> bool:
        """True when the talk is about options rather than about yes or no."""
        return self.topic.kind is Kind.CHOICE

    @property
    def has_word(self) -> bool:
        """True when the topic has a common word whose meaning one can ask about."""
        is_plain = self.topic.kind not in (Kind.CHOICE, Kind.THING, Kind.TARGET)
        is_plain = is_plain and not self.topic.is_technical
        return is_plain and self.topic.word.islower() and self.topic.word.isalpha()

    @property
    def is_guest(self) -> bool:
        """True when the role has no cards of its own in this mode."""
        return phrases().is_guest(self.role, self.mode)

    @property
    def is_unknown(self) -> bool:
        """True when the role has no voice of its own."""
        return phrases().voice_for(self.role) is None

    def as_own(self, text: str) -> str:
        """A clause of a digest; guests colour it, so that no two seats share a line."""
        if not self.is_guest:
            return text
        dice = self.dice("colour", text)
        return f"{text}, {dice.pick(phrases().guests.whens)} and {dice.pick(self.lens.whom)}"

    def marks(self) -> list[str]:
        """The little words with which a guest opens its sentences, in an order of its own."""
        return self.dice("marks").order(phrases().guests.marks)

    def value(self, name: str) -> str:
        """A prompt value, or nothing."""
        return self.values.get(name, "") or ""

    def dice(self, *names: object) -> Dice:
        """Dice for a decision of this seat in this answer."""
        turn = self.value("ROUND")
        return Dice(
            self.seed, self.model, self.template, self.topic.key, self.mode, self.role, turn, *names
        )

    def deck(self) -> Deck:
        """The considerations that fit the mode and the topic."""
        if self.mode == "build":
            return phrases().cards.build
        if self.mode == "redteam":
            return phrases().cards.attack if self.topic.is_a_system else phrases().danger_deck
        if self.is_choice:
            return phrases().cards.choice
        return phrases().technical_deck if self.topic.is_technical else phrases().cards.plan

    def hand(self) -> list[Card]:
        """The cards dealt to this seat; no two places share a card, guests draw from all."""
        dealt = Dice(self.seed, "deck", self.topic.key, self.mode).order(self.deck())
        if not self.is_guest:
            dealt = dealt[self.voice.place :: PLACES]
        return Dice(self.seed, "hand", self.topic.key, self.role).order(dealt)[:HAND]

    def filled_cards(self) -> Iterator[Card]:
        """Every card of the deck, in a choice once for every pair of options."""
        if not self.is_choice:
            yield from self.deck()
            return
        shown = [self.shown(n) for n in range(min(len(self.topic.options), MAX_OPTIONS))]
        for x, y in permutations(shown, 2):
            yield from (card.between(x, y) for card in self.deck())

    def say(self, pattern: str, **slots: str) -> str:
        """A pattern with its slots filled, as a sentence."""
        return capital(self.say_clause(pattern, **slots))

    def say_clause(self, pattern: str, **slots: str) -> str:
        """A pattern with its slots filled, as part of a sentence."""
        colour = self.dice("colour", pattern)
        base = {
            "role": self.role,
            "a_role": with_article(role_in_prose(self.role)),
            "mark": colour.pick(phrases().guests.marks),
            "whom": colour.pick(self.lens.whom),
            "hedge": self.temper.hedge,
            "word": self.topic.word,
            "thing": self.topic.thing,
        }
        return pattern.format_map(_Slots({**base, **slots}))

    def opening_position(self) -> Position:
        """Where this seat stands before it has heard anybody."""
        if not self.votes:
            stance = first_stance(
                self.seed, self.topic.key, self.mode, role_key(self.role), self.voice.lean
            )
            return self.position_on(stance)
        key, favourite = role_key(self.role), phrases().roles.favourites.get(role_key(self.role))
        return self.position_for(
            first_option(self.seed, self.topic.key, key, self.voice.lean, self.ballots, favourite)
        )

    def position_on(self, stance: Stance) -> Position:
        """The position behind a stance."""
        if not self.is_choice:
            return Position(stance, stance.value)
        first, second = self.shown(0), self.shown(1)
        if stance is Stance.DISAGREE:
            first, second = second, first
        return Position(stance, stance.value, first, second)

    def position_for(self, option: int) -> Position:
        """The position behind a ballot."""
        ballot = self.ballots[option]
        if not self.is_choice:
            stance = Stance.AGREE if fold(ballot) == "yes" else Stance.DISAGREE
            return Position(stance, ballot, ballot=ballot)
        rivals = [n for n in range(len(self.ballots)) if n != option] or [option]
        rival = Dice(self.seed, "rival", self.topic.key, self.role, option).pick(rivals)
        return Position(Stance.AGREE, ballot, self.shown(option), self.shown(rival), ballot)

    def position_of(self, digest: Digest) -> Position:
        """The position a digest of this seat takes, else the one held at the beginning."""
        side = side_of(digest, self.ballots)
        if self.votes:
            known = side in self.ballots
            return self.position_for(self.ballots.index(side)) if known else self.opening_position()
        return self.position_on(Stance(side)) if side else self.opening_position()

    def stand(self, position: Position) -> str:
        """The clause that says where the seat stands."""
        wording = self._wording(phrases().stands[self.topic.kind][position.stance])
        if position.x and position.stance is not Stance.NEUTRAL and self.voice.choice:
            return self.voice.choice.format(x=position.x, y=position.y)
        x, y = position.x, position.y
        if self.is_choice and position.stance is Stance.DISAGREE:
            x, y = y, x
        topic = self.topic
        return wording.format(thing=topic.thing, action=topic.action, quote=topic.quote, x=x, y=y)

    def _wording(self, wordings: tuple[str, ...]) -> str:
        """The wording of the seat's place; unknown roles have no place and keep to any one."""
        if self.is_unknown:
            return Dice(self.seed, "stand", self.topic.key, self.role).pick(wordings)
        return wordings[self.voice.place]

    def shown(self, option: int) -> str:
        """An option as it can stand in a sentence."""
        options = self.topic.options
        text = cut(options[min(option, len(options) - 1)], 44)
        is_phrase = " " in text and any(word.islower() for word in text.split())
        return f"‘{text}’" if is_phrase else text
