"""A seat: everything a writer knows about who is speaking, and where that one stands."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.rehearsal.dice import Dice
from bot.rehearsal.digests import Digest, side_of
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import (
    HAND,
    PLACES,
    Card,
    Deck,
    Kind,
    Patterns,
    Stance,
    Temper,
    Voice,
)
from bot.rehearsal.positions import first_option, first_stance
from bot.rehearsal.text import capital, cut, fold, role_key
from bot.rehearsal.topic import Topic


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

    def speaks_for(self, number: int) -> bool:
        """True when the numbered claim is for something; the undecided alternate."""
        if self.stance is Stance.NEUTRAL:
            return number % 2 == 0
        return self.stance is Stance.AGREE or bool(self.x)


@dataclass(frozen=True, slots=True)
class RehearsedSeat:
    """One speaker of one run, with its voice, its temperament and its cards."""

    seed: int
    model: str
    template: str
    values: Mapping[str, str]
    role: str
    mode: str
    topic: Topic
    ballots: tuple[str, ...]
    voice: Voice
    temper: Temper

    @property
    def votes(self) -> bool:
        """True when a ballot is asked for instead of a stance."""
        return self.mode == "vote"

    @property
    def is_choice(self) -> bool:
        """True when the talk is about options rather than about yes or no."""
        return self.topic.kind is Kind.CHOICE

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
        """The considerations that fit the topic."""
        return phrases().cards.choice if self.is_choice else phrases().cards.plan

    def hand(self) -> list[Card]:
        """The cards dealt to this seat; no two places share a card, unknown roles draw from all."""
        dealt = Dice(self.seed, "deck", self.topic.key, self.mode).order(self.deck())
        if phrases().voice_for(self.role):
            dealt = dealt[self.voice.place :: PLACES]
        return Dice(self.seed, "hand", self.topic.key, self.role).order(dealt)[:HAND]

    def noun(self, number: int = 0) -> str:
        """One of the topic's words, another one for every place."""
        nouns = self.topic.nouns
        return nouns[(self.voice.place + number) % len(nouns)]

    def claim(self, position: Position, card: Card, number: int) -> str:
        """What the card says for this position, as a condition and never as a fact."""
        manners, speaks_for = phrases().manners, position.speaks_for(number)
        if position.x:
            pattern = manners.choice_for if speaks_for else manners.choice_against
        else:
            pattern = manners.claim_for if speaks_for else manners.claim_against
        pro, con = (text.replace("{y}", position.y) for text in (card.pro, card.con))
        return self.say(pattern, noun=self.noun(number), x=position.x, pro=pro, con=con)

    def say(self, pattern: str, **slots: str) -> str:
        """A pattern with its slots filled."""
        return pattern.format_map(_Slots(slots))

    def pick(self, name: str, patterns: Patterns, **slots: str) -> str:
        """One of the patterns, filled, as a sentence."""
        return capital(self.say(self.dice(name).pick(patterns), **slots))

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
        wording = phrases().stands[self.topic.kind][position.stance]
        x, y = position.x, position.y
        if self.is_choice and position.stance is Stance.DISAGREE:
            x, y = y, x
        topic = self.topic
        return wording.format(thing=topic.thing, action=topic.action, quote=topic.quote, x=x, y=y)

    def shown(self, option: int) -> str:
        """An option as it can stand in a sentence."""
        options = self.topic.options
        text = cut(options[min(option, len(options) - 1)], 44)
        is_phrase = " " in text and any(word.islower() for word in text.split())
        return f"‘{text}’" if is_phrase else text
