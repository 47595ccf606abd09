"""The minutes: one Markdown file with the conclusion, the points and everything that was said."""

import re
from datetime import UTC, datetime

from bot.council.conclusion import (
    SECTION_HEADINGS,
    ending_line,
    measures_line,
    spending_line,
    vote_text,
)
from bot.council.record import RunRecord, Speech

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(.*\S)\s*$")
_ITEM_HEADING = re.compile(r"^\W*(next\s+(?:24\s*h|7\s*d)\w*)\W*(.*)$", re.IGNORECASE)


def minutes_text(record: RunRecord) -> str:
    """Render the whole file from the record."""
    parts = [
        f"# Roundtable Conclusion: {_flat(record.topic)}",
        _summary(record),
        _numbered("Consensus Points", _points(record, "consensus")),
        _numbered("Disagreement Points", _points(record, "divergences")),
        _action_items(record),
        _conclusion(record),
        _transcript(record),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def moment(seconds: float) -> str:
    """A point in time as the minutes write it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _summary(record: RunRecord) -> str:
    people = ", ".join(f"{seat.role}({seat.model})" for seat in record.seats) or "nobody"
    lines = [
        "## Summary",
        "",
        f"- Topic: {_flat(record.topic)}",
        f"- Mode: {record.mode} · workflow: {record.workflow}",
        f"- Participants: {people}",
        f"- Rounds: {record.rounds_held} of {record.rounds_planned}",
        f"- Date: {moment(record.created_at)} to {moment(record.finished_at)}",
        f"- Ending: {ending_line(record)}",
        f"- {measures_line(record)}",
        f"- {spending_line(record)}",
        f"- Id: {record.run_id}",
    ]
    lines += [f"- Note: {note}" for note in (*record.degradations, *record.notices)]
    if record.rehearsal:
        lines.append("- Rehearsal: no model is speaking.")
    return "\n".join(lines)


def _points(record: RunRecord, section: str) -> list[str]:
    lines = record.sections.get(section, "").splitlines()
    return [found[1] for line in lines if (found := _BULLET.match(line))]


def _numbered(title: str, points: list[str]) -> str:
    listed = [f"{number}. {point}" for number, point in enumerate(points, 1)]
    return f"## {title}\n\n" + ("\n".join(listed) or "None recorded.")


def _action_items(record: RunRecord) -> str:
    items: list[str] = []
    when = ""
    for line in record.sections.get("action_plan", "").splitlines():
        heading = _ITEM_HEADING.match(line)
        if heading:
            when = f", {heading[1]}"
        found = _BULLET.match(f"- {heading[2]}" if heading else line)
        if found:
            items.append(f"- [ ] {found[1]} (owner: the starter{when})")
    return "## Action Items\n\n" + ("\n".join(items) or "None recorded.")


def _conclusion(record: RunRecord) -> str:
    if not record.synthesis:
        return ""
    sections = [
        f"### {heading}\n\n{record.sections[name]}"
        for name, heading in SECTION_HEADINGS.items()
        if record.sections.get(name)
    ]
    vote = vote_text(record)
    written_by = f"Written by {record.synthesis_model}."
    return "\n\n".join(["## Conclusion", written_by, *([vote] if vote else []), *sections])


def _transcript(record: RunRecord) -> str:
    parts = ["## Detailed Transcript"]
    for number in sorted({speech.round for speech in record.speeches}):
        parts.append(f"### Round {number}")
        parts += [_entry(speech) for speech in record.speeches if speech.round == number]
    if len(parts) == 1:
        parts.append("Nobody spoke.")
    return "\n\n".join(parts)


def _entry(speech: Speech) -> str:
    who = f"**{speech.seat.role}({speech.model or speech.seat.model})**"
    if not speech.spoke:
        return f"{who}: did not speak — {speech.problem} · stance {speech.stance}"
    said = f"{who}: {speech.text}"
    links = " ".join(f"[message]({link})" for link in speech.links)
    footer = f"_Stance: {speech.stance}_" if not speech.ballot else _ballot_line(speech)
    return f"{said}\n\n{footer}{f' · {links}' if links else ''}"


def _ballot_line(speech: Speech) -> str:
    confidence = "" if speech.confidence is None else f", {speech.confidence} % sure"
    reason = f": {speech.reason}" if speech.reason else ""
    return f"_Ballot: {speech.ballot}{confidence}{reason}_"
