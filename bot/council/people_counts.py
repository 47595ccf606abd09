"""How people voted, counted: no names, and nothing before both ballots are closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Counted:
    """A closed ballot of people: votes by option and how sure they were, without any names."""

    votes: tuple[int, ...]
    confidence: int | None = None
    twice: int = 0
    changed: int = 0

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Counted":
        """Read a count back from its event."""
        return cls(**{**payload, "votes": tuple(payload["votes"])})

    @property
    def voters(self) -> int:
        """How many people voted."""
        return sum(self.votes)


@dataclass(frozen=True, slots=True)
class PeoplesVotes:
    """Both closed ballots of people."""

    before: Counted
    after: Counted
