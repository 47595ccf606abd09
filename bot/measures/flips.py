"""The flip ledger: who changed position in which round, and whose claim they say caused it."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.messages.conclusion import AgreementText
from bot.prompting.closing_lines import Stance
from bot.prompting.round_answers import Revision
from bot.prompting.text import cut_words, one_line

_REASON_WORDS = 60
_CAUSE = re.compile(r"\W{0,8}because\s+of\s[^:：]{0,100}[:：]\s*", re.IGNORECASE)


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


def flip_line(flip: Flip) -> str:
    """The change in one sentence for people."""
    cause = f"{flip.because_role} {flip.because_claim or ''}".rstrip() if flip.because_role else ""
    return AgreementText.moved(flip.role, flip.before, flip.after, flip.round, cause, flip.reason)
