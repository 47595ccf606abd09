"""The models' vote: counted each round, compared between the first and the last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.messages.votes import BallotText
from bot.prompting.closing_lines import Ballot, Stance


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

    @property
    def winners(self) -> tuple[str, ...]:
        """The leading option, several in a tie, none when nobody voted."""
        most = max((count.votes for count in self.counts), default=0)
        return tuple(c.option for c in self.counts if most and c.votes == most)

    @property
    def margin(self) -> int:
        """How many votes the leader is ahead of the next; 0 in a tie."""
        votes = sorted((count.votes for count in self.counts), reverse=True)
        return votes[0] - votes[1] if len(votes) > 1 else sum(votes)

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
        votes = self.counts[0].votes
        if len(winners) > 1:
            return BallotText.tie(winners, votes)
        if votes == sum(count.votes for count in self.counts):
            return BallotText.unanimous(winners[0], votes)
        return BallotText.wins(winners[0], votes, self.margin)

    def stances(self) -> dict[str, Stance]:
        """The stances by the ballots (2.2#6); in a tie nothing leads, so all are neutral."""
        leading = self.winners[0] if len(self.winners) == 1 else None
        return {role: _stance(choice, leading) for role, choice in self.choices().items()}

    def lines(self) -> list[str]:
        """One line for each option and one for those who cast no ballot."""
        lines = [BallotText.option_row(count.option, _voters(count)) for count in self.counts]
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
        cls, round_number: int, options: Sequence[str], ballots: Mapping[str, Ballot | None]
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
        return cls(round_number, tuple(counts), tuple(abstained))


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
