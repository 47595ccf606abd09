"""The minutes: one Markdown file with the conclusion, the points and everything that was said."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bot.measures.convergence import shared_points
from bot.messages.minutes import MinutesText
from bot.messages.votes import BallotText
from bot.prompting.summary import Point
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.record.record import RunRecord, Speech
from bot.reports.ballots import result_lines
from bot.reports.build import build_minutes
from bot.reports.conclusion import (
    SECTION_ORDER,
    dissent_text,
    ending_line,
    flips_text,
    measures_line,
    sources,
    spending_line,
    vote_text,
)
from bot.request import topic_slug

_BULLET = re.compile(r"\s*+(?:[-*•]|\d++[.)])\s++(\S.*)")
_ITEM_HEADING = re.compile(r"\W*+(next\s+(?:24\s*h|7\s*d)\w*)\W*(.*)$", re.IGNORECASE)


def minutes_text(record: RunRecord) -> str:
    """Render the whole file from the record."""
    parts = [
        MinutesText.heading(_flat(record.topic)),
        _summary(record),
        MinutesText.numbered(MinutesText.CONSENSUS, _points(record, "consensus")),
        MinutesText.numbered(MinutesText.DISAGREEMENT, _points(record, "divergences")),
        _action_items(record),
        build_minutes(record.delivery),
        _conclusion(record),
        _transcript(record),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def minutes_name(record: RunRecord) -> str:
    """What the file is called where people get it."""
    return f"minutes-{topic_slug(record.topic)}.md"


def time_text(seconds: float) -> str:
    """A point in time as the minutes write it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _summary(record: RunRecord) -> str:
    lines = [
        MinutesText.SUMMARY,
        "",
        MinutesText.topic(_flat(record.topic)),
        MinutesText.mode(record.mode, record.workflow),
        MinutesText.proposition(_flat(record.proposition)),
        MinutesText.design(record.decision),
        MinutesText.participants([(seat.role, seat.model) for seat in record.seats]),
        MinutesText.rounds(record.rounds_held, record.rounds_planned),
        MinutesText.date(time_text(record.created_at), time_text(record.finished_at)),
        MinutesText.ending(ending_line(record)),
        MinutesText.line(measures_line(record)),
        MinutesText.line(spending_line(record)),
        MinutesText.run_id(record.run_id),
    ]
    lines += [MinutesText.note(_flat(note)) for note in (*record.degradations, *record.notices)]
    if record.rehearsal:
        lines.append(MinutesText.REHEARSAL)
    return "\n".join(lines)


def _points(record: RunRecord, section: str) -> list[str]:
    """The findings of the last round with links to who said them, else the conclusion's bullets."""
    summary = record.summaries[-1] if record.summaries else None
    if summary is not None and summary.parsed:
        points = shared_points(summary) if section == "consensus" else summary.disagreement
        return [_linked(record, point) for point in points]
    lines = record.conclusion.sections.get(section, "").splitlines()
    return [found[1].rstrip() for line in lines if (found := _BULLET.match(line))]


def _linked(record: RunRecord, point: Point) -> str:
    links = [f"[{role}]({url})" for role, url in _messages_of(record, point.roles)]
    return f"{point.text} ({', '.join(links)})" if links else point.text


def _messages_of(record: RunRecord, roles: Sequence[str]) -> Iterator[tuple[str, str]]:
    for role in roles:
        said = [s for s in record.speeches if s.seat.role == role and s.links]
        if said:
            yield role, said[-1].links[0]


def _action_items(record: RunRecord) -> str:
    items: list[tuple[str, str]] = []
    when = ""
    for line in record.conclusion.sections.get("action_plan", "").splitlines():
        heading = _ITEM_HEADING.match(line)
        if heading:
            when = heading[1]
        found = _BULLET.match(f"- {heading[2]}" if heading else line)
        if found:
            items.append((found[1].rstrip(), when))
    return MinutesText.action_items(items)


def _conclusion(record: RunRecord) -> str:
    conclusion = record.conclusion
    if not conclusion.text:
        return ""
    sections = [
        MinutesText.section(SYNTHESIS_HEADINGS[name], conclusion.sections[name])
        for name in SECTION_ORDER
        if name in conclusion.sections
    ] or [conclusion.text]
    extras = [
        vote_text(record),
        _people_text(record),
        *sections,
        dissent_text(record),
        flips_text(record),
    ]
    parts = [
        MinutesText.CONCLUSION,
        MinutesText.written_by(conclusion.model),
        *extras,
        sources(record),
    ]
    return "\n\n".join(part for part in parts if part)


def _people_text(record: RunRecord) -> str:
    """How people voted beside the models; nothing while they still may."""
    if record.people is None:
        return ""
    return "\n".join(result_lines(record.options, record.tallies, record.people))


def _transcript(record: RunRecord) -> str:
    parts = [MinutesText.TRANSCRIPT]
    rounds = (measure.round for measure in record.convergence)
    summaries = {n: s.summary for n, s in zip(rounds, record.summaries, strict=False)}
    for number in sorted({speech.round for speech in record.speeches}):
        said = [speech for speech in record.speeches if speech.round == number]
        parts.append(MinutesText.STAGE_2 if said[0].stage == 2 else MinutesText.round_title(number))
        parts += [_entry(speech) for speech in said]
        if said[0].stage == 1 and number in summaries:
            parts.append(MinutesText.rolling_summary(summaries[number]))
    if len(parts) == 1:
        parts.append(MinutesText.NOBODY_SPOKE)
    return "\n\n".join(parts)


def _entry(speech: Speech) -> str:
    who = MinutesText.speaker(speech.seat.role, speech.model or speech.seat.model)
    if not speech.spoke:
        return MinutesText.did_not_speak(who, speech.problem, speech.stance, late=speech.late)
    links = " ".join(map(MinutesText.message_link, speech.links))
    footer = _ballot(speech) if speech.ballot else MinutesText.stance(speech.stance)
    return f"{MinutesText.said(who, speech.text)}\n\n{footer}{f' · {links}' if links else ''}"


def _ballot(speech: Speech) -> str:
    return BallotText.ballot_line(speech.ballot, speech.confidence, speech.reason)
