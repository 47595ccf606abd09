"""Every enum that the tables hold; each becomes a CHECK constraint."""

import enum


class Phase(enum.StrEnum):
    """The eleven phases a run can be in (B13)."""

    SPEC_DRAFT = "spec_draft"
    SPEC_REVIEW = "spec_review"
    EXECUTION_READY = "execution_ready"
    EXECUTING = "executing"
    SPEC_GATE = "spec_gate"
    QUALITY_GATE = "quality_gate"
    AWAITING_APPROVAL = "awaiting_approval"
    READY_TO_RESUME = "ready_to_resume"
    COMPLETED = "completed"
    FAILED = "failed"
    CIRCUIT_OPEN = "circuit_open"


class Status(enum.StrEnum):
    """The status shown to people; derived from the phase, never stored (2.2#29)."""

    ACTIVE = "active"
    CONCLUDED = "concluded"
    CANCELLED = "cancelled"


class Actor(enum.StrEnum):
    """The six actors that write; each has its row in the table of rights."""

    ORCHESTRATOR = "orchestrator"
    EXECUTOR = "executor"
    SPEC_REVIEWER = "spec_reviewer"
    QUALITY_REVIEWER = "quality_reviewer"
    APPROVER = "approver"
    HUMAN = "human"


class SeatStatus(enum.StrEnum):
    """The state of a seat's session."""

    SEATED = "seated"
    TIMED_OUT = "timed out"
    FAILED = "failed"
    CLOSED = "closed"


class AttemptStatus(enum.StrEnum):
    """The state of one execution of the workflow."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    ABORTED = "aborted"


class CallStatus(enum.StrEnum):
    """How a model call ended."""

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"


class PostKind(enum.StrEnum):
    """Whether a part is sent by the bot, through a webhook, or as an edit."""

    BOT = "bot"
    WEBHOOK = "webhook"
    EDIT = "edit"


class PostState(enum.StrEnum):
    """The state of a part in the outbox; `sending` means the outcome may be unknown."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


class InboundKind(enum.StrEnum):
    """How a message from a person was classified."""

    TRIGGER = "trigger"
    COMMAND = "command"
    FLOOR = "floor"
    FOLLOW_UP = "follow_up"
    OTHER = "other"


class TurnVoice(enum.StrEnum):
    """Whether a turn was input to the seat or its answer."""

    HEARD = "heard"
    SAID = "said"


class ArtifactKind(enum.StrEnum):
    """What an artifact is."""

    PRIMARY_OUTPUT = "primary_output"
    TEST_REPORT = "test_report"
    DIFF = "diff"
    REVIEW_REPORT = "review_report"
    OTHER = "other"


class ReviewType(enum.StrEnum):
    """Which of the two gates a review belongs to."""

    SPEC = "spec"
    QUALITY = "quality"


class Verdict(enum.StrEnum):
    """The one verdict of a review (B41)."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    BLOCKED = "blocked"


class SideEffect(enum.StrEnum):
    """The kind of side effect that needs an approval."""

    WRITE_EXTERNAL = "write_external"
    DEPLOY = "deploy"
    MERGE = "merge"
    NOTIFY = "notify"
    DESTRUCTIVE_EDIT = "destructive_edit"
    OTHER = "other"


class ApprovalStatus(enum.StrEnum):
    """The state of an approval."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    REQUEST_CHANGES = "request_changes"


class BallotTime(enum.StrEnum):
    """Which of people's two ballots: before or after the conclusion."""

    BEFORE = "before"
    AFTER = "after"


class TalkOrder(enum.StrEnum):
    """The speaking order of a discussion."""

    FIXED = "fixed"
    RANDOM = "random"
    PRIORITY = "priority"
    FREE = "free"


class FindingKind(enum.StrEnum):
    """The kind of a finding of a discussion's round (C20)."""

    CONSENSUS = "consensus"
    DISAGREEMENT = "disagreement"
    NEW_POINT = "new_point"
