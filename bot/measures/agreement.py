"""Who agrees with whom: peer scores, and the ledger of changed positions."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from bot.messages.votes import AgreementText
from bot.prompting.closing_lines import Stance
from bot.prompting.contract import PLACEHOLDERS
from bot.prompting.round_answers import Revision
from bot.prompting.scores import How, Score, Scores
from bot.prompting.text import cut_words, one_line

_HIGHEST_SCORE = 5
_INFERRED_MARK = "[SCORE INFERRED]"
_NOT_AVAILABLE = PLACEHOLDERS["CONSENSUS_SCORES"].default or "N/A"
_REASON_WORDS = 60
_CAUSE = re.compile(r"\W{0,8}because\s+of\s[^:：]{0,100}[:：]\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Scores by giver and peer; `inferred` lists (giver, peer), `unread` who gave no score."""

    matrix: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    pct: float | None = None
    inferred: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON data."""
        return {
            "matrix": {role: dict(row) for role, row in self.matrix.items()},
            "pct": self.pct,
            "inferred": [list(pair) for pair in self.inferred],
            "unread": list(self.unread),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` wrote."""
        return cls(
            matrix={role: dict(row) for role, row in data.get("matrix", {}).items()},
            pct=data.get("pct"),
            inferred=tuple((giver, peer) for giver, peer in data.get("inferred", ())),
            unread=tuple(data.get("unread", ())),
        )

    def matrix_text(self) -> str:
        """The value of CONSENSUS_SCORES: every score and the percentage, or that there are none."""
        if self.pct is None:
            return _NOT_AVAILABLE
        rows = [_row(self, role) for role in self.matrix]
        values = [value for row in self.matrix.values() for value in row.values()]
        total = f"{sum(values)} of {len(values) * _HIGHEST_SCORE} points"
        return "\n".join([*rows, f"Consensus: {AgreementText.percentage(self.pct)} ({total})"])

    def inferred_line(self) -> str | None:
        """The line of META that says how much of the percentage was inferred (E74), or None."""
        parts = []
        if self.inferred:
            number = sum(len(row) for row in self.matrix.values())
            parts.append(AgreementText.guessed_scores(self.inferred, number))
        if self.unread:
            parts.append(AgreementText.unread_scores(self.unread))
        return f"{_INFERRED_MARK} {'; '.join(parts)}" if parts else None


def agreement_of(scores: Mapping[str, Scores | None]) -> Agreement:
    """Add up the scores of every seat; None means a failed seat, which is left out (E104).

    A seat without any readable score contributes nothing: a row of guesses measures nobody.
    """
    given = {
        role: [score for score in row.scores if score.peer != role]
        for role, row in scores.items()
        if row is not None and row.readable
    }
    return Agreement(
        matrix={role: {s.peer: s.value for s in row} for role, row in given.items() if row},
        pct=_percentage([score.value for row in given.values() for score in row]),
        inferred=tuple((role, s.peer) for role, row in given.items() for s in row if _guessed(s)),
        unread=tuple(r for r, row in scores.items() if row is not None and not row.readable),
    )


def _percentage(values: list[int]) -> float | None:
    return sum(values) / (len(values) * _HIGHEST_SCORE) * 100 if values else None


def _guessed(score: Score) -> bool:
    return score.how is How.INFERRED


def _row(agreement: Agreement, role: str) -> str:
    guessed = {peer for giver, peer in agreement.inferred if giver == role}
    cells = (
        f"{peer} {value}/{_HIGHEST_SCORE}" + (f" {_INFERRED_MARK}" if peer in guessed else "")
        for peer, value in agreement.matrix[role].items()
    )
    return f"{role} gave: {', '.join(cells)}"


@dataclass(frozen=True, slots=True)
class RoundPositions:
    """Where the seats that answered a round stood at its end, and what they said of a change.

    A position is a stance or an option of the ballot. Seats that failed are left out; None and
    UNKNOWN mean that no position could be read, so that neither ever looks like a change of mind.
    `claims` has the ids in the digest of everybody who wrote one in this round, perhaps none;
    a cause is looked for among the digests of earlier rounds, which the seat had read.
    """

    round: int
    positions: Mapping[str, str | None]
    revisions: Mapping[str, Revision] = field(default_factory=dict)
    claims: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flip:
    """One change of position; no `because_role` means that no real cause was named."""

    role: str
    round: int
    before: str
    after: str
    because_role: str | None = None
    because_claim: str | None = None
    reason: str = AgreementText.NO_REASON

    @property
    def line(self) -> str:
        """The change in one sentence for people."""
        cause = (
            f"{self.because_role} {self.because_claim or ''}".rstrip() if self.because_role else ""
        )
        return AgreementText.moved(
            self.role, self.before, self.after, self.round, cause, self.reason
        )


def flip_ledger(rounds: Sequence[RoundPositions]) -> tuple[Flip, ...]:
    """Every change of position between a seat's readable positions, in order."""
    flips: list[Flip] = []
    standing: dict[str, str] = {}
    claims: dict[str, Collection[str]] = {}
    for entry in sorted(rounds, key=lambda entry: entry.round):
        positions = {role: str(position) for role, position in _readable(entry)}
        flips += _changes(entry, standing, positions, claims)
        standing |= positions
        claims |= entry.claims
    return tuple(flips)


def _readable(entry: RoundPositions) -> Iterator[tuple[str, str]]:
    for role, position in entry.positions.items():
        if position and position != Stance.UNKNOWN:
            yield role, position


def _changes(
    entry: RoundPositions,
    standing: Mapping[str, str],
    positions: Mapping[str, str],
    claims: Mapping[str, Collection[str]],
) -> Iterator[Flip]:
    for role, after in positions.items():
        before = standing.get(role, after)
        if before == after:
            continue
        revision = entry.revisions.get(role, Revision())
        if _is_real(revision, role, claims):
            cause = (revision.role, revision.claim, _reason(revision.text))
            yield Flip(role, entry.round, before, after, *cause)
        else:
            yield Flip(role, entry.round, before, after)


def _is_real(revision: Revision, role: str, claims: Mapping[str, Collection[str]]) -> bool:
    """Whether the cause is a peer who spoke and, if a claim is named, one they made."""
    cause = revision.role
    if not revision.changed or cause is None or cause == role or cause not in claims:
        return False
    return revision.claim is None or revision.claim in claims[cause]


def _reason(text: str) -> str:
    """What follows the cause; empty when the seat only named it."""
    said = one_line(text)
    cause = _CAUSE.match(said)
    return cut_words(said[cause.end() :] if cause else said, _REASON_WORDS)
