"""The store: the truth about every run, in one SQLite file.

`Store` hands out transactions, `Journal` does paid or visible work once, `move` is the one way
to change a phase. The repositories (`runs`, `seats`, `attempts`, `calls`, `answers`, `posts`,
`budgets`, `ledger`, `inbound`, `followups`, `turns`, `artifacts`, `reviews`, `approvals`,
`ballots`, `files`, `servers`, `events`) are modules of functions on a connection, to be called
inside `store.write` and `store.read`.
"""

from bot.store import (
    answers,
    approvals,
    artifacts,
    attempts,
    ballots,
    budgets,
    calls,
    events,
    files,
    followups,
    inbound,
    ledger,
    posts,
    reviews,
    runs,
    seats,
    servers,
    turns,
)
from bot.store.actors import Actor
from bot.store.engine import DATABASE, Store
from bot.store.errors import (
    ConflictError,
    DuplicateRunError,
    ForbiddenTransitionError,
    MissingRowError,
    NotPermittedError,
    StalePhaseError,
    StoreRefusedError,
)
from bot.store.events import Event, EventType
from bot.store.journal import Journal
from bot.store.phases import TERMINAL, move
from bot.store.rights import Right
from bot.store.vocabulary import (
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
    "answers",
    "approvals",
    "artifacts",
    "attempts",
    "ballots",
    "budgets",
    "calls",
    "events",
    "files",
    "followups",
    "inbound",
    "ledger",
    "move",
    "posts",
    "reviews",
    "runs",
    "seats",
    "servers",
    "turns",
]
