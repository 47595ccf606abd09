"""A seat's session as the store holds it, and the prompt values that are made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from bot.floor import TranscriptLine, Voice
from bot.floor.transcript import CUT_MARK
from bot.meeting.context import Design
from bot.meeting.design.frozen import stored_design
from bot.messages.talk import TalkText
from bot.prompting.summary import parse_summary
from bot.prompting.text import CUT, LONGEST_WORD, cut_chars, cut_words, label_voices
from bot.record.answer_codec import summary_from_dict
from bot.record.loader import SYNTHESIS_KEYS
from bot.record.masking import Mask, mask_of
from bot.store import TurnVoice
from bot.store.erasure.quotes import FORGOTTEN
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.followups import FollowUpRepository
from bot.store.repositories.inbound import InboundRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import Seat, SeatRepository
from bot.store.repositories.turns import Turn as StoredTurn
from bot.store.repositories.turns import TurnRepository
from bot.threads.turn import Turn, split_key

OWN_CHARS: Final = 12_000
"""The limit of a seat's own turns in a prompt."""
_TALK_CHARS: Final = 4_000
"""The limit of others' earlier messages; the floor limits the exchange itself."""
_CONCLUSION_CHARS: Final = 6_000
_BRIEF_WORDS: Final = 25
_NOTE_CHARS: Final = 60
_BETWEEN: Final = "\n\n"

_Entry = tuple[str, str]
"""Who said something, and what."""
SUMMED_UP_AFTER: Final = 32
"""After so many turns without a summary a new one is written."""
KEPT_WHOLE: Final = 12
"""The newest turns, which are never summarised."""
_MOST_TURNS: Final = 60
_MOST_TALK: Final = 12


def fit_entries(entries: Sequence[_Entry], limit: int) -> str:
    """The newest entries whole, older ones in brief, the oldest only counted; oldest first."""
    blocks: list[str] = []
    room = limit - _NOTE_CHARS
    whole_room = room * 2 // 3
    left = list(entries)
    while left and (block := _whole(left[-1], whole_room, first=not blocks)):
        blocks.append(block)
        whole_room -= len(block) + len(_BETWEEN)
        room -= len(block) + len(_BETWEEN)
        left.pop()
    while left and len(block := _brief(left[-1])) <= room:
        blocks.append(block)
        room -= len(block) + len(_BETWEEN)
        left.pop()
    if left:
        blocks.append(f"({len(left)} earlier turns are left out)")
    return _BETWEEN.join(reversed(blocks))


def _whole(entry: _Entry, room: int, *, first: bool) -> str:
    """The entry as it is when it fits; the newest of all is cut until it does."""
    label, text = entry
    if len(text) > room:
        if not first:
            return ""
        text = text[:room] + CUT
    block = label_voices([(label, text)])
    while first and len(block) > room and text:
        text = text[: len(text) * 4 // 5]
        block = label_voices([(label, text + CUT)])
    return block if len(block) <= room else ""


def _brief(entry: _Entry) -> str:
    label, text = entry
    beginning = text[: _BRIEF_WORDS * LONGEST_WORD]
    return label_voices([(label, cut_words(" ".join(beginning.split()), _BRIEF_WORDS))])


@dataclass(frozen=True, slots=True)
class _Recollection:
    """The summary of a session up to one of its turns."""

    upto: int
    summary: str


def recollection_key(seat: str, upto: int) -> str:
    """The key of the call that summarises a session up to a turn."""
    return f"memory:{seat}:{upto}"


def _newest_recollection(conn: Connection, run_id: str, seat: str) -> _Recollection | None:
    """The latest summary of a session, if there is one."""
    found = AnswerRepository(conn).newest(run_id, recollection_key(seat, 0).removesuffix("0"))
    if found is None:
        return None
    upto = int(found.key.partition("@")[0].rpartition(":")[2])
    return _Recollection(upto, parse_summary(found.text).summary)


@dataclass(frozen=True, slots=True)
class Session:
    """Everything a seat's prompt may contain."""

    run: Run
    seat: Seat
    design: Design
    speeches: tuple[StoredAnswer, ...]
    turns: tuple[StoredTurn, ...]
    others: tuple[StoredTurn, ...]
    earlier: _Recollection | None
    conclusion: str
    summary: str
    mask: Mask
    visible: bool
    """Whether what is answered can be seen in the thread."""


def load_session(conn: Connection, session_key: str, source: int) -> Session | None:
    """Read a seat's session before it answers a message; None when it was never seated."""
    run_id, slug = split_key(session_key)
    run, seat = RunRepository(conn).get(run_id), SeatRepository(conn).get(run_id, slug)
    design = stored_design(conn, run_id)
    if run is None or seat is None or design is None:
        return None
    table = {
        answer.key.partition("@")[0]: answer for answer in AnswerRepository(conn).of_nobody(run_id)
    }
    earlier = _newest_recollection(conn, run_id, slug)
    known = earlier.upto if earlier else 0
    own = TurnRepository(conn).tail(run_id, slug, _MOST_TURNS)
    return Session(
        run=run,
        seat=seat,
        design=design,
        speeches=AnswerRepository(conn).of_seat(run_id, slug),
        turns=tuple(turn for turn in own if turn.ordinal > known),
        others=TurnRepository(conn).said_by_others(run_id, slug, _MOST_TALK),
        earlier=earlier,
        conclusion=_conclusion(table),
        summary=_summary(table),
        mask=mask_of(conn, run),
        visible=FollowUpRepository(conn).is_visible(run_id, source),
    )


def follow_up_values(session: Session, turn: Turn) -> dict[str, str]:
    """The values of the follow-up prompt, within their limits."""
    asked = _asked(turn.lines)
    return {
        "PROMPT": session.run.topic,
        "ROLE": session.seat.role,
        "PERSPECTIVE": session.seat.perspective,
        "CONCLUSION": cut_chars(session.conclusion, _CONCLUSION_CHARS),
        "ROLLING_SUMMARY": session.summary,
        "OWN_TURNS": _own_turns(session),
        "TALK": _talk(session, turn.lines[: -len(asked)]),
        "OPEN_FLOOR": "yes" if turn.open_floor else "no",
        "ASKED_BY": asked[-1].label if asked[-1].voice is Voice.PERSON else "",
        "QUESTION": _question(asked),
    }


def _own_turns(session: Session) -> str:
    """What the seat said and was asked, newest whole, older in brief."""
    spoken: list[_Entry] = [
        (f"You, in round {answer.round}", answer.digest or _public(answer))
        for answer in session.speeches[:-1]
    ]
    spoken += [("You, in your last round", _public(a)) for a in session.speeches[-1:]]
    if session.earlier is not None:
        spoken.append(("Summary of your earlier talk with people", session.earlier.summary))
    spoken += [turn_entry(turn) for turn in session.turns if turn.text]
    return fit_entries(spoken, OWN_CHARS)


def as_it_stands(conn: Connection, line: TranscriptLine) -> TranscriptLine:
    """The current text of a quoted line, which may have been edited or deleted."""
    known = InboundRepository(conn).get(line.source) if line.voice is Voice.PERSON else None
    if known is None or line.text.removesuffix(CUT_MARK) in known.content:
        return line
    return replace(line, text=known.content or FORGOTTEN)


def turn_entry(turn: StoredTurn) -> _Entry:
    """A turn with the one who spoke it, as the seat sees it."""
    if turn.voice is TurnVoice.SAID:
        return "You answered", turn.text
    return f"{turn.author or TalkText.SOMEBODY} said to you", turn.text


def _public(answer: StoredAnswer) -> str:
    return str(answer.parsed.get("public") or answer.text)


def _talk(session: Session, before: Sequence[TranscriptLine]) -> str:
    """What others said lately, then the exchange up to the question."""
    seen = {number for line in before for number in line.message_ids}
    lately = [(t.author, t.text) for t in session.others if t.text and t.message_id not in seen]
    parts = [fit_entries(lately, _TALK_CHARS), label_voices(map(_entry, before))]
    return "\n\n".join(part for part in parts if part)


def speaker_of(line: TranscriptLine) -> str:
    """Who speaks in a line; people are marked, for they may call themselves like a panelist."""
    name = line.label or TalkText.SOMEBODY
    return f"{name} (a person)" if line.voice is Voice.PERSON else name


def _entry(line: TranscriptLine) -> _Entry:
    return (speaker_of(line), cut_chars(line.text, _TALK_CHARS))


def _asked(lines: Sequence[TranscriptLine]) -> tuple[TranscriptLine, ...]:
    """The newest lines of people, or the one line of a panelist that the seat reacts to."""
    asked = list(lines[-1:])
    if asked[0].voice is Voice.PERSON:
        for line in reversed(lines[:-1]):
            if line.voice is not Voice.PERSON:
                break
            asked.insert(0, line)
    return tuple(asked)


def _question(asked: Sequence[TranscriptLine]) -> str:
    if len({line.label for line in asked}) == 1 and asked[0].voice is Voice.PERSON:
        return "\n\n".join(line.text for line in asked)
    return label_voices(map(_entry, asked))


def _conclusion(table: Mapping[str, StoredAnswer]) -> str:
    found = next((table[key] for key in SYNTHESIS_KEYS if key in table), None)
    return str(found.parsed.get("text", "")) if found else ""


def _summary(table: Mapping[str, StoredAnswer]) -> str:
    keys = sorted(key for key in table if key.startswith("summary:"))
    return str(summary_from_dict(table[keys[-1]].parsed).summary) if keys else ""
