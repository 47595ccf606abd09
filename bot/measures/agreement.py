"""Peer agreement: who scored whom in the last cross-critique, and what it adds up to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from bot.messages.conclusion import AgreementText
from bot.prompting.contract import PLACEHOLDERS
from bot.prompting.scores import How, Score, Scores

_HIGHEST_SCORE = 5
_INFERRED_MARK = "[SCORE INFERRED]"
_NOT_AVAILABLE = PLACEHOLDERS["CONSENSUS_SCORES"].default or "N/A"


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


def matrix_text(agreement: Agreement) -> str:
    """The value of CONSENSUS_SCORES: every score and the percentage, or that there are none."""
    if agreement.pct is None:
        return _NOT_AVAILABLE
    rows = [_row(agreement, role) for role in agreement.matrix]
    values = [value for row in agreement.matrix.values() for value in row.values()]
    total = f"{sum(values)} of {len(values) * _HIGHEST_SCORE} points"
    return "\n".join([*rows, f"Consensus: {AgreementText.percentage(agreement.pct)} ({total})"])


def _row(agreement: Agreement, role: str) -> str:
    guessed = {peer for giver, peer in agreement.inferred if giver == role}
    cells = (
        f"{peer} {value}/{_HIGHEST_SCORE}" + (f" {_INFERRED_MARK}" if peer in guessed else "")
        for peer, value in agreement.matrix[role].items()
    )
    return f"{role} gave: {', '.join(cells)}"


def inferred_line(agreement: Agreement) -> str | None:
    """The line of META that says how much of the percentage was inferred (E74), or None."""
    parts = []
    if agreement.inferred:
        number = sum(len(row) for row in agreement.matrix.values())
        parts.append(AgreementText.guessed_scores(agreement.inferred, number))
    if agreement.unread:
        parts.append(AgreementText.unread_scores(agreement.unread))
    return f"{_INFERRED_MARK} {'; '.join(parts)}" if parts else None
