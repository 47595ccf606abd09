"""What people said from the floor and what panelists answered them, as the minutes tell it."""

from collections.abc import Iterator, Sequence
from typing import Final

from bot.messages.counting import clock_text
from bot.messages.minutes import FloorText, MinutesText
from bot.prompting.text import cut_words
from bot.record.record import Ending, Remark, RunRecord
from bot.stage.cleaning import file_line, file_paragraphs, file_quote

_QUESTION_WORDS: Final = 30


def people_line(floor: Sequence[Remark]) -> str:
    """Which people spoke, and who of them asked the question."""
    people = {r.speaker for r in floor if not r.is_answer}
    return FloorText.people(people, {r.speaker for r in floor if r.by_starter})


def floor_part(record: RunRecord, step: str) -> list[str]:
    """What was said before a step, under its heading."""
    said = [remark for remark in record.floor if remark.step == step]
    entries = [_answer(record, r) if r.is_answer else _words(record, r) for r in said]
    return [FloorText.title(step, under_way=record.ending is Ending.OPEN), *entries]


def _words(record: RunRecord, remark: Remark) -> str:
    everybody = len(remark.to) > 1 and len(remark.to) == len(record.seats)
    to = FloorText.asked([file_line(role) for role in remark.to], everybody=everybody)
    # While it goes on, the panel may still hear it.
    unheard = remark.unheard and record.ending is not Ending.OPEN
    fate = FloorText.FORMS.get(remark.form) or FloorText.fate(
        asked=bool(remark.to), answered=remark.answered, unheard=unheard
    )
    head = FloorText.said(remark.speaker, to, clock_text(remark.at, record.created_at), fate)
    return f"{head}\n\n{file_quote(remark.text)}"


def _answer(record: RunRecord, remark: Remark) -> str:
    who = MinutesText.speaker(file_line(remark.speaker), remark.model)
    question = cut_words(file_line(remark.question), _QUESTION_WORDS)
    asked = " ".join(remark.to)
    is_panelist = any(seat.role == asked for seat in record.seats)
    to = FloorText.answers(file_line(asked), question, removed=not question and not is_panelist)
    said = MinutesText.said(f"{who}{to}", file_paragraphs(remark.text))
    return f"{said}\n\n{' · '.join(_footer(record, remark))}"


def _footer(record: RunRecord, remark: Remark) -> Iterator[str]:
    yield clock_text(remark.at, record.created_at)
    if remark.stood_in_for:
        yield MinutesText.stood_in(remark.model, remark.stood_in_for, "")
    yield from map(MinutesText.message_link, remark.links[:1])
