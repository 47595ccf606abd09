"""The minutes: one Markdown file for people who were not there, the decision first."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from bot.measures.convergence import shared_points
from bot.measures.tally import Tally
from bot.messages.conclusion import AgreementText, ConclusionText, ValidationText
from bot.messages.decisions import ReopenText
from bot.messages.meeting import EarlierText, ModeText, SeatingText
from bot.messages.minutes import MinutesText
from bot.messages.votes import BallotText
from bot.prompting.summary import Point
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.record.record import RunRecord, Speech
from bot.reports.ballots import happened_line, people_remarks
from bot.reports.build import build_minutes
from bot.reports.conclusion import (
    SECTION_ORDER,
    ending_line,
    measures_line,
    outcome_line,
    sources,
    spending_line,
    weighing_lines,
    worth_lines,
)
from bot.request import topic_slug
from bot.stage.cleaning import clean_text

_BULLET: Final = re.compile(r"\s*+(?:[-*•]|\d++[.)])\s++(\S.*)")
_ITEM_HEADING: Final = re.compile(r"\W*+(next\s+(?:24\s*h|7\s*d)\w*)\W*(.*)$", re.IGNORECASE)
_SMALL_PRINT: Final = re.compile(r"^\s{0,3}-#\s{0,4}", re.MULTILINE)
_HEADING: Final = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]{1,4}(\S[^\n]*)$", re.MULTILINE)
_DISCORD: Final = re.compile(r"<(?:#\d{1,20}|t:\d{1,20}(?::\w)?|a?:(\w{1,40}):\d{1,20})>")
_SPOILER: Final = re.compile(r"\|\|([^|\n]{1,2000})\|\|")
_SIGN: Final = re.compile(r"^[^\w\"'“(]{1,4}\s+")
_TOLD_ABOVE: Final = frozenset({"recommendation", "consensus", "divergences", "action_plan"})


def minutes_text(record: RunRecord, picture: str = "", alt: str = "") -> str:
    """Render the whole file from the record; `picture` is the file that shows who agreed."""
    parts = [
        MinutesText.heading(_flat(record.topic)),
        _decision(record),
        MinutesText.picture(picture, _flat(alt)) if picture else "",
        _vote(record),
        _dissent(record),
        MinutesText.action_items([(plain(text), when) for text, when in action_items(record)]),
        build_minutes(record.delivery) if record.delivery else "",
        _summary(record),
        MinutesText.numbered(MinutesText.CONSENSUS, _points(record, "consensus")),
        MinutesText.numbered(MinutesText.DISAGREEMENT, _points(record, "divergences")),
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


def plain(text: str) -> str:
    """What a model or a person wrote, without Discord's markup, hidden links and headings."""
    shown = _SMALL_PRINT.sub("", clean_text(text).replace("](", "] ("))
    shown = _DISCORD.sub(lambda found: f":{found[1]}:" if found[1] else "", shown)
    return _SPOILER.sub(r"\1", _HEADING.sub(r"**\1**", shown)).strip()


def _flat(text: str) -> str:
    return " ".join(plain(text).split())


def _decision(record: RunRecord) -> str:
    """What the reader came for: the decision, the reason, and where to read on."""
    sections, newer = record.conclusion.sections, record.aftermath.superseded_by
    reason = sections.get("recommendation", "") if sections else record.conclusion.text
    lines = [
        MinutesText.decision(_SIGN.sub("", outcome_line(record))),
        MinutesText.reason(plain(reason)) if reason else "",
        _flat(happened_line(record)),
        ReopenText.in_file(newer.url) if newer else "",
        MinutesText.links(record.thread_url, record.conclusion_url),
        *(MinutesText.warning(_flat(note)) for note in record.degradations),
        MinutesText.warning(_flat(record.budget_note)) if record.budget_note else "",
        MinutesText.REHEARSAL if record.rehearsal else "",
    ]
    return "\n\n".join(line for line in lines if line)


def _vote(record: RunRecord) -> str:
    """Every option with the votes of models and people, and who changed."""
    if not record.tallies:
        return ""
    first, last = record.tallies[0], record.tallies[-1]
    columns = [MinutesText.vote_column(tally.round) for tally in dict.fromkeys((first, last))]
    people = record.people
    both = [people.before.votes, people.after.votes] if people else []
    rows = [
        [
            _flat(option),
            *(str(tally.votes_for(option)) for tally in dict.fromkeys((first, last))),
            *(str(votes[number]) for votes in both if number < len(votes)),
            ", ".join(_voters(last, option)),
        ]
        for number, option in enumerate(record.options or [c.option for c in last.counts])
    ]
    head = [
        MinutesText.OPTION,
        *columns,
        *(MinutesText.PEOPLE_COLUMNS if both else ()),
        MinutesText.VOTERS,
    ]
    changes = [
        BallotText.vote_change(change.role, change.before, change.after)
        for change in first.changes_to(last)
    ]
    remarks = [*_counting(record), *changes, *(people_remarks(people) if people else ())]
    return MinutesText.vote(head, rows, [_flat(remark) for remark in remarks])


def _counting(record: RunRecord) -> list[str]:
    """The weighted count, where it differs in any way from the plain one of the table."""
    last, weighed = record.tallies[-1], weighing_lines(record)
    if not weighed and not last.by_weight:
        return []
    return [last.verdict, *(line.removeprefix("- ") for line in last.lines()), *weighed]


def _voters(tally: Tally, option: str) -> Iterator[str]:
    for count in tally.counts:
        if count.option == option:
            for voter in count.voters:
                sure = "" if voter.confidence is None else f" {voter.confidence} %"
                yield f"{_flat(voter.role)}{sure}"


def _dissent(record: RunRecord) -> str:
    told = [(_flat(dissent.role), _flat(dissent.text)) for dissent in record.dissents]
    return MinutesText.dissent(told) if told else ""


def _summary(record: RunRecord) -> str:
    earlier = record.builds_on
    lines = [
        MinutesText.mode(
            ModeText.of(record.mode), "" if record.options else _flat(record.proposition)
        ),
        EarlierText.in_minutes(earlier.why, earlier.url) if earlier else "",
        MinutesText.design(SeatingText.in_words(record.decision)),
        MinutesText.participants([(seat.role, seat.model) for seat in record.seats]),
        MinutesText.sessions(record.sessions) if record.sessions else "",
        MinutesText.rounds(record.rounds_held, record.rounds_planned),
        MinutesText.line(record.ended_early) if record.ended_early else "",
        MinutesText.date(time_text(record.created_at), time_text(record.finished_at)),
        MinutesText.ending(_flat(ending_line(record))),
        MinutesText.line(measures_line(record)),
        *(MinutesText.line(line) for line in worth_lines(record)),
        MinutesText.line(spending_line(record)),
        MinutesText.run_id(record.run_id),
        *(MinutesText.note(_flat(note)) for note in record.notices),
    ]
    return "\n".join([MinutesText.SUMMARY, "", *(line for line in lines if line)])


def _points(record: RunRecord, section: str) -> list[str]:
    """The findings of the last round with links to who said them, else the conclusion's bullets."""
    summary = record.summaries[-1] if record.summaries else None
    if summary is not None and summary.parsed:
        points = shared_points(summary) if section == "consensus" else summary.disagreement
        return [_linked(record, point) for point in points]
    lines = record.conclusion.sections.get(section, "").splitlines()
    return [plain(found[1]) for line in lines if (found := _BULLET.match(line))]


def _linked(record: RunRecord, point: Point) -> str:
    links = [f"[{role}]({url})" for role, url in _messages_of(record, point.roles)]
    text = _flat(point.text)
    return f"{text} ({', '.join(links)})" if links else text


def _messages_of(record: RunRecord, roles: Sequence[str]) -> Iterator[tuple[str, str]]:
    for role in roles:
        said = [s for s in record.speeches if s.seat.role == role and s.links]
        if said:
            yield role, said[-1].links[0]


def action_items(record: RunRecord) -> list[tuple[str, str]]:
    """What is to be done, and by when: (text, when)."""
    items: list[tuple[str, str]] = []
    when = ""
    for line in record.conclusion.sections.get("action_plan", "").splitlines():
        heading = _ITEM_HEADING.match(line)
        if heading:
            when = heading[1]
        found = _BULLET.match(f"- {heading[2]}" if heading else line)
        if found:
            items.append((found[1].rstrip(), when))
    return items


def _conclusion(record: RunRecord) -> str:
    """What the conclusion says beyond the decision, the points and the actions above."""
    conclusion = record.conclusion
    if not conclusion.text:
        return ""
    sections = [
        MinutesText.section(_title(name), plain(conclusion.sections[name]))
        for name in SECTION_ORDER
        if name in conclusion.sections and name not in _TOLD_ABOVE
    ]
    parts = [
        MinutesText.CONCLUSION,
        MinutesText.written_by(_flat(conclusion.title), conclusion.model),
        *sections,
        _validation(record),
        _changes(record),
        MinutesText.section(MinutesText.SOURCES, listed) if (listed := _sources(record)) else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _title(name: str) -> str:
    """The heading of a section without its sign, written like a title."""
    return _SIGN.sub("", SYNTHESIS_HEADINGS[name]).capitalize()


def _validation(record: RunRecord) -> str:
    found = record.validation
    if not found.asked:
        return ""
    lines = [ValidationText.objected(role, text) for role, text in found.corrections]
    flags = {ValidationText.misrepresented(role, text) for role, text in found.corrections}
    lines += [line for line in found.lines if line not in flags]
    listed = [f"- {_flat(line)}" for line in lines] or [f"- {ValidationText.ACCURATE}"]
    return MinutesText.section(MinutesText.CHECKED, "\n".join(listed))


def _changes(record: RunRecord) -> str:
    if record.rounds_held < 2:
        return ""
    moved = [_flat(flip.line) for flip in record.flips] or [AgreementText.NOBODY_MOVED]
    return MinutesText.section(MinutesText.CHANGED, "\n".join(f"- {line}" for line in moved))


def _sources(record: RunRecord) -> str:
    told = sources(record)
    return told.removeprefix(ConclusionText.sources("")) if told else ""


def _transcript(record: RunRecord) -> str:
    parts = [MinutesText.TRANSCRIPT]
    rounds = (measure.round for measure in record.convergence)
    summaries = {n: s.summary for n, s in zip(rounds, record.summaries, strict=False)}
    for number in sorted({speech.round for speech in record.speeches}):
        said = [speech for speech in record.speeches if speech.round == number]
        parts.append(MinutesText.STAGE_2 if said[0].stage == 2 else MinutesText.round_title(number))
        parts += [_entry(speech) for speech in said]
        if said[0].stage == 1 and number in summaries:
            parts.append(MinutesText.rolling_summary(plain(summaries[number])))
    if len(parts) == 1:
        parts.append(MinutesText.NOBODY_SPOKE)
    return "\n\n".join(parts)


def _entry(speech: Speech) -> str:
    who = MinutesText.speaker(speech.seat.role, speech.model or speech.seat.model)
    stance = AgreementText.position(speech.stance)
    if not speech.spoke:
        return MinutesText.did_not_speak(who, _flat(speech.problem), stance, late=speech.late)
    links = " ".join(map(MinutesText.message_link, speech.links[:1]))
    footer = _ballot(speech) if speech.ballot else MinutesText.stance(stance)
    said = MinutesText.said(who, plain(speech.text))
    return f"{said}\n\n{footer}{f' · {links}' if links else ''}"


def _ballot(speech: Speech) -> str:
    return BallotText.ballot_line(_flat(speech.ballot), speech.confidence, _flat(speech.reason))
