"""The card that asks for an approval: everything a person needs to decide, in one message (3.3)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from bot.messages.approvals import ApprovalText
from bot.panels import Trigger
from bot.stage.cleaning import short_line
from bot.stage.port import THE_BOT, Attachment, Post, PostButton, Tone, button_id
from bot.store import ApprovalStatus, ReviewType
from bot.store.repositories.approvals import Approval
from bot.store.repositories.artifacts import FILES, REPLACED, Artifact, listing_id
from bot.store.repositories.reviews import Review
from bot.store.repositories.runs import Run

_GOAL_LIMIT = 300
_NAMES_LIMIT = 600
"""How many characters of a card names of files may take up."""
_LIST_NAME = "files.txt"
NOTE_LIMIT = 500
DECISIONS = {
    "approve": ApprovalStatus.APPROVED,
    "reject": ApprovalStatus.REJECTED,
    "changes": ApprovalStatus.REQUEST_CHANGES,
}
_DECIDED = {
    ApprovalStatus.APPROVED: ApprovalText.APPROVED,
    ApprovalStatus.REJECTED: ApprovalText.REJECTED,
    ApprovalStatus.REQUEST_CHANGES: ApprovalText.CHANGES_REQUESTED,
}


@dataclass(frozen=True, slots=True)
class CardFacts:
    """The content of the card, read from the store; `outcome` is the effect's result, if any."""

    approval: Approval
    run: Run
    reviews: Sequence[Review]
    artifacts: Sequence[Artifact]
    outcome: str = ""
    undone: bool = False
    criteria: Sequence[str] = ()
    """The acceptance criteria of a build; other runs have none."""
    asked_by: str = ""
    """Who asks, where it is no person: the coordinator of a discussion."""


def who_may_approve(trigger: Trigger) -> str:
    """Who decides, as the subject of a sentence."""
    return ApprovalText.approvers(trigger.approver_role_ids)


def approval_post(facts: CardFacts, trigger: Trigger) -> Post:
    """The card as a post, with buttons while a decision or a retry is open."""
    approval = facts.approval
    files = _files(approval)
    lines = [_headline(approval), *files.lines, *_facts(facts), *_fate(facts, trigger)]
    return Post(
        key=f"approval:{approval.id}",
        speaker=THE_BOT,
        text="\n".join(lines),
        untrusted=False,
        buttons=_buttons(facts),
        attachments=files.attachments,
    )


class _Files(NamedTuple):
    lines: Sequence[str] = ()
    attachments: tuple[Attachment, ...] = ()


def _files(approval: Approval) -> _Files:
    """Which files are written and which exist already; what does not fit is attached as a list."""
    replaced = approval.details.get(REPLACED, ())
    new = [name for name in approval.details.get(FILES, ()) if name not in replaced]
    lines, room, cut = list[str](), _NAMES_LIMIT, False
    for names, line in ((replaced, ApprovalText.replaced_files), (new, ApprovalText.new_files)):
        # Each name takes two backticks, a comma and a space.
        ends = accumulate(len(name) + 4 for name in names)
        shown = names[: sum(end <= room for end in ends)]
        room -= sum(len(name) + 4 for name in shown)
        cut = cut or len(shown) < len(names)
        if names:
            lines.append(line(shown, len(names) - len(shown)))
    return _Files(lines, (Attachment(_LIST_NAME, listing_id(approval.id)),) if cut else ())


def _headline(approval: Approval) -> str:
    waits = approval.status is ApprovalStatus.PENDING
    return ApprovalText.headline(approval.requested_action, waits=waits)


def _facts(facts: CardFacts) -> list[str]:
    approval, run = facts.approval, facts.run
    goal = short_line(run.topic, _GOAL_LIMIT)
    spec, quality = (_verdicts(facts.reviews, kind) for kind in ReviewType)
    lines = [
        ApprovalText.roundtable(run.id, run.phase, approval.attempt),
        facts.asked_by or ApprovalText.asked_by(approval.requested_by),
        ApprovalText.effect(approval.side_effect_kind, approval.idempotency_key),
        ApprovalText.goal(goal),
        ApprovalText.accepted_when(facts.criteria or _acceptance(run)),
        ApprovalText.reviews(spec, quality),
    ]
    if facts.artifacts:
        newest = facts.artifacts[-1]
        lines.append(ApprovalText.newest_artifact(newest.name, newest.kind))
    if approval.rollback_hint:
        lines.append(ApprovalText.to_undo(approval.rollback_hint))
    return lines


def _acceptance(run: Run) -> tuple[str, ...]:
    """What a roundtable must deliver (2.3)."""
    return ApprovalText.acceptance(validated=bool(run.request.get("validate")))


def _verdicts(reviews: Sequence[Review], kind: ReviewType) -> Counter[str]:
    return Counter(review.verdict.value for review in reviews if review.review_type is kind)


def _fate(facts: CardFacts, trigger: Trigger) -> list[str]:
    approval = facts.approval
    if approval.status is ApprovalStatus.PENDING:
        return [ApprovalText.may_decide(who_may_approve(trigger))]
    note = short_line(approval.note, NOTE_LIMIT)
    lines = [ApprovalText.decided(_DECIDED[approval.status], approval.resolved_by, note)]
    return [*lines, facts.outcome] if facts.outcome else lines


def _buttons(facts: CardFacts) -> tuple[PostButton, ...]:
    approval_id = facts.approval.id
    if facts.undone:
        return (PostButton(ApprovalText.TRY_AGAIN, button_id(approval_id, "approve"), Tone.GOOD),)
    if facts.approval.status is not ApprovalStatus.PENDING:
        return ()
    return (
        PostButton(ApprovalText.APPROVE, button_id(approval_id, "approve"), Tone.GOOD),
        PostButton(ApprovalText.REJECT, button_id(approval_id, "reject"), Tone.BAD),
        PostButton(ApprovalText.REQUEST_CHANGES, button_id(approval_id, "changes")),
    )
