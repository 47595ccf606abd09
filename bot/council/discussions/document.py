"""The conclusion of a discussion as one Markdown file (C23)."""

import re
from collections.abc import Mapping, Sequence

from bot.council.minutes import moment
from bot.messages.minutes import DiscussionFileText
from bot.store.discussions import Discussion
from bot.store.findings import Found
from bot.store.speeches import COORDINATOR, Said
from bot.store.vocabulary import FindingKind

_TASK = re.compile(r"^[^\S\n]*+[-*][^\S\n]++\[[ xX]\][^\S\n]++(\S.*)", re.MULTILINE)
_OWNER = re.compile(r"\bowner\b", re.IGNORECASE)


def document_text(
    discussion: Discussion, said: Sequence[Said], findings: Mapping[int, Sequence[Found]]
) -> str:
    """Render the whole file from what is stored."""
    latest = findings[max(findings)] if findings else ()
    parts = [
        DiscussionFileText.title(_flat(discussion.run.topic)),
        _summary(discussion),
        _numbered(DiscussionFileText.CONSENSUS, _points(discussion, latest, FindingKind.CONSENSUS)),
        _numbered(
            DiscussionFileText.DISAGREEMENT, _points(discussion, latest, FindingKind.DISAGREEMENT)
        ),
        _action_items(discussion.conclusion),
        DiscussionFileText.conclusion(discussion.conclusion) if discussion.conclusion else "",
        _transcript(discussion, said),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _name(discussion: Discussion, profile: str) -> str:
    for person in discussion.participants:
        if person.profile == profile:
            return DiscussionFileText.participant(person.role, person.display_name)
    return (
        DiscussionFileText.coordinator(discussion.created_by) if profile == COORDINATOR else profile
    )


def _summary(discussion: Discussion) -> str:
    run = discussion.run
    return DiscussionFileText.summary(
        topic=_flat(run.topic),
        people=[_name(discussion, person.profile) for person in discussion.participants],
        rounds=(discussion.current_round, discussion.max_rounds),
        began=moment(run.created_at),
        ended=moment(run.finished_at) if run.finished_at else "",
        reason=run.status_reason,
        link=discussion.link,
        run_id=run.id,
    )


def _points(discussion: Discussion, found: Sequence[Found], kind: FindingKind) -> list[str]:
    return [
        f"{_flat(finding.text)}{_by(discussion, finding)}"
        for finding in found
        if finding.kind is kind
    ]


def _by(discussion: Discussion, finding: Found) -> str:
    names = ", ".join(_name(discussion, profile) for profile in finding.made_by)
    return f" ({names})" if names else ""


def _numbered(title: str, points: Sequence[str]) -> str:
    listed = [f"{number}. {point}" for number, point in enumerate(points, 1)]
    return DiscussionFileText.section(title, "\n".join(listed) or DiscussionFileText.NONE_RECORDED)


def _action_items(conclusion: str) -> str:
    items = [
        DiscussionFileText.task(task.rstrip(), has_owner=_OWNER.search(task) is not None)
        for task in _TASK.findall(conclusion)
    ]
    return DiscussionFileText.section(
        DiscussionFileText.ACTION_ITEMS, "\n".join(items) or DiscussionFileText.NONE_RECORDED
    )


def _transcript(discussion: Discussion, said: Sequence[Said]) -> str:
    parts = [f"## {DiscussionFileText.TRANSCRIPT}"]
    for number in dict.fromkeys(speech.round for speech in said):
        parts.append(DiscussionFileText.round_head(number))
        parts += [
            f"**{_name(discussion, speech.participant)}**: {speech.content}"
            for speech in said
            if speech.round == number
        ]
    return "\n\n".join(parts if said else [*parts, DiscussionFileText.NOBODY_SPOKE])
