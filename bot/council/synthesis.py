"""The conclusion is written by a neutral model; code adds the header, the numbers and META."""

from collections.abc import Mapping

from bot.council.calls import Ask, Reading, Reply
from bot.council.meeting import Meeting
from bot.council.reading import read_record
from bot.council.record import RunRecord, Speech
from bot.prompting.synthesis import parse_synthesis
from bot.request import Mode

SYNTHESIS = "final-synthesis"
SYNTHESIS_KEY = "synthesis"


async def write_synthesis(meeting: Meeting) -> Reply:
    """Have the conclusion written from what the store holds."""
    record = await read_record(meeting.tools.store, meeting.run.id)
    ask = Ask(
        key=SYNTHESIS_KEY,
        purpose=SYNTHESIS,
        prompt=meeting.tools.book.render(SYNTHESIS, _values(meeting, record)),
        seconds=meeting.config.timeouts.synthesis,
        models=meeting.designed.synthesis,
    )
    return await meeting.caller.ask(ask, read_synthesis)


def read_synthesis(text: str) -> Reading:
    """Take the conclusion apart for the store."""
    parsed = parse_synthesis(text)
    return Reading(
        parsed={
            "title": parsed.title,
            "sections": dict(parsed.sections),
            "missing": list(parsed.missing),
            "text": parsed.text,
        }
    )


def _values(meeting: Meeting, record: RunRecord) -> Mapping[str, str]:
    spoken = [speech for speech in record.speeches if speech.spoke]
    values = {
        "MODE": record.mode.value,
        "PROMPT": record.topic,
        "ROUND1_SUMMARIES": "\n\n".join(_summary(speech) for speech in spoken),
        "DISCORD_THREAD_ID": str(meeting.place.target_id),
    }
    if record.mode is Mode.VOTE:
        values["BALLOTS"] = "\n".join(_ballot(speech) for speech in spoken)
    else:
        values["PROPOSITION"] = record.topic
    return values


def _summary(speech: Speech) -> str:
    return f"{speech.seat.role} ({speech.model}): {speech.digest}"


def _ballot(speech: Speech) -> str:
    choice = speech.ballot or "no readable ballot"
    return f"{speech.seat.role}: {choice}{f' — {speech.reason}' if speech.reason else ''}"
