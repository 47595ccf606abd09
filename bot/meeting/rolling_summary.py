"""After every round one call makes the new rolling summary and the round's findings."""

from collections.abc import Sequence
from typing import Any

from bot.meeting.context import RunContext
from bot.meeting.questions import CallResult, ModelCall
from bot.prompting.summary import Point, RoundSummary, parse_summary
from bot.prompting.text import cut_words, label_voices
from bot.record.answer_codec import Reading, summary_key
from bot.record.record import RunRecord, Speech

ROLLING_SUMMARY = "rolling-summary"
ANSWER_WORDS = 350


async def summarise_round(meeting: RunContext, number: int, record: RunRecord) -> CallResult:
    """Replace the rolling summary; a failed call leaves the old one and no findings."""
    spoken = [speech for speech in record.speeches if speech.round == number and speech.spoke]
    roles = [seat.role for seat in record.seats]
    ask = ModelCall(
        key=summary_key(number),
        purpose=ROLLING_SUMMARY,
        prompt=meeting.tools.book.render(
            ROLLING_SUMMARY, _values(meeting, number, record, spoken), meeting.run.id
        ),
        seconds=meeting.time.cap(meeting.config.timeouts.summary),
        models=meeting.designed.coordinators,
        round=number,
    )

    def read(text: str) -> Reading:
        return Reading(parsed=summary_to_dict(parse_summary(text, roles)))

    return await meeting.caller.ask(ask, read)


def _values(
    meeting: RunContext, number: int, record: RunRecord, spoken: Sequence[Speech]
) -> dict[str, str]:
    answers = [(speech.seat.role, _answer(speech)) for speech in spoken]
    values = {
        "PROMPT": record.topic,
        "ROUND": str(number),
        "MAX_ROUNDS": str(meeting.designed.rounds),
        "ROUND_ANSWERS": label_voices(answers),
        **meeting.subject(),
    }
    if record.rolling_summary:
        values["ROLLING_SUMMARY"] = record.rolling_summary
    return values


def _answer(speech: Speech) -> str:
    """What a seat said, and its digest as its current position."""
    return f"{cut_words(speech.text, ANSWER_WORDS)}\n\nSELF-DIGEST:\n{speech.digest}"


def summary_to_dict(summary: RoundSummary) -> dict[str, Any]:
    """A summary as the store keeps it."""

    def points(found: Sequence[Point]) -> list[dict[str, Any]]:
        return [{"text": point.text, "from": list(point.roles)} for point in found]

    return {
        "summary": summary.summary,
        "consensus": points(summary.consensus),
        "disagreement": points(summary.disagreement),
        "new_points": points(summary.new_points),
        "readable": summary.parsed,
    }
