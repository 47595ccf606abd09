"""What the seven tools take and return, with the descriptions that agents read."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["active", "concluded", "cancelled"]
Order = Literal["fixed", "random", "priority", "free"]


class _View(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ParticipantIn(_View):
    """One who will speak."""

    profile: Annotated[str, Field(description="Unique short name, such as 'architect'.")]
    role: Annotated[str, Field(description="The role people see, such as 'Architect'.")]
    perspective: Annotated[str, Field(description="What this participant looks for.")] = ""
    display_name: Annotated[str, Field(description="A person's or agent's own name.")] = ""
    priority: Annotated[int, Field(description="Highest speaks first under 'priority'.")] = 0


class PointIn(_View):
    """One point of a round."""

    text: Annotated[str, Field(description="The point in one sentence.")]
    made_by: Annotated[list[str], Field(description="Profiles of those who made it.")] = []


class FindingsIn(_View):
    """What the last complete round showed, as the coordinator saw it."""

    consensus: Annotated[list[PointIn], Field(description="Points several agree on.")] = []
    disagreement: Annotated[list[PointIn], Field(description="Points that are disputed.")] = []
    new_points: Annotated[
        list[PointIn], Field(description="Points raised for the first time.")
    ] = []


class Opened(_View):
    """A new discussion."""

    discussion_id: str
    status: Status
    current_round: int
    max_rounds: int
    next_speaker: str | None
    thread_url: str | None = None
    advice: str


class Spoken(_View):
    """A recorded speech and what follows."""

    speech_id: int
    round: int
    participant: str
    next_speaker: str | None
    round_complete: bool
    discussion_complete: bool
    convergence_score: float | None
    advice: str


class SpeechOut(_View):
    """One speech."""

    speech_id: int
    round: int
    participant: str
    role: str
    content: str
    reply_to: int | None = None
    at: str


class FloorOut(_View):
    """What a person wrote in the discussion's thread."""

    content: str
    at: str


class History(_View):
    """A page of what was said."""

    discussion_id: str
    topic: str
    status: Status
    current_round: int
    speeches: list[SpeechOut]
    from_the_floor: list[FloorOut]
    formatted_history: str
    next_after: Annotated[int | None, Field(description="Pass as `after` for the next page.")]


class RoundMeasure(_View):
    """One round's convergence."""

    round: int
    score: float | None
    consensus: int
    disagreement: int
    new_points: int


class State(_View):
    """Where a discussion stands."""

    discussion_id: str
    topic: str
    status: Status
    reason: str
    current_round: int
    max_rounds: int
    next_speaker: str | None
    waiting_for: list[str]
    convergence_score: float | None
    consensus_points: list[str]
    disagreement_points: list[str]
    new_points: list[str]
    history: list[RoundMeasure]
    thread_url: str | None = None
    link: str | None = None


class RoundOut(_View):
    """One round in the raw data for a conclusion."""

    round: int
    speeches: list[SpeechOut]
    left_out: int = 0
    consensus: list[str]
    disagreement: list[str]
    new_points: list[str]


class RawSummary(_View):
    """Everything a coordinator needs to write the conclusion; no model made it (C9)."""

    discussion_id: str
    topic: str
    context: str
    status: Status
    participants: list[ParticipantIn]
    convergence_score: float | None
    rounds: list[RoundOut]
    from_the_floor: list[FloorOut]
    advice: str


class Ended(_View):
    """How an end or a vote for it turned out."""

    discussion_id: str
    status: Status
    reason: str
    votes_to_end: list[str]
    output_path: str | None = None
    advice: str


class Listed(_View):
    """One line of the list."""

    discussion_id: str
    kind: Literal["discussion", "meeting"]
    topic: str
    status: Status
    current_round: int
    max_rounds: int
    created_at: str


class Listing(_View):
    """The newest first."""

    discussions: list[Listed]
