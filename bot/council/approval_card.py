"""The card that asks for an approval: everything a person needs to decide, in one message (3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.panels import Trigger
from bot.stage.cleaning import clean_text, one_line
from bot.stage.port import THE_BOT, Post, PostButton, Tone
from bot.store import ApprovalStatus, ReviewType
from bot.store.approvals import Approval
from bot.store.artifacts import Artifact
from bot.store.reviews import Review
from bot.store.runs import Run

GOAL_LIMIT = 300
NOTE_LIMIT = 500
DECISIONS = {
    "approve": ApprovalStatus.APPROVED,
    "reject": ApprovalStatus.REJECTED,
    "changes": ApprovalStatus.REQUEST_CHANGES,
}
_DECIDED = {
    ApprovalStatus.APPROVED: "✅ Approved",
    ApprovalStatus.REJECTED: "⛔ Rejected",
    ApprovalStatus.REQUEST_CHANGES: "✏️ Changes requested",
}


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What the card tells, read from the store; `outcome` is how the effect ended, if it did."""

    approval: Approval
    run: Run
    reviews: Sequence[Review]
    artifacts: Sequence[Artifact]
    outcome: str = ""
    undone: bool = False


def button_id(approval_id: str, decision: str) -> str:
    """The custom id that still means this decision after a restart."""
    return f"rt:{approval_id}:{decision}"


def named(reference: str | None) -> str:
    """A person's id as a mention, which pings nobody; anything else as it is."""
    return f"<@{reference}>" if reference and reference.isdigit() else str(reference)


def who_may_approve(trigger: Trigger) -> str:
    """Who decides, as the subject of a sentence."""
    if trigger.approver_role_ids:
        return " or ".join(f"<@&{role}>" for role in trigger.approver_role_ids)
    return "moderators and admins of this server"


def approval_post(facts: CardFacts, trigger: Trigger) -> Post:
    """The card as a post: with its buttons while somebody has to decide or to try again."""
    approval = facts.approval
    lines = [_headline(approval), *_facts(facts), *_fate(facts, trigger)]
    return Post(
        key=f"approval:{approval.id}",
        speaker=THE_BOT,
        text="\n".join(lines),
        untrusted=False,
        buttons=_buttons(facts),
    )


def _headline(approval: Approval) -> str:
    sign = "🔐 Approval needed" if approval.status is ApprovalStatus.PENDING else "🔐 Approval"
    return f"**{sign}:** {approval.requested_action}"


def _facts(facts: CardFacts) -> list[str]:
    approval, run = facts.approval, facts.run
    goal = one_line(clean_text(run.topic), GOAL_LIMIT)
    spec, quality = (_verdicts(facts.reviews, kind) for kind in ReviewType)
    lines = [
        f"**Roundtable:** `{run.id}` · phase {run.phase} · attempt {approval.attempt}",
        f"**Asked by:** {named(approval.requested_by)}",
        f"**Effect:** {approval.side_effect_kind} · key `{approval.idempotency_key}`",
        f"**Goal:** {goal}",
        f"**Accepted when:** {' · '.join(acceptance(run))}",
        f"**Reviews:** spec {spec} · quality {quality}",
    ]
    if facts.artifacts:
        newest = facts.artifacts[-1]
        lines.append(f"**Newest artifact:** `{newest.name}` ({newest.kind})")
    if approval.rollback_hint:
        lines.append(f"**To undo it:** {approval.rollback_hint}")
    return lines


def acceptance(run: Run) -> tuple[str, ...]:
    """What a roundtable must deliver (2.3)."""
    validated = ("the panel checked it",) if run.request.get("validate") else ()
    return ("at least one answer", "every section", "nothing left unfilled", *validated)


def _verdicts(reviews: Sequence[Review], kind: ReviewType) -> str:
    verdicts = [review.verdict for review in reviews if review.review_type is kind]
    counted = [f"{verdicts.count(word)}× {word}" for word in dict.fromkeys(verdicts)]
    return ", ".join(counted).replace("_", " ") or "none"


def _fate(facts: CardFacts, trigger: Trigger) -> list[str]:
    approval = facts.approval
    if approval.status is ApprovalStatus.PENDING:
        who = who_may_approve(trigger)
        return [f"-# {who[0].upper()}{who[1:]} may decide. It waits, restarts or not."]
    note = one_line(clean_text(approval.note), NOTE_LIMIT)
    said = f": {note}" if note else ""
    lines = [f"{_DECIDED[approval.status]} by {named(approval.resolved_by)}{said}"]
    return [*lines, facts.outcome] if facts.outcome else lines


def _buttons(facts: CardFacts) -> tuple[PostButton, ...]:
    approval_id = facts.approval.id
    if facts.undone:
        return (PostButton("Try again", button_id(approval_id, "approve"), Tone.GOOD),)
    if facts.approval.status is not ApprovalStatus.PENDING:
        return ()
    return (
        PostButton("Approve", button_id(approval_id, "approve"), Tone.GOOD),
        PostButton("Reject", button_id(approval_id, "reject"), Tone.BAD),
        PostButton("Request changes", button_id(approval_id, "changes")),
    )
