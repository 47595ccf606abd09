"""How roundtables look in a list and in a status: short, and safe to show."""

from bot.council.attempting import Next, Standing
from bot.council.dedup import place_of
from bot.council.discussions.views import State
from bot.council.record import RunRecord
from bot.council.titles import title_of
from bot.messages.library import LibraryText
from bot.stage.cleaning import clean_text, short_line
from bot.stage.port import place_url
from bot.store import Phase, Status
from bot.store.discussions import Discussion
from bot.store.runs import Run

TOPIC_LIMIT = 90
_WORDS = {
    Phase.AWAITING_APPROVAL: LibraryText.AWAITING_APPROVAL,
    Phase.CIRCUIT_OPEN: LibraryText.FAILED_FOR_GOOD,
    Phase.FAILED: LibraryText.NOT_CONCLUDED,
    Phase.COMPLETED: LibraryText.CONCLUDED,
}
_MARKS = {Status.ACTIVE: "⏳", Status.CONCLUDED: "✅", Status.CANCELLED: "⏹️"}


def plain_topic(run: Run, limit: int = TOPIC_LIMIT) -> str:
    """The topic on one line, without any markup."""
    return title_of(run, limit)


def status_word(run: Run) -> str:
    """The status of a run in a word or two."""
    return _WORDS.get(run.phase, LibraryText.RUNNING)


def list_line(run: Run) -> str:
    """One line of a list: status, topic, place and start."""
    mark, where = _MARKS[run.status], place_of(run).target_id
    return LibraryText.list_line(mark, plain_topic(run), run.mode, where, run.created_at, run.id)


def meeting_status(run: Run, record: RunRecord, now: Standing) -> str:
    """The status of a meeting."""
    lines = [
        LibraryText.status_line(_MARKS[run.status], plain_topic(run), run.mode, status_word(run)),
        _progress(record),
        LibraryText.started(run.created_at, run.starter_id, run.id),
        place_url(place_of(run)),
    ]
    if run.status is Status.ACTIVE and now.next is Next.WAIT:
        lines.insert(1, LibraryText.retries_itself(now.due_at))
    if run.status is Status.CANCELLED:
        lines.insert(1, LibraryText.can_be_retried(short_line(run.status_reason, 300)))
    return "\n".join(line for line in lines if line)


def _progress(record: RunRecord) -> str:
    if not record.seats:
        return LibraryText.BEING_CHOSEN
    number = max((speech.round for speech in record.speeches), default=1)
    spoke = sum(speech.spoke for speech in record.speeches if speech.round == number)
    roles = [seat.role for seat in record.seats]
    return LibraryText.progress(number, record.rounds_planned, spoke, roles)


def discussion_status(discussion: Discussion, state: State) -> str:
    """The status of an agent discussion."""
    run = discussion.run
    people = [clean_text(person.role) for person in discussion.participants]
    lines = [
        LibraryText.discussion_line(_MARKS[run.status], plain_topic(run), state.status),
        LibraryText.discussion_progress(
            state.current_round, state.max_rounds, state.waiting_for, state.convergence_score
        ),
        LibraryText.discussion_held_by(people, clean_text(discussion.created_by), run.id),
        place_url(place_of(run)),
    ]
    return "\n".join(lines)
