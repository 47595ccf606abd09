"""The models' vote: counted each round, compared between the first and the last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.messages.votes import BallotText
from bot.prompting.closing_lines import Ballot, Stance

_SAME: Final = 0.001
"""Weighted counts that differ by less than a thousandth of a vote are a tie."""


@dataclass(frozen=True, slots=True)
class Voter:
    """A seat that voted; a confidence of None means that none was given."""

    role: str
    confidence: int | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """One option and who voted for it."""

    option: str
    voters: tuple[Voter, ...] = ()

    @property
    def votes(self) -> int:
        """How many votes it got."""
        return len(self.voters)


@dataclass(frozen=True, slots=True)
class Tally:
    """One round's vote: all options, the most voted first, and who cast no readable ballot."""

    round: int
    counts: tuple[Count, ...]
    abstained: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    """What the ballot of each role counts; empty means one vote each."""
    decided: tuple[str, ...] = ()
    """The winners, where the weights that made them must not be shown."""

    @property
    def most_voted(self) -> tuple[str, ...]:
        """The options with the most ballots, each counted as one."""
        most = max((count.votes for count in self.counts), default=0)
        return tuple(c.option for c in self.counts if most and c.votes == most)

    @property
    def winners(self) -> tuple[str, ...]:
        """The leading option by weight, several in a tie, none when nobody voted."""
        if self.decided or not self.weights:
            return self.decided or self.most_voted
        weighed = {count.option: self.weight(count) for count in self.counts if count.votes}
        most = max(weighed.values(), default=0.0)
        return tuple(option for option, weight in weighed.items() if weight > most - _SAME)

    @property
    def leader(self) -> str | None:
        """The winner; in a tie the option whose voters are more confident, if all say so."""
        tied = [count for count in self.counts if count.option in self.winners]
        if len(tied) < 2:
            return tied[0].option if tied else None
        if any(voter.confidence is None for count in tied for voter in count.voters):
            return None
        stated = {count.option: self._stated(count) for count in tied}
        most = max(stated.values())
        ahead = [option for option, value in stated.items() if value > most - _SAME]
        return ahead[0] if len(ahead) == 1 else None

    @property
    def by_weight(self) -> bool:
        """Whether the weighted count comes out otherwise than the plain one."""
        return set(self.winners) != set(self.most_voted)

    def weight(self, count: Count) -> float:
        """The weighted votes of an option."""
        counted = dict(self.weights)
        return sum((counted.get(voter.role, 1.0) for voter in count.voters), 0.0)

    def _stated(self, count: Count) -> float:
        counted = dict(self.weights)
        return sum(counted.get(v.role, 1.0) * (v.confidence or 0) / 100 for v in count.voters)

    @property
    def sure(self) -> float | None:
        """The leader's share of all weights times its voters' mean confidence, where stated.

        Whoever cast no readable ballot does not support the leader.
        """
        leading = next((count for count in self.counts if count.option == self.leader), None)
        if leading is None:
            return None
        stated = [v.confidence for v in leading.voters if v.confidence is not None]
        if not stated:
            return None
        counted = dict(self.weights)
        everybody = sum(counted.get(role, 1.0) for role in self.choices())
        return self.weight(leading) / everybody * sum(stated) / len(stated) / 100

    @property
    def margin(self) -> int:
        """How many votes the leader is ahead of the next; 0 in a tie."""
        votes = sorted((count.votes for count in self.counts), reverse=True)
        return votes[0] - votes[1] if len(votes) > 1 else sum(votes)

    def votes_for(self, option: str) -> int:
        """How many ballots an option got, each counted as one."""
        return next((count.votes for count in self.counts if count.option == option), 0)

    def choices(self) -> dict[str, str | None]:
        """What every seat voted for, None for those without a readable ballot."""
        voted = {voter.role: count.option for count in self.counts for voter in count.voters}
        return {**voted, **dict.fromkeys(self.abstained)}

    @property
    def verdict(self) -> str:
        """The outcome in one sentence; a tie is called a tie."""
        winners = self.winners
        if not winners:
            return BallotText.NO_RESULT
        votes = self.votes_for(winners[0])
        if len(winners) > 1:
            return self._tie(winners)
        if self.by_weight:
            plain = self.most_voted
            return BallotText.wins_by_weight(winners[0], votes, plain, self.votes_for(plain[0]))
        if votes == sum(count.votes for count in self.counts):
            return BallotText.unanimous(winners[0], votes)
        return BallotText.wins(winners[0], votes, self.margin)

    def _tie(self, winners: Sequence[str]) -> str:
        votes = [self.votes_for(option) for option in winners]
        if self.by_weight:
            return BallotText.tie_by_weight(list(zip(winners, votes, strict=True)), self.leader)
        return BallotText.tie(winners, votes[0], self.leader)

    def without_weights(self) -> "Tally":
        """The same outcome without what each ballot counts."""
        return replace(self, weights=(), decided=self.winners)

    def to_dict(self) -> dict[str, object]:
        """The vote as files write it."""
        weighted = {count.option: round(self.weight(count), 4) for count in self.counts}
        return {
            "round": self.round,
            "votes": {count.option: count.votes for count in self.counts},
            "abstained": list(self.abstained),
            "weighted": None if self.decided else weighted,
            "winners": list(self.winners),
            "ahead": self.leader,
        }

    def stances(self) -> dict[str, Stance]:
        """The stances by the ballots (2.2#6); in a tie nothing leads, so all are neutral."""
        leading = self.winners[0] if len(self.winners) == 1 else None
        return {role: _stance(choice, leading) for role, choice in self.choices().items()}

    def lines(self) -> list[str]:
        """One line for each option and one for those who cast no ballot."""
        uneven = len({weight for _, weight in self.weights}) > 1
        lines = [
            BallotText.option_row(c.option, _voters(c), self.weight(c) if uneven else None)
            for c in self.counts
        ]
        if self.abstained:
            lines.append(BallotText.no_ballot_of(self.abstained))
        return lines

    def changes_to(self, last: "Tally") -> "tuple[VoteChange, ...]":
        """Who changed from what to what; a seat that is in one tally only did not change."""
        before, after = self.choices(), last.choices()
        return tuple(
            VoteChange(role, before[role], after[role])
            for role in before
            if role in after and before[role] != after[role]
        )

    def lines_until(self, last: "Tally") -> list[str]:
        """The last vote for people and, when there were two, the first one and who changed."""
        lines = [last.verdict, *last.lines()]
        if self.round == last.round:
            return lines
        before = [(count.option, count.votes) for count in self.counts if count.votes]
        lines.append(BallotText.stood_at(self.round, before))
        changes = [BallotText.vote_change(c.role, c.before, c.after) for c in self.changes_to(last)]
        return lines + (changes or [BallotText.nobody_changed(self.round)])

    @classmethod
    def of(
        cls,
        round_number: int,
        options: Sequence[str],
        ballots: Mapping[str, Ballot | None],
        weights: tuple[tuple[str, float], ...] = (),
    ) -> "Tally":
        """Count the ballots by role; None is a failed seat, and unknown options do not count."""
        voters: dict[str, list[Voter]] = {option: [] for option in options}
        abstained = []
        for role, ballot in ballots.items():
            if ballot is None or ballot.option not in voters:
                abstained.append(role)
            else:
                voters[ballot.option].append(Voter(role, ballot.confidence))
        counts = [Count(option, tuple(cast)) for option, cast in voters.items()]
        counts.sort(key=lambda count: -count.votes)
        return cls(round_number, tuple(counts), tuple(abstained), weights)


@dataclass(frozen=True, slots=True)
class VoteChange:
    """A seat whose ballot differs; None stands for no readable ballot."""

    role: str
    before: str | None
    after: str | None


def _stance(choice: str | None, leading: str | None) -> Stance:
    if choice is None or leading is None:
        return Stance.NEUTRAL
    return Stance.AGREE if choice == leading else Stance.DISAGREE


def _voters(count: Count) -> list[tuple[str, int | None]]:
    return [(voter.role, voter.confidence) for voter in count.voters]
