"""How roundtables look in a list and in a status: short, and safe to show."""

from bot.council.attempting import Next, Standing
from bot.council.dedup import place_of
from bot.council.discussions.views import State
from bot.council.record import RunRecord
from bot.stage.cleaning import clean_text, one_line
from bot.stage.port import place_url
from bot.store import Phase, Status
from bot.store.discussions import Discussion
from bot.store.runs import Run

TOPIC_LIMIT = 90
FORGOTTEN = "(its topic was forgotten)"
_WORDS = {
    Phase.AWAITING_APPROVAL: "waits for an approval",
    Phase.CIRCUIT_OPEN: "failed for good",
    Phase.FAILED: "did not conclude",
    Phase.COMPLETED: "concluded",
}
_MARKS = {Status.ACTIVE: "⏳", Status.CONCLUDED: "✅", Status.CANCELLED: "⏹️"}
_BOLD = str.maketrans("", "", "*_`~|")


def plain_topic(run: Run, limit: int = TOPIC_LIMIT) -> str:
    """The topic on one line, without any markup."""
    return one_line(clean_text(run.topic).translate(_BOLD), limit) or FORGOTTEN


def status_word(run: Run) -> str:
    """How a run stands, in a word or two."""
    return _WORDS.get(run.phase, "running")


def list_line(run: Run) -> str:
    """One line of a list: how it stands, what about, where and since when."""
    topic = plain_topic(run)
    where = f"<#{place_of(run).target_id}>"
    mark = _MARKS[run.status]
    return f"{mark} **{topic}** · {run.mode} · {where} · <t:{run.created_at:.0f}:R> · `{run.id}`"


def meeting_status(run: Run, record: RunRecord, now: Standing) -> str:
    """Where a meeting stands."""
    lines = [
        f"{_MARKS[run.status]} **{plain_topic(run)}** · {run.mode} · {status_word(run)}",
        _progress(record),
        f"Started <t:{run.created_at:.0f}:R> by <@{run.starter_id}> · `{run.id}`",
        place_url(place_of(run)),
    ]
    if run.status is Status.ACTIVE and now.next is Next.WAIT:
        lines.insert(1, f"It failed and is tried again by itself <t:{now.due_at:.0f}:R>.")
    if run.status is Status.CANCELLED:
        lines.insert(1, f"{clean_text(run.status_reason)[:300]} · `roundtable retry` goes on.")
    return "\n".join(line for line in lines if line)


def _progress(record: RunRecord) -> str:
    if not record.seats:
        return "The panel is being chosen."
    number = max((speech.round for speech in record.speeches), default=1)
    spoke = sum(speech.spoke for speech in record.speeches if speech.round == number)
    seats = ", ".join(seat.role for seat in record.seats)
    rounds = f"Round {number} of {record.rounds_planned}"
    return f"{rounds} · {spoke} of {len(record.seats)} answers · {seats}"


def discussion_status(discussion: Discussion, state: State) -> str:
    """Where a discussion of agents stands."""
    run = discussion.run
    people = ", ".join(clean_text(person.role) for person in discussion.participants)
    waiting = f" · waits for {', '.join(state.waiting_for)}" if state.waiting_for else ""
    score = "" if state.convergence_score is None else f" · convergence {state.convergence_score}"
    lines = [
        f"{_MARKS[run.status]} **{plain_topic(run)}** · discussion of agents · {state.status}",
        f"Round {state.current_round} of {state.max_rounds}{waiting}{score}",
        f"{people} · held by {clean_text(discussion.created_by)} · `{run.id}`",
        place_url(place_of(run)),
    ]
    return "\n".join(lines)
