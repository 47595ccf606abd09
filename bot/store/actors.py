"""Who writes into the store."""

import enum


class Actor(enum.StrEnum):
    """The six kinds of writers; each has its row in the table of rights."""

    ORCHESTRATOR = "orchestrator"
    EXECUTOR = "executor"
    SPEC_REVIEWER = "spec_reviewer"
    QUALITY_REVIEWER = "quality_reviewer"
    APPROVER = "approver"
    HUMAN = "human"
