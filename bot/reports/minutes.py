"""The minutes: one Markdown file for people who were not there, the decision first."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from bot.measures.convergence import closest_to, shared_points
from bot.messages.conclusion import ConclusionText, ValidationText
from bot.messages.counting import clock_text, time_text
from bot.messages.decisions import EarlierText, ReopenText
from bot.messages.meeting import SeatingText
from bot.messages.minutes import BriefText, MinutesText
from bot.messages.starting import ModeText
from bot.messages.votes import AgreementText, BallotText
from bot.prompting.sections import strip_mark
from bot.prompting.summary import Point, RoundSummary
from bot.prompting.synthesis import SYNTHESIS_HEADINGS, PlanItem, is_list, plan_items
from bot.prompting.text import count_words, cut_words
from bot.record.floor import SYNTHESIS
from bot.record.record import Ending, RunRecord, Speech
from bot.record.transcript import lost_dissents
from bot.reports.ballots import happened_line, vote_part
from bot.reports.build import build_minutes
from bot.reports.conclusion import (
    SECTION_ORDER,
    ending_line,
    measures_line,
    outcome_line,
    sources,
    spending_line,
    worth_lines,
)
from bot.reports.floor import floor_part, people_line
from bot.request import topic_slug
from bot.stage.cleaning import file_line, file_paragraphs, file_text

_BULLET: Final = re.compile(r"\s*+(?:[-*•]|\d++[.)])\s++(\S.*)")
_SIGN: Final = re.compile(r"^[^\w\"'“(]{1,4}\s+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])(?![」』）”])")
_REASON_WORDS: Final = 60
_BRIEF_WORDS: Final = 30
_BRIEF_DISSENTS: Final = 2
_LISTS: Final = frozenset({"action_plan", "consensus", "divergences"})


def minutes_text(record: RunRecord, picture: str = "", alt: str = "") -> str:
    """Render the whole file from the record; `picture` is the file that shows who agreed."""
    parts = [
        MinutesText.heading(file_line(record.topic)),
        BriefText.listed(_brief(record)),
        _notes(record),
        MinutesText.picture(picture, file_line(alt)) if picture else "",
        vote_part(record),
        _dissent(record),
        MinutesText.action_items(
            [MinutesText.task(_action_item(item)) for item in action_items(record)]
        ),
        build_minutes(record.delivery) if record.delivery else "",
        _summary(record),
        MinutesText.numbered(MinutesText.CONSENSUS, _points(record, "consensus")),
        MinutesText.numbered(MinutesText.DISAGREEMENT, _points(record, "divergences")),
        _conclusion(record),
        _transcript(record),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def brief_lines(record: RunRecord) -> list[str]:
    """The five lines one can send on, as plain text."""
    return BriefText.lines(_brief(record))


def minutes_name(record: RunRecord) -> str:
    """What the file is called where people get it."""
    return f"minutes-{topic_slug(record.topic)}.md"


def _brief(record: RunRecord) -> tuple[str, ...]:
    """Question, decision, reason, dissent and the next step, each on one line."""
    dissents = [
        f"{file_line(d.role)}: {first_sentences(d.text, _BRIEF_WORDS)}" for d in record.dissents
    ] + _lost_dissents(record)
    steps = [s._replace(text=cut_words(s.text, _REASON_WORDS)) for s in action_items(record)]
    return (
        BriefText.question(
            cut_words(file_line(record.topic), _REASON_WORDS),
            ModeText.of(record.mode),
            len(record.seats),
            record.rounds_held,
            time_text(record.created_at).partition(" ")[0],
            real=not record.rehearsal,
        ),
        BriefText.NO_DECISION
        if record.ending is Ending.OPEN
        else _SIGN.sub("", outcome_line(record)),
        first_sentences(_reason(record), _REASON_WORDS) or BriefText.NO_REASON,
        BriefText.some_of(dissents, "dissent", _BRIEF_DISSENTS) or BriefText.NO_DISSENT,
        BriefText.some_of([_action_item(step) for step in steps], "step") or BriefText.NO_STEP,
    )


def first_sentences(text: str, words: int) -> str:
    """The first sentences on one line, as many as fit; a single long one is cut."""
    kept = ""
    flat = " ".join(strip_mark(line) for line in file_text(text).splitlines() if line.strip())
    flat = " ".join(flat.split())
    for end in [*(found.start() for found in _SENTENCE_END.finditer(flat)), len(flat)]:
        if count_words(flat[:end]) > words:
            return kept or cut_words(flat[:end], words)
        kept = flat[:end]
    return kept


def _reason(record: RunRecord) -> str:
    sections = record.conclusion.sections
    return sections.get("recommendation", "") if sections else record.conclusion.text


def _notes(record: RunRecord) -> str:
    """What became of it, where to read on, and what the decision does not rest on."""
    newer = record.aftermath.superseded_by
    lines = [
        file_line(happened_line(record)),
        ReopenText.in_file(newer.url) if newer else "",
        MinutesText.links(record.thread_url, record.conclusion_url),
        *(MinutesText.warning(file_line(note)) for note in record.degradations),
        MinutesText.warning(file_line(record.budget_note)) if record.budget_note else "",
        MinutesText.REHEARSAL if record.rehearsal else "",
    ]
    return "\n\n".join(line for line in lines if line)


def _dissent(record: RunRecord) -> str:
    told = [
        (
            MinutesText.speaker(file_line(d.role), d.model),
            file_line(d.text),
            MinutesText.stood_in(d.model, d.stood_in_for, "") if d.stood_in_for else "",
        )
        for d in record.dissents
    ]
    lost = _lost_dissents(record)
    return MinutesText.dissent(told, lost) if told or lost else ""


def _lost_dissents(record: RunRecord) -> list[str]:
    return [
        BriefText.dissent_lost(file_line(f"{s.seat.role} ({AgreementText.position(s.position)})"))
        for s in lost_dissents(record)
    ]


def _action_item(item: PlanItem) -> str:
    return MinutesText.action_item(file_text(item.text), file_line(item.owner), item.when)


def _summary(record: RunRecord) -> str:
    earlier = record.builds_on
    lines = [
        MinutesText.mode(
            ModeText.of(record.mode), "" if record.options else file_line(record.proposition)
        ),
        EarlierText.in_minutes(earlier.why, earlier.url) if earlier else "",
        MinutesText.design(SeatingText.in_words(record.decision)),
        MinutesText.participants([(seat.role, seat.model) for seat in record.seats]),
        MinutesText.masked(record.other_names) if record.other_names else "",
        MinutesText.sessions(record.sessions) if record.sessions else "",
        MinutesText.stand_ins(_stand_ins(record)),
        people_line(record.floor) if record.floor else "",
        MinutesText.rounds(record.rounds_held, record.rounds_planned),
        MinutesText.line(record.ended_early) if record.ended_early else "",
        MinutesText.date(time_text(record.created_at), time_text(record.finished_at)),
        MinutesText.ending(file_line(ending_line(record))),
        MinutesText.line(measures_line(record)),
        *(MinutesText.line(line) for line in worth_lines(record)),
        MinutesText.line(spending_line(record)),
        MinutesText.run_id(record.run_id),
        *(MinutesText.note(file_line(note)) for note in record.notices),
    ]
    return "\n".join([MinutesText.SUMMARY, "", *(line for line in lines if line)])


def _stand_ins(record: RunRecord) -> list[str]:
    return [
        MinutesText.in_round(said.seat.role, said.round, told)
        for said in record.speeches
        if (told := _stood_in(record, said))
    ]


def _stood_in(record: RunRecord, said: Speech) -> str:
    """Who really answered, where the seat's own model did not."""
    if not said.stood_in_for:
        return ""
    asked = (said.seat.role, said.round)
    lost = (call.reason for call in record.failed_calls if (call.role, call.round) == asked)
    return MinutesText.stood_in(said.model, said.stood_in_for, file_line(next(lost, "")))


def _points(record: RunRecord, section: str) -> list[str]:
    """Points with links to who made them; below a disputed one, where each seat stands."""
    if section == "consensus":
        return [_linked(record, point) for point in consensus_points(record)]
    return [
        "\n".join([_linked(record, point), *(_position(p) for p in positions_on(record, point))])
        for point in disagreement_points(record)
    ]


def consensus_points(record: RunRecord) -> tuple[Point, ...]:
    """What the panel agreed on: findings of the last round, else the conclusion's bullets."""
    found = _last_findings(record)
    return shared_points(found) if found else _bullets(record, "consensus")


def disagreement_points(record: RunRecord) -> tuple[Point, ...]:
    """What stayed disputed, from the same source."""
    found = _last_findings(record)
    return found.disagreement if found else _bullets(record, "divergences")


def _last_findings(record: RunRecord) -> RoundSummary | None:
    """The findings of the last round that was held; what an earlier one came to is not final."""
    newest = record.last_summary
    return newest if newest is not None and newest.parsed else None


def _bullets(record: RunRecord, section: str) -> tuple[Point, ...]:
    lines = record.conclusion.sections.get(section, "").splitlines()
    return tuple(Point(found[1], ()) for line in lines if (found := _BULLET.match(line)))


class Position(NamedTuple):
    """Where a seat stands at the end, and which of its words come closest to a point."""

    role: str
    position: str
    confidence: int | None
    words: str


def positions_on(record: RunRecord, point: Point) -> list[Position]:
    """The last position of every seat, for a point that is disputed."""
    return [
        Position(
            said.seat.role,
            AgreementText.position(said.position),
            said.confidence,
            _words_on(record, said, point),
        )
        for said in record.final_speeches
    ]


def _words_on(record: RunRecord, said: Speech, point: Point) -> str:
    """What the seat claimed or criticised closest to a point, else its vote's reason or thesis."""
    own = [s for s in record.speeches if s.seat.slug == said.seat.slug]
    claimed = [s.claims for s in own if s.claims and s.position == said.position]
    claims = [f"{name}: {text}" for name, text in (claimed[-1] if claimed else ())]
    objections = [critique.point for critique in said.critiques]
    # A seat that gives no new digest keeps its old one, which may speak for another position.
    written_for = next(s.position for s in own if s.digest == said.digest)
    thesis = said.digest.partition("\n")[0] if written_for == said.position else ""
    return closest_to(point.text, [*claims, *objections]) or said.reason or thesis


def _position(found: Position) -> str:
    words = cut_words(file_line(found.words), _BRIEF_WORDS)
    return MinutesText.position(
        file_line(found.role), file_line(found.position), found.confidence, words
    )


def _linked(record: RunRecord, point: Point) -> str:
    links = [f"[{role}]({url})" for role, url in _messages_of(record, point.roles)]
    text = file_line(point.text)
    return f"{text} ({', '.join(links)})" if links else text


def _messages_of(record: RunRecord, roles: Sequence[str]) -> Iterator[tuple[str, str]]:
    for role in roles:
        said = [s for s in record.speeches if s.seat.role == role and s.links]
        if said:
            yield role, said[-1].links[0]


def action_items(record: RunRecord) -> tuple[PlanItem, ...]:
    """What is to be done, by when, and by whom if the writer named somebody."""
    return plan_items(record.conclusion.sections.get("action_plan", ""))


def _conclusion(record: RunRecord) -> str:
    """What the conclusion says beyond the decision, the points and the actions above."""
    conclusion = record.conclusion
    if not conclusion.text:
        return ""
    sections = [
        MinutesText.section(_title(name), file_text(conclusion.sections[name]))
        for name in SECTION_ORDER
        if name in conclusion.sections and name not in _told_above(record)
    ]
    parts = [
        MinutesText.CONCLUSION,
        MinutesText.written_by(file_line(conclusion.title), conclusion.model),
        "" if conclusion.sections else file_text(conclusion.text),
        *sections,
        _validation(record),
        _changes(record),
        MinutesText.section(MinutesText.SOURCES, listed) if (listed := _sources(record)) else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _told_above(record: RunRecord) -> frozenset[str]:
    """The sections that stand above word for word: lists whose items do."""
    lists = {"action_plan"} if _last_findings(record) else _LISTS
    told = {name for name in lists if is_list(record.conclusion.sections.get(name, ""))}
    if count_words(_reason(record)) <= _REASON_WORDS:
        told.add("recommendation")
    return frozenset(told)


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
    listed = [f"- {file_line(line)}" for line in lines] or [f"- {ValidationText.ACCURATE}"]
    return MinutesText.section(MinutesText.CHECKED, "\n".join(listed))


def _changes(record: RunRecord) -> str:
    if record.rounds_held < 2:
        return ""
    moved = [file_line(flip.line) for flip in record.flips] or [AgreementText.NOBODY_MOVED]
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
        parts += _floor(record, "s2" if said[0].stage == 2 else f"r{number}")
        parts.append(MinutesText.STAGE_2 if said[0].stage == 2 else MinutesText.round_title(number))
        parts += [_entry(record, speech) for speech in said]
        if said[0].stage == 1 and number in summaries:
            parts.append(MinutesText.rolling_summary(file_text(summaries[number])))
    if len(parts) == 1:
        parts.append(MinutesText.NOBODY_SPOKE)
    return "\n\n".join([*parts, *_floor(record, SYNTHESIS), *_floor(record, "")])


def _floor(record: RunRecord, step: str) -> list[str]:
    """What people and panelists said to each other before a step."""
    return floor_part(record, step) if any(r.step == step for r in record.floor) else []


def _entry(record: RunRecord, speech: Speech) -> str:
    who = MinutesText.speaker(speech.seat.role, speech.model or speech.seat.model)
    stance = AgreementText.position(speech.stance)
    if not speech.spoke:
        return MinutesText.did_not_speak(who, file_line(speech.problem), stance, late=speech.late)
    footer = [
        _ballot(speech) if speech.ballot else MinutesText.stance(stance),
        clock_text(speech.at, record.created_at) if speech.at else "",
        _stood_in(record, speech),
        *map(MinutesText.message_link, speech.links[:1]),
    ]
    said = MinutesText.said(who, file_paragraphs(speech.text))
    digest = _digest(record, speech)
    return "\n\n".join(filter(None, [said, digest, " · ".join(filter(None, footer))]))


def _digest(record: RunRecord, speech: Speech) -> str:
    """The digest with the claims that others cite, unless it is still that of an earlier round."""
    earlier = [s for s in record.speeches if s.seat == speech.seat and s.round < speech.round]
    if not speech.digest or any(s.digest == speech.digest for s in earlier):
        return ""
    lines = [strip_mark(line) for line in file_text(speech.digest).splitlines()]
    return "\n".join([MinutesText.DIGEST, ">", *(f"> - {line}" for line in lines if line)])


def _ballot(speech: Speech) -> str:
    return BallotText.ballot_line(
        file_line(speech.ballot), speech.confidence, file_line(speech.reason)
    )
