"""What a floor remembers: little, in memory, and only until an exchange is over."""

import enum
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bot.floor.config import RUNNING_LEASE_MS, FloorConfig
from bot.floor.reasons import CloseReason, Silence
from bot.floor.transcript import TranscriptLine, Voice

_REMEMBERED_IDS: Final = 32


@dataclass(frozen=True, slots=True)
class FloorSeat:
    """A panelist: the key that identifies it, and the name people and models read."""

    key: str
    name: str


class Passed(enum.Enum):
    """What became of a seat's chance to react to the latest message."""

    DECLINED = enum.auto()
    FAILED = enum.auto()
    SENT = enum.auto()
    EXPIRED_ONCE = enum.auto()
    EXPIRED = enum.auto()


OUT_OF_THE_RUNNING: Final = {Passed.DECLINED, Passed.FAILED, Passed.SENT, Passed.EXPIRED}
"""A seat with such an outcome is not woken again for the same message."""


class Kind(enum.Enum):
    """What an exchange is."""

    CONVERSATION = enum.auto()
    ROUND = enum.auto()
    ALLOWANCE = enum.auto()


@dataclass(slots=True)
class Holding:
    """The claim on the turn, from the grant until the answer has settled."""

    token: int
    agent: str
    source: int | None
    active_at: int
    running: bool = False
    """Whether its model call has begun."""
    approved: str | None = None
    text: str = ""
    allowed: bool = False
    sent_at: int | None = None
    message_ids: list[int] = field(default_factory=list)

    @property
    def in_flight(self) -> bool:
        """Whether the answer was let through and not all of it is known to be posted."""
        return self.allowed and self.sent_at is None

    def lease_ms(self, config: FloorConfig) -> int:
        """How long the claim lives without activity."""
        if self.running and self.sent_at is None and not self.message_ids:
            return max(config.lease_ms, RUNNING_LEASE_MS)
        return config.lease_ms

    def ends_at(self, config: FloorConfig) -> int:
        """When the turn settles, or when its lease has run out."""
        if self.sent_at is not None and self.message_ids:
            return self.active_at + config.settle_ms
        return self.active_at + self.lease_ms(config) + 1


@dataclass(frozen=True, slots=True)
class Question:
    """One or more messages of people that are answered together."""

    author_id: int
    lines: tuple[TranscriptLine, ...]
    targets: tuple[str, ...]
    for_all: bool
    calls: int = 0

    @property
    def message_ids(self) -> tuple[int, ...]:
        """The people's messages."""
        return tuple(line.source for line in self.lines)


@dataclass(slots=True)
class Epoch:
    """One exchange: from the message that opened it until it closes."""

    id: int
    kind: Kind
    targets: tuple[str, ...]
    updated_at: int
    for_all: bool = False
    question: Question | None = None
    lines: list[TranscriptLine] = field(default_factory=list)
    claim: Holding | None = None
    hops: int = 0
    calls: int = 0
    passed: dict[str, Passed] = field(default_factory=dict)
    spoken: set[str] = field(default_factory=set)
    woken: str | None = None
    woken_at: int = 0
    slots: list[str] = field(default_factory=list)
    in_order: bool = True
    wake_due: bool = True

    @property
    def latest(self) -> TranscriptLine | None:
        """The newest visible message."""
        return self.lines[-1] if self.lines else None

    @property
    def source(self) -> int | None:
        """The id of the newest visible message."""
        return self.lines[-1].source if self.lines else None

    def eligible(self) -> tuple[str, ...]:
        """The seats that may react to the newest message."""
        if self.kind is Kind.ROUND:
            return tuple(self.slots[:1] if self.in_order else self.slots)
        if not self.for_all:
            return tuple(seat for seat in self.targets if seat not in self.spoken)
        latest = self.latest
        author = latest.agent if latest and latest.voice is Voice.PANELIST else None
        return tuple(seat for seat in self.targets if seat != author)

    def still_asked(self) -> tuple[str, ...]:
        """The seats from which people may yet get an answer that is not on its way."""
        posting = self.claim.agent if self.claim and self.claim.allowed else None
        if self.question is None or (self.for_all and (self.spoken or posting)):
            return ()
        return tuple(
            seat
            for seat in self.targets
            if seat not in self.spoken
            and seat != posting
            and self.passed.get(seat) not in OUT_OF_THE_RUNNING
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """What is left of an exchange: it denies claims until it is forgotten."""

    reason: CloseReason
    at: int


@dataclass(slots=True)
class FloorState:
    """Everything one floor knows."""

    config: FloorConfig
    seats: tuple[FloorSeat, ...]
    serial: Iterator[int]
    order: tuple[str, ...]
    """The seats, least recently spoken first."""
    epoch: Epoch | None = None
    draining: Holding | None = None
    """An answer that was on its way when its exchange ended: nobody speaks until it is out."""
    queue: tuple[Question, ...] = ()
    silence: Silence | None = None
    archived: bool = False
    ending: Ending | None = None
    guard_until: int | None = None
    newest_id: int = 0
    heard: "array[int] | None" = None
    hops_since_person: int = 0
    calls_since_person: int = 0

    def knows(self, agent: str) -> bool:
        """Whether the seat sits at this table."""
        return any(seat.key == agent for seat in self.seats)

    def name_of(self, agent: str) -> str:
        """The seat's name."""
        return next((seat.name for seat in self.seats if seat.key == agent), agent)

    def has_heard(self, message_id: int) -> bool:
        """Whether a person's message was handled before."""
        return self.heard is not None and message_id in self.heard

    def remember(self, message_id: int) -> None:
        """Keep the id of a person's message; the oldest of many is forgotten."""
        if self.heard is None:
            self.heard = array("Q")
        self.heard.append(message_id)
        if len(self.heard) > _REMEMBERED_IDS:
            del self.heard[0]
        self.saw(message_id)

    def saw(self, message_id: int) -> None:
        """Know the newest visible message: ids grow with time, so older ones are stale."""
        self.newest_id = max(self.newest_id, message_id)

    def guard(self, now: int) -> None:
        """From now on late messages of panelists open nothing for a while."""
        self.guard_until = now + self.config.bot_reopen_cooldown_ms

    def has_spoken(self, agent: str) -> None:
        """Move a seat to the end of the speaking order."""
        if agent in self.order:
            self.order = (*(seat for seat in self.order if seat != agent), agent)
