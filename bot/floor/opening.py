"""What opens an exchange: a person's message, a round, now and then a panelist's message."""

from dataclasses import replace
from typing import Final

from bot.floor.decisions import Consequence, Nothing, Opened, Queued, Reply
from bot.floor.events import (
    Archived,
    Edited,
    Human,
    Quiet,
    Reopened,
    RoundDone,
    ScheduleRound,
    Sent,
    Stop,
)
from bot.floor.reasons import CloseReason, IgnoreReason, Silence
from bot.floor.state import Epoch, FloorState, Kind, Question
from bot.floor.transcript import TranscriptLine, Voice
from bot.floor.turns import close, drop_queue

_MOST_QUEUED: Final = 50
_MOST_JOINED: Final = 20


def on_human(state: FloorState, event: Human, now: int, out: list[Consequence]) -> Reply:
    """A person spoke: quiet mode ends, and the addressed seats get the floor."""
    if state.has_heard(event.message_id):
        _refresh(state, event.message_id, event.text)
        return Nothing(IgnoreReason.DUPLICATE)
    state.remember(event.message_id)
    state.silence, state.archived = None, False
    state.hops_since_person = state.calls_since_person = 0
    state.guard(now)
    if not event.for_all and not event.targets:
        return Nothing(IgnoreReason.NOT_ADDRESSED)
    question = _question(state, event)
    if not question.targets:
        return Nothing(IgnoreReason.NO_SUCH_SEAT)
    return _meet(state, question, now, out)


def on_edited(state: FloorState, event: Edited, _now: int, _out: list[Consequence]) -> Reply:
    """An edited message replaces its text where it was not read yet; it never opens an exchange."""
    known = _refresh(state, event.message_id, event.text)
    return Nothing(IgnoreReason.NOTED if known else IgnoreReason.STALE)


def on_schedule(state: FloorState, event: ScheduleRound, now: int, out: list[Consequence]) -> Reply:
    """A round takes the floor; a question it interrupts is answered after it."""
    close(state, CloseReason.SUPERSEDED, now, out, keep_question=True)
    slots = [seat for seat in dict.fromkeys(event.targets) if state.knows(seat)]
    state.epoch = Epoch(
        next(state.serial),
        Kind.ROUND,
        tuple(slots),
        now,
        slots=slots,
        in_order=event.in_order,
    )
    return Opened(state.epoch.id, None)


def on_round_done(state: FloorState, _event: RoundDone, now: int, out: list[Consequence]) -> Reply:
    """The round gives the floor back."""
    if state.epoch is None or state.epoch.kind is not Kind.ROUND:
        return Nothing(IgnoreReason.NO_ROUND)
    state.guard(now)
    close(state, CloseReason.ROUND_DONE, now, out)
    return Nothing(IgnoreReason.NOTED)


def on_quiet(state: FloorState, _event: Quiet, now: int, out: list[Consequence]) -> Reply:
    """Silence until a person speaks; a round under way goes on."""
    _silence(state, CloseReason.QUIET, now, out)
    state.silence = Silence.QUIET
    return Nothing(IgnoreReason.NOTED)


def on_stop(state: FloorState, _event: Stop, now: int, out: list[Consequence]) -> Reply:
    """Everything ends at once; what was said stays."""
    close(state, CloseReason.STOPPED, now, out)
    drop_queue(state, CloseReason.STOPPED, out)
    state.silence = Silence.STOPPED
    return Nothing(IgnoreReason.NOTED)


def on_archived(state: FloorState, _event: Archived, now: int, out: list[Consequence]) -> Reply:
    """An archived thread has no conversation; posts of a round open it again by themselves."""
    _silence(state, CloseReason.ARCHIVED, now, out)
    state.archived = True
    return Nothing(IgnoreReason.NOTED)


def on_reopened(state: FloorState, _event: Reopened, _now: int, _out: list[Consequence]) -> Reply:
    """The thread can be spoken in again."""
    state.archived = False
    return Nothing(IgnoreReason.NOTED)


def open_question(state: FloorState, question: Question, now: int) -> Epoch:
    """Open an exchange about what people asked."""
    state.silence = None
    state.guard(now)
    state.epoch = Epoch(
        next(state.serial),
        Kind.CONVERSATION,
        question.targets,
        now,
        for_all=question.for_all,
        question=question,
        lines=list(question.lines),
        calls=question.calls,
    )
    return state.epoch


def open_at_panelist(state: FloorState, event: Sent, now: int, out: list[Consequence]) -> Reply:
    """Let the others react to a panelist's message from outside; limits go on counting."""
    close(state, CloseReason.SUPERSEDED, now, out)
    name, agent = state.name_of(event.agent), event.agent
    line = TranscriptLine(Voice.PANELIST, name, event.message_ids, event.text, agent)
    state.guard(now)
    state.epoch = Epoch(
        next(state.serial),
        Kind.CONVERSATION,
        tuple(seat.key for seat in state.seats),
        now,
        for_all=True,
        lines=[line],
        hops=state.hops_since_person,
        calls=state.calls_since_person,
    )
    return Opened(state.epoch.id, line.source)


def _question(state: FloorState, event: Human) -> Question:
    seats = tuple(seat.key for seat in state.seats)
    named = tuple(seat for seat in seats if seat in event.targets)
    targets = seats if event.for_all and not event.targets else named
    line = TranscriptLine(Voice.PERSON, event.author, (event.message_id,), event.text)
    return Question(event.author_id, (line,), targets, event.for_all)


def _meet(state: FloorState, asked: Question, now: int, out: list[Consequence]) -> Reply:
    """Open at once, pre-empt, or wait: nobody's question is lost."""
    epoch = state.epoch
    if epoch is not None and epoch.kind is Kind.ROUND:
        if asked.for_all:
            return Nothing(IgnoreReason.FROM_THE_FLOOR)
        return _enqueue(state, asked)
    if epoch is not None and epoch.kind is Kind.ALLOWANCE:
        return _take_over(state, epoch, asked, now, out)
    earlier = epoch.question if epoch is not None and epoch.still_asked() else None
    if epoch is None or earlier is None:
        return _open_now(state, asked, now, out)
    if _belong_together(earlier, asked):
        joined = replace(asked, lines=_joined(earlier, asked))
        return _open_now(state, joined, now, out)
    if epoch.for_all:
        close(state, CloseReason.SUPERSEDED, now, out, keep_question=True)
        return _open_now(state, asked, now, out)
    return _enqueue(state, asked)


def _open_now(state: FloorState, asked: Question, now: int, out: list[Consequence]) -> Reply:
    close(state, CloseReason.SUPERSEDED, now, out)
    epoch = open_question(state, asked, now)
    return Opened(epoch.id, epoch.source)


def _take_over(
    state: FloorState, epoch: Epoch, asked: Question, now: int, out: list[Consequence]
) -> Reply:
    """The claim of a seat that began before the message was known belongs to that message."""
    claim = epoch.claim
    if claim is None or claim.agent not in asked.targets or claim.allowed:
        return _open_now(state, asked, now, out)
    opened = open_question(state, asked, now)
    opened.claim = claim
    opened.calls += epoch.calls
    return Opened(opened.id, opened.source)


def _belong_together(earlier: Question, later: Question) -> bool:
    """One answer serves both: the same person to the same seats, or both to everybody."""
    if len(earlier.lines) + len(later.lines) > _MOST_JOINED:
        return False
    if earlier.for_all and (later.for_all or earlier.author_id == later.author_id):
        return True
    return earlier.author_id == later.author_id and earlier.targets == later.targets


def _joined(earlier: Question, later: Question) -> tuple[TranscriptLine, ...]:
    """What was asked in one piece after the other."""
    return earlier.lines + later.lines


def _enqueue(state: FloorState, asked: Question) -> Reply:
    for place, waiting in enumerate(state.queue):
        if waiting.for_all == asked.for_all and _belong_together(waiting, asked):
            joined = replace(waiting, lines=_joined(waiting, asked))
            state.queue = (*state.queue[:place], joined, *state.queue[place + 1 :])
            return Queued(asked.message_ids[-1], place)
    if len(state.queue) >= _MOST_QUEUED:
        return Nothing(IgnoreReason.QUEUE_FULL)
    state.queue = (*state.queue, asked)
    return Queued(asked.message_ids[-1], len(state.queue) - 1)


def _silence(state: FloorState, reason: CloseReason, now: int, out: list[Consequence]) -> None:
    if state.epoch is None or state.epoch.kind is not Kind.ROUND:
        close(state, reason, now, out)
    drop_queue(state, reason, out)


def _refresh(state: FloorState, message_id: int, text: str) -> bool:
    """Put a message's new text wherever it is still to be read."""
    epoch = state.epoch
    asked = epoch.question if epoch else None
    if epoch is None or asked is None or message_id not in asked.message_ids:
        return _refresh_waiting(state, message_id, text)
    epoch.question = _with_text(asked, message_id, text)
    epoch.lines = [_reworded(line, message_id, text) for line in epoch.lines]
    return True


def _refresh_waiting(state: FloorState, message_id: int, text: str) -> bool:
    found = any(message_id in question.message_ids for question in state.queue)
    if found:
        state.queue = tuple(_with_text(question, message_id, text) for question in state.queue)
    return found


def _with_text(question: Question, message_id: int, text: str) -> Question:
    lines = tuple(_reworded(line, message_id, text) for line in question.lines)
    return replace(question, lines=lines)


def _reworded(line: TranscriptLine, message_id: int, text: str) -> TranscriptLine:
    return replace(line, text=text) if line.source == message_id else line
