"""A round: every seat is asked at once, and the answers are posted one at a time in order."""

import asyncio
from collections.abc import Mapping

from bot.council.calls import Ask, Reading, Reply
from bot.council.meeting import Meeting
from bot.council.options import vote_options
from bot.prompting.ballot import parse_ballot
from bot.prompting.round1 import parse_round1
from bot.prompting.stance import Stance, parse_stance
from bot.request import Mode
from bot.stage.port import Post, SeatState
from bot.store import CallStatus, answers
from bot.store.seats import Seat

ROUND1 = "round1"


def round_key(number: int, seat: str) -> str:
    """The key everything a seat does in a round is recorded under."""
    return f"r{number}:{seat}"


async def hold_round(meeting: Meeting, number: int) -> None:
    """Ask all seats in parallel and post each answer when its turn comes."""
    seats = meeting.designed.seats
    asking = [asyncio.create_task(_ask(meeting, number, seat)) for seat in seats]
    try:
        for seat, task in zip(seats, asking, strict=True):
            await _post(meeting, number, seat, await task)
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


async def _ask(meeting: Meeting, number: int, seat: Seat) -> Reply:
    meeting.show_seat(seat.role, SeatState.THINKING)
    ask = Ask(
        key=round_key(number, seat.seat),
        purpose=ROUND1,
        prompt=meeting.tools.book.render(ROUND1, _values(meeting, number, seat)),
        seconds=meeting.config.timeouts.round,
        models=meeting.designed.models_of(seat),
        seat=seat.seat,
        round=number,
    )
    options = vote_options(meeting.run.topic)

    def parse(text: str) -> Reading:
        return read_round1(text, meeting.run.mode, options)

    def on_words(words: int) -> None:
        meeting.show_seat(seat.role, SeatState.THINKING, words=words)

    reply = await meeting.caller.ask(ask, parse, on_words)
    meeting.show_seat(seat.role, SeatState.READY if reply.ok else _bad_state(reply))
    return reply


def _values(meeting: Meeting, number: int, seat: Seat) -> Mapping[str, str]:
    values = {
        "ROLE": seat.role,
        "MODE": meeting.run.mode.value,
        "PROMPT": meeting.run.topic,
        "ROUND": str(number),
        "MAX_ROUNDS": str(meeting.designed.rounds),
    }
    if seat.perspective:
        values["PERSPECTIVE"] = seat.perspective
    if meeting.run.mode is Mode.VOTE:
        values["OPTIONS"] = "\n".join(vote_options(meeting.run.topic))
    else:
        values["PROPOSITION"] = meeting.run.topic
    return values


def read_round1(text: str, mode: Mode, options: tuple[str, ...]) -> Reading:
    """Read what the store keeps of a round 1 answer: digest, stance or ballot, public text."""
    answer = parse_round1(text)
    parsed: dict[str, object] = {
        "public": answer.public_text,
        "structured": len(answer.missing) <= 2,
    }
    stance = parse_stance(text)
    if mode is Mode.VOTE:
        ballot = parse_ballot(text, options)
        parsed |= {
            "ballot": ballot.option or "",
            "confidence": ballot.confidence,
            "reason": ballot.reason,
        }
        stance = Stance.UNKNOWN
    return Reading(answer.digest.text, stance.value, parsed)


async def _post(meeting: Meeting, number: int, seat: Seat, reply: Reply) -> None:
    key = round_key(number, seat.seat)
    if not reply.ok:
        meeting.show_seat(seat.role, _bad_state(reply), note=reply.problem)
        return
    answer = await meeting.tools.store.read(lambda conn: answers.get(conn, meeting.run.id, key))
    if answer is None:
        raise RuntimeError(f"{meeting.run.id} has no answer {key}")
    text = str(answer.parsed.get("public") or answer.text)
    speaker = meeting.speaker(seat, reply.answered_model)
    links = await meeting.say(Post(key=key, speaker=speaker, text=text))
    meeting.show_seat(seat.role, SeatState.SPOKE, message_url=links[0], words=0)


def _bad_state(reply: Reply) -> SeatState:
    return SeatState.TIMED_OUT if reply.status is CallStatus.TIMEOUT else SeatState.FAILED
