"""After every round one call makes the new rolling summary and the round's findings."""

from collections.abc import Sequence
from typing import Any

from bot.council.calls import CallResult, ModelCall, Reading
from bot.council.meeting import Meeting
from bot.council.record import RunRecord, Speech
from bot.prompting.summary import Point, RoundSummary, parse_summary
from bot.prompting.voices import label_voices
from bot.prompting.words import cut_words

ROLLING_SUMMARY = "rolling-summary"
ANSWER_WORDS = 350


def summary_key(number: int) -> str:
    """The key of a round's summary."""
    return f"summary:{number}"


async def compress_round(meeting: Meeting, number: int, record: RunRecord) -> CallResult:
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
    meeting: Meeting, number: int, record: RunRecord, spoken: Sequence[Speech]
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


def summary_from_dict(stored: Any) -> RoundSummary:
    """Read a stored summary back."""

    def points(found: Any) -> tuple[Point, ...]:
        return tuple(Point(point["text"], tuple(point["from"])) for point in found)

    return RoundSummary(
        stored["summary"],
        points(stored["consensus"]),
        points(stored["disagreement"]),
        points(stored["new_points"]),
        parsed=stored["readable"],
    )
