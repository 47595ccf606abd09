"""Which runs deliver, and how often the draft of one was tried."""

from sqlalchemy import Connection

from bot.council.attempting import BEFORE_WORK, LAST_AUTOMATIC, PAUSES, failed_kinds, may_pass
from bot.council.delivery.counting import count_draft, draft_number
from bot.council.delivery.files import built_in
from bot.council.delivery.record import read_delivery
from bot.council.meeting import Meeting
from bot.council.run_failed import RunFailedError
from bot.messages.delivery import BuildText
from bot.request import Mode
from bot.stage.cleaning import short_line
from bot.store import Verdict, reviews, runs, specs
from bot.store.artifacts import Artifact

FINDING_SHOWN = 200


async def delivers(meeting: Meeting) -> bool:
    """Whether the run builds; one that was under way before builds had specs ends as it began."""
    if meeting.run.mode is not Mode.BUILD:
        return False

    def work(conn: Connection) -> bool:
        run = runs.require(conn, meeting.run.id)
        return run.phase in BEFORE_WORK or specs.is_accepted(conn, run.id)

    return await meeting.tools.store.read(work)


async def drafting_try(meeting: Meeting) -> int:
    """Under which number the calls of the panel and of the draft are made."""
    return await meeting.tools.store.read(lambda conn: draft_number(conn, meeting.run.id))


async def next_draft_due(meeting: Meeting, failure: RunFailedError) -> tuple[int, float] | None:
    """The number and the moment of the next try at a draft; None when another would not help."""
    store, run_id = meeting.tools.store, meeting.run.id

    def work(conn: Connection) -> tuple[int, float] | None:
        number, now = draft_number(conn, run_id), store.now()
        kinds = failed_kinds(conn, run_id, number, failure.asked)
        if number >= LAST_AUTOMATIC or not may_pass(kinds):
            return None
        due = now + PAUSES[number - 1]
        count_draft(conn, run_id, str(failure), due, now)
        return number, due

    return await store.write(work)


def verdicts(conn: Connection, run_id: str) -> tuple[str, ...]:
    """What the gates said so far, a line each, as the card shows it."""
    delivery = read_delivery(conn, run_id)
    return tuple(
        BuildText.gate_told(one.ordinal, gate.kind, gate.reviewer, gate.verdict)
        for one in (delivery.tries if delivery else ())
        for gate in one.gates
    )


def last_findings(conn: Connection, run_id: str) -> tuple[str, ...]:
    """What the gates found in the newest attempt."""
    ordinal = runs.require(conn, run_id).attempt
    found = [r for r in reviews.of_attempt(conn, run_id, ordinal) if r.verdict != Verdict.APPROVED]
    said = (f"{one.reviewer}: {f.message}" for one in found for f in one.findings)
    return tuple(short_line(text, FINDING_SHOWN) for text in said)


def last_good(conn: Connection, run_id: str) -> tuple[tuple[Artifact, ...], int]:
    """The newest files among those that came furthest, and how many gates they passed."""
    delivery = read_delivery(conn, run_id)
    tried = [one for one in (delivery.tries if delivery else ()) if one.files]
    if not tried:
        return (), 0
    best = max(tried, key=lambda one: (one.gates_passed, one.ordinal))
    return built_in(conn, run_id, best.ordinal), best.gates_passed
