"""What the seven tools take and return, with the descriptions that agents read."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from bot.messages.discussions import AgentText

Status = Literal["active", "concluded", "cancelled"]
Order = Literal["fixed", "random", "priority", "free"]

_MOST_POINTS = 50


class _View(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, stored: object) -> Self:
        """What the tools say of something stored that has the same fields."""
        return cls.model_validate(stored, from_attributes=True)


class ParticipantIn(_View):
    """One who will speak."""

    profile: Annotated[
        str,
        Field(description=AgentText.PROFILE, json_schema_extra={"minLength": 1, "maxLength": 64}),
    ]
    role: Annotated[
        str, Field(description=AgentText.ROLE, json_schema_extra={"minLength": 2, "maxLength": 80})
    ]
    perspective: Annotated[
        str, Field(description=AgentText.PERSPECTIVE, json_schema_extra={"maxLength": 1_000})
    ] = ""
    display_name: Annotated[
        str, Field(description=AgentText.DISPLAY_NAME, json_schema_extra={"maxLength": 80})
    ] = ""
    priority: Annotated[int, Field(description=AgentText.PRIORITY, ge=-1000, le=1000)] = 0


class PointIn(_View):
    """One point of a round."""

    text: Annotated[
        str,
        Field(description=AgentText.POINT, json_schema_extra={"minLength": 1, "maxLength": 1_000}),
    ]
    made_by: Annotated[list[str], Field(description=AgentText.MADE_BY, max_length=20)] = []


class FindingsIn(_View):
    """What the last complete round showed, as the coordinator saw it."""

    consensus: Annotated[
        list[PointIn], Field(description=AgentText.CONSENSUS, max_length=_MOST_POINTS)
    ] = []
    disagreement: Annotated[
        list[PointIn], Field(description=AgentText.DISAGREEMENT, max_length=_MOST_POINTS)
    ] = []
    new_points: Annotated[
        list[PointIn], Field(description=AgentText.NEW_POINTS, max_length=_MOST_POINTS)
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
    next_after: Annotated[int | None, Field(description=AgentText.NEXT_AFTER)]


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
