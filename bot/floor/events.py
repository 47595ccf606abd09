"""What can happen on a floor; the driver reports it, the floor decides."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Human:
    """A person wrote a message: to some seats, to all, or (both empty) to nobody here.

    With `for_all` the targets, if there are any, say who "all" are.
    """

    message_id: int
    author_id: int
    author: str
    text: str
    targets: tuple[str, ...] = ()
    for_all: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """A person changed a message."""

    message_id: int
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A seat wants the turn."""

    agent: str


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The model call of a claim begins, or is still under way."""

    agent: str
    claim: int


@dataclass(frozen=True, slots=True)
class Output:
    """The model call ended with a text."""

    agent: str
    claim: int
    text: str


@dataclass(frozen=True, slots=True)
class Sending:
    """An answer is about to be posted, with all its parts."""

    agent: str
    claim: int
    text: str


@dataclass(frozen=True, slots=True)
class Sent:
    """Parts of an answer were posted; `last` is False while more parts follow.

    `text` is the whole answer, to which others may react if no claim led to it.
    """

    agent: str
    claim: int
    message_ids: tuple[int, ...] = ()
    error: str | None = None
    last: bool = True
    text: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """A message of a bot or webhook came in; `agent` is the seat its id or webhook belongs to."""

    message_id: int
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class AgentFailed:
    """A seat cannot answer; `claim` is its claim, or None when it had none."""

    agent: str
    claim: int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Somebody asked the panel to be quiet until a person speaks."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Somebody stopped the panel: everything ends at once, rounds too."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class ScheduleRound:
    """A round begins: its seats, posted in this order, or as they are ready."""

    targets: tuple[str, ...]
    in_order: bool = True


@dataclass(frozen=True, slots=True)
class RoundDone:
    """The round, or the stage it belongs to, is over."""


@dataclass(frozen=True, slots=True)
class Archived:
    """The thread was archived."""


@dataclass(frozen=True, slots=True)
class Reopened:
    """The thread was opened again."""


Event = (
    Human
    | Edited
    | Claim
    | RunStarted
    | Output
    | Sending
    | Sent
    | Observed
    | AgentFailed
    | Quiet
    | Stop
    | Tick
    | ScheduleRound
    | RoundDone
    | Archived
    | Reopened
)
