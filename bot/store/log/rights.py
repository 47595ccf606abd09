"""The table of rights: which actor may make which reserved write (requirements 3.3)."""

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bot.store.errors import NotPermittedError
from bot.store.vocabulary import Actor


class Right(enum.StrEnum):
    """A write that not everybody may make."""

    CREATE_RUN = "create a run"
    START_ATTEMPT = "start or finish an attempt"
    CHECKPOINT = "record a checkpoint"
    ARTIFACT = "record an artifact"
    REVIEW_SPEC = "append a spec review"
    REVIEW_QUALITY = "append a quality review"
    REQUEST_APPROVAL = "request an approval"
    RESOLVE_APPROVAL = "resolve an approval"
    TRANSITION = "move the phase"
    OPEN_CIRCUIT = "open the circuit"


_RIGHTS: Final[Mapping[Actor, frozenset[Right]]] = MappingProxyType(
    {
        Actor.ORCHESTRATOR: frozenset(Right) - {Right.REVIEW_SPEC, Right.REVIEW_QUALITY},
        Actor.EXECUTOR: frozenset({Right.CHECKPOINT, Right.ARTIFACT}),
        Actor.SPEC_REVIEWER: frozenset({Right.CHECKPOINT, Right.ARTIFACT, Right.REVIEW_SPEC}),
        Actor.QUALITY_REVIEWER: frozenset({Right.CHECKPOINT, Right.ARTIFACT, Right.REVIEW_QUALITY}),
        Actor.APPROVER: frozenset(
            {Right.CHECKPOINT, Right.ARTIFACT, Right.REQUEST_APPROVAL, Right.RESOLVE_APPROVAL}
        ),
        Actor.HUMAN: frozenset({Right.RESOLVE_APPROVAL}),
    }
)


def _may(actor: Actor, right: Right) -> bool:
    """Whether the actor has the right."""
    return right in _RIGHTS[actor]


def require(actor: Actor, right: Right) -> None:
    """Refuse an actor that lacks the right."""
    if not _may(actor, right):
        raise NotPermittedError(f"the {actor} may not {right}")
