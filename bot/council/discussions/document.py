"""The conclusion of a discussion as one Markdown file (C23)."""

import re
from collections.abc import Mapping, Sequence

from bot.council.minutes import moment
from bot.store.discussions import COORDINATOR, Discussion, Found, Said
from bot.store.vocabulary import FindingKind

_TASK = re.compile(r"^\s*[-*]\s+\[[ xX]\]\s+(.*\S)\s*$", re.MULTILINE)
_OWNER = re.compile(r"\bowner\b", re.IGNORECASE)


def document_text(
    discussion: Discussion, said: Sequence[Said], findings: Mapping[int, Sequence[Found]]
) -> str:
    """Render the whole file from what is stored."""
    latest = findings[max(findings)] if findings else ()
    parts = [
        f"# Roundtable Conclusion: {_flat(discussion.run.topic)}",
        _summary(discussion),
        _numbered("Consensus Points", _points(discussion, latest, FindingKind.CONSENSUS)),
        _numbered("Disagreement Points", _points(discussion, latest, FindingKind.DISAGREEMENT)),
        _action_items(discussion.conclusion),
        f"## Conclusion\n\n{discussion.conclusion}" if discussion.conclusion else "",
        _transcript(discussion, said),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _name(discussion: Discussion, profile: str) -> str:
    for person in discussion.participants:
        if person.profile == profile:
            return f"{person.role}({person.display_name})"
    return f"Coordinator({discussion.created_by})" if profile == COORDINATOR else profile


def _summary(discussion: Discussion) -> str:
    run = discussion.run
    ended = f" to {moment(run.finished_at)}" if run.finished_at else ""
    people = ", ".join(_name(discussion, person.profile) for person in discussion.participants)
    lines = [
        "## Summary",
        "",
        f"- Topic: {_flat(run.topic)}",
        f"- Participants: {people}",
        f"- Rounds: {discussion.current_round} of {discussion.max_rounds}",
        f"- Date: {moment(run.created_at)}{ended}",
        f"- Ending: {run.status_reason}",
        *([f"- Link: {discussion.link}"] if discussion.link else []),
        f"- Id: {run.id}",
    ]
    return "\n".join(lines)


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
    return f"## {title}\n\n" + ("\n".join(listed) or "None recorded.")


def _action_items(conclusion: str) -> str:
    items = [
        f"- [ ] {task}" if _OWNER.search(task) else f"- [ ] {task} (owner: the coordinator)"
        for task in _TASK.findall(conclusion)
    ]
    return "## Action Items\n\n" + ("\n".join(items) or "None recorded.")


def _transcript(discussion: Discussion, said: Sequence[Said]) -> str:
    parts = ["## Detailed Transcript"]
    for number in dict.fromkeys(speech.round for speech in said):
        parts.append("### Opening" if number == 0 else f"### Round {number}")
        parts += [
            f"**{_name(discussion, speech.participant)}**: {speech.content}"
            for speech in said
            if speech.round == number
        ]
    return "\n\n".join(parts if said else [*parts, "Nobody spoke."])
