"""The store: everything known about every run, in one database.

`Store` runs transactions, `Journal` does paid or visible work once, `move` is the only way to
change a phase. `repositories` has one class per table, made with the connection of a transaction
inside `store.write` and `store.read`.
"""

from bot.store.engine.store import DATABASE, Store
from bot.store.errors import (
    ConflictError,
    DuplicateRunError,
    ForbiddenTransitionError,
    MissingRowError,
    NotPermittedError,
    StalePhaseError,
    StoreRefusedError,
)
from bot.store.log.events import Event, EventType, Right
from bot.store.log.journal import Journal
from bot.store.repositories.phases import TERMINAL, WAITING_FOR_PEOPLE, move
from bot.store.vocabulary import (
    Actor,
    ApprovalStatus,
    ArtifactKind,
    AttemptStatus,
    BallotTime,
    CallStatus,
    InboundKind,
    Phase,
    PostKind,
    PostState,
    ReviewType,
    SeatStatus,
    SideEffect,
    Status,
    TurnVoice,
    Verdict,
)

__all__ = [
    "DATABASE",
    "TERMINAL",
    "WAITING_FOR_PEOPLE",
    "Actor",
    "ApprovalStatus",
    "ArtifactKind",
    "AttemptStatus",
    "BallotTime",
    "CallStatus",
    "ConflictError",
    "DuplicateRunError",
    "Event",
    "EventType",
    "ForbiddenTransitionError",
    "InboundKind",
    "Journal",
    "MissingRowError",
    "NotPermittedError",
    "Phase",
    "PostKind",
    "PostState",
    "ReviewType",
    "Right",
    "SeatStatus",
    "SideEffect",
    "StalePhaseError",
    "Status",
    "Store",
    "StoreRefusedError",
    "TurnVoice",
    "Verdict",
    "move",
]
