"""A run as it stands in the store, read in one go: conclusion and files are made of it."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from bot.council.measures import StanceResult
from bot.prompting.stance import Stance
from bot.request import Mode


class Ending(enum.StrEnum):
    """How a run ended; empty while it is under way."""

    OPEN = ""
    CONCLUDED = "concluded"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Seat:
    """One panelist as frozen into the run."""

    slug: str
    role: str
    model: str
    family: str
    task: str = ""
    perspective: str = ""


@dataclass(frozen=True, slots=True)
class Speech:
    """What one seat said in one round, or why it said nothing."""

    seat: Seat
    round: int
    model: str
    text: str
    digest: str
    stance: Stance
    ballot: str = ""
    confidence: int | None = None
    reason: str = ""
    problem: str = ""
    seconds: float = 0.0
    links: tuple[str, ...] = ()

    @property
    def spoke(self) -> bool:
        """Whether there is an answer at all."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class Spending:
    """What the run used; a cost of None means that some price is unknown."""

    calls: int
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything about a run that people, minutes and files are told."""

    run_id: str
    topic: str
    mode: Mode
    workflow: str
    starter_id: int
    created_at: float
    finished_at: float
    ending: Ending
    ending_note: str
    rehearsal: bool
    rounds_planned: int
    seats: tuple[Seat, ...]
    speeches: tuple[Speech, ...]
    options: tuple[str, ...]
    stance_result: StanceResult | None
    consensus_pct: float | None
    validated: str
    synthesis: str
    synthesis_model: str
    synthesis_title: str
    sections: Mapping[str, str]
    degradations: tuple[str, ...]
    notices: tuple[str, ...]
    decision: str
    spending: Spending

    @property
    def seconds(self) -> int:
        """How long the run took."""
        return max(0, round(self.finished_at - self.created_at))

    @property
    def rounds_held(self) -> int:
        """How many rounds had at least one answer."""
        return max((speech.round for speech in self.speeches if speech.spoke), default=0)

    @property
    def stances(self) -> tuple[Stance, ...]:
        """The stances of the last round held."""
        last = self.rounds_held
        return tuple(speech.stance for speech in self.speeches if speech.round == last)
