"""How often panels, models and people were right: pure counting over resolved decisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_BINS: Final = 5


@dataclass(frozen=True, slots=True)
class Hits:
    """How often something was right, out of how often it was asked."""

    right: int = 0
    held: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[bool]) -> "Hits":
        """Count."""
        known = list(outcomes)
        return cls(sum(known), len(known))


@dataclass(frozen=True, slots=True)
class ResolvedVote:
    """One vote whose right option is known; everything is given by the options' numbers."""

    right: int
    panel: int | None
    plain: int | None
    said: float | None
    """How sure people were told it was."""
    models: Mapping[str, int] = field(default_factory=dict)
    before: Sequence[int] = ()
    after: Sequence[int] = ()
    """People's ballots by option."""
    members: Mapping[int, int] = field(default_factory=dict)
    """The last vote of people who joined the record."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Votes that were about as sure: what was said on average, how often right, how many."""

    said: float
    right: float
    votes: int


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """What a server's resolved votes add up to."""

    votes: tuple[ResolvedVote, ...] = ()

    @property
    def panel(self) -> Hits:
        """The weighted vote; one that nothing decided was not right."""
        return Hits.of(vote.panel == vote.right for vote in self.votes)

    @property
    def plain(self) -> Hits:
        """The plain majority of the models; a tie was not right."""
        return Hits.of(vote.plain == vote.right for vote in self.votes)

    @property
    def models(self) -> dict[str, Hits]:
        """Each model, the one that was asked most often first."""
        names = sorted({model for vote in self.votes for model in vote.models})
        found = {
            name: Hits.of(v.models[name] == v.right for v in self.votes if name in v.models)
            for name in names
        }
        return dict(sorted(found.items(), key=lambda item: -item[1].held))

    @property
    def members(self) -> dict[int, Hits]:
        """Everybody who joined the record."""
        people = sorted({person for vote in self.votes for person in vote.members})
        return {
            one: Hits.of(v.members[one] == v.right for v in self.votes if one in v.members)
            for one in people
        }

    def people(self, *, after: bool) -> tuple[Hits, Hits]:
        """People as a group: how often most of them were right, and how many ballots were."""
        cast = [(vote.right, vote.after if after else vote.before) for vote in self.votes]
        voted = [(right, votes) for right, votes in cast if sum(votes) and right < len(votes)]
        ballots = Hits(sum(votes[right] for right, votes in voted), sum(map(sum, _all(voted))))
        return Hits.of(_most(votes) == right for right, votes in voted), ballots

    @property
    def judged(self) -> tuple[tuple[float, bool], ...]:
        """Each vote that said how sure it was: (that, whether it was right)."""
        return tuple((v.said, v.panel == v.right) for v in self.votes if v.said is not None)

    @property
    def brier(self) -> float | None:
        """The mean squared distance between how sure and whether right; 0 is perfect."""
        judged = self.judged
        return sum((said - right) ** 2 for said, right in judged) / len(judged) if judged else None

    @property
    def bins(self) -> tuple[Bin, ...]:
        """Votes that were about as sure, together; empty ones are left out."""
        sorted_in: dict[int, list[tuple[float, bool]]] = {}
        for said, right in sorted(self.judged):
            sorted_in.setdefault(min(int(said * _BINS), _BINS - 1), []).append((said, right))
        return tuple(
            Bin(sum(s for s, _ in own) / len(own), sum(r for _, r in own) / len(own), len(own))
            for own in sorted_in.values()
        )


def _all(voted: Sequence[tuple[int, Sequence[int]]]) -> list[Sequence[int]]:
    return [votes for _, votes in voted]


def _most(votes: Sequence[int]) -> int | None:
    """The option with the most ballots, or None in a tie."""
    leading = [number for number, count in enumerate(votes) if count == max(votes)]
    return leading[0] if len(leading) == 1 else None
