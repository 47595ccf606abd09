"""Reads a run's record from the store; nothing else knows how the rows fit together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from bot.council.measures import stance_result
from bot.council.options import vote_options
from bot.council.record import Ending, RunRecord, Seat, Speech, Spending
from bot.prompting.stance import Stance
from bot.request import Mode
from bot.store import CallStatus, EventType, Phase, Store, answers, calls, events, runs, seats
from bot.store.answers import StoredAnswer
from bot.store.events import Event
from bot.store.runs import Run

_ROUND_PREFIX = "r"


async def read_record(store: Store, run_id: str) -> RunRecord:
    """Everything about a run as it stands now."""
    return await store.read(lambda conn: load_record(conn, run_id, store.now()))


def load_record(conn: Connection, run_id: str, now: float) -> RunRecord:
    """Put the record together on one snapshot."""
    run = runs.require(conn, run_id)
    design = events.find(conn, run_id, EventType.RUN_DESIGNED, "design") or {}
    panel = tuple(_seat(row) for row in seats.of_run(conn, run_id))
    done = events.history(conn, run_id, EventType.CALL_DONE)
    said = {answer.key: answer for answer in answers.of_run(conn, run_id)}
    speeches = _settled(run, _speeches(conn, run_id, panel, done, said))
    written = said.get("synthesis")
    last = max((speech.round for speech in speeches), default=0)
    stances = [speech.stance for speech in speeches if speech.round == last]
    return RunRecord(
        run_id=run.id,
        topic=run.topic,
        mode=run.mode,
        workflow=design.get("workflow", "parallel_debate"),
        starter_id=run.starter_id,
        created_at=run.created_at,
        finished_at=run.finished_at or now,
        ending=_ending(conn, run),
        ending_note=run.status_reason,
        rehearsal=bool(design.get("rehearsal")),
        rounds_planned=design.get("rounds", 0),
        seats=panel,
        speeches=speeches,
        options=vote_options(run.topic) if run.mode is Mode.VOTE else (),
        stance_result=stance_result(stances) if stances else None,
        consensus_pct=None,
        validated="no",
        synthesis=str(written.parsed.get("text", "")) if written else "",
        synthesis_model=_answered(done, "synthesis"),
        synthesis_title=str(written.parsed.get("title", "")) if written else "",
        sections=dict(written.parsed.get("sections", {})) if written else {},
        degradations=tuple(design.get("degradations", ())) + _substitutions(panel, done),
        notices=tuple(design.get("notices", ())),
        decision=design.get("decision", ""),
        spending=_spending(conn, run_id),
    )


def _seat(row: seats.Seat) -> Seat:
    return Seat(row.seat, row.role, row.model, row.family, row.task, row.perspective)


def _ending(conn: Connection, run: Run) -> Ending:
    if run.finished_at is None:
        return Ending.OPEN
    if run.phase is Phase.COMPLETED:
        return Ending.CONCLUDED
    stopped = events.history(conn, run.id, EventType.STOP_REQUESTED)
    return Ending.STOPPED if stopped else Ending.FAILED


def _speeches(
    conn: Connection,
    run_id: str,
    panel: Sequence[Seat],
    done: Sequence[Event],
    said: dict[str, StoredAnswer],
) -> tuple[Speech, ...]:
    outcomes = {event.key: event.payload for event in done}
    rounds = sorted({_round_of(key) for key in outcomes} - {0})
    return tuple(
        _speech(conn, run_id, seat, number, outcomes[key], said.get(key))
        for number in rounds
        for seat in panel
        if (key := f"{_ROUND_PREFIX}{number}:{seat.slug}") in outcomes
    )


def _round_of(key: str) -> int:
    number = key.partition(":")[0].removeprefix(_ROUND_PREFIX)
    return int(number) if number.isdigit() else 0


def _speech(
    conn: Connection,
    run_id: str,
    seat: Seat,
    number: int,
    outcome: dict[str, Any],
    answer: StoredAnswer | None,
) -> Speech:
    if answer is None or outcome["status"] != CallStatus.OK:
        return Speech(
            seat, number, "", "", "", Stance.NEUTRAL, problem=outcome["problem"] or "no answer"
        )
    return Speech(
        seat=seat,
        round=number,
        model=outcome["answered_model"],
        text=str(answer.parsed.get("public") or answer.text),
        digest=answer.digest,
        stance=Stance(answer.stance or Stance.UNKNOWN),
        ballot=str(answer.parsed.get("ballot") or ""),
        confidence=answer.parsed.get("confidence"),
        reason=str(answer.parsed.get("reason") or ""),
        seconds=outcome["seconds"],
        links=_links(conn, run_id, answer.key),
    )


def _links(conn: Connection, run_id: str, key: str) -> tuple[str, ...]:
    run = runs.require(conn, run_id)
    sent = [
        event
        for event in events.history(conn, run_id, EventType.POST_SENT)
        if event.key.rpartition("#")[0] == key
    ]
    return tuple(
        f"https://discord.com/channels/{run.guild_id}/{event.payload['target_id']}"
        f"/{event.payload['message_id']}"
        for event in sent
    )


def _settled(run: Run, speeches: tuple[Speech, ...]) -> tuple[Speech, ...]:
    """In vote mode a stance follows from the ballots: with the leader, against it, or neither."""
    if run.mode is not Mode.VOTE:
        return speeches
    return tuple(
        replace(speech, stance=_vote_stance(speech, _ballots(speeches, speech.round)))
        for speech in speeches
    )


def _ballots(speeches: Sequence[Speech], number: int) -> Counter[str]:
    return Counter(s.ballot for s in speeches if s.round == number and s.ballot)


def _vote_stance(speech: Speech, tally: Counter[str]) -> Stance:
    ranked = tally.most_common(2)
    tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    if not speech.ballot or tied:
        return Stance.NEUTRAL
    return Stance.AGREE if speech.ballot == ranked[0][0] else Stance.DISAGREE


def _answered(done: Sequence[Event], key: str) -> str:
    found = next((event.payload for event in done if event.key == key), None)
    return str(found["answered_model"] or found["model"]) if found else ""


def _substitutions(panel: Sequence[Seat], done: Sequence[Event]) -> tuple[str, ...]:
    """Seats whose fallback had to answer during the run."""
    notes = []
    for event in done:
        _, _, slug = event.key.partition(":")
        seat = next((seat for seat in panel if seat.slug == slug), None)
        if seat is not None and event.payload["model"] != seat.model:
            notes.append(
                f"PANEL DEGRADED — {seat.role} substituted {seat.model} with "
                f"{event.payload['model']}"
            )
    return tuple(notes)


def _spending(conn: Connection, run_id: str) -> Spending:
    spent = calls.spent(conn, run_id)
    return Spending(
        calls=spent.calls,
        tokens=spent.input_tokens + spent.output_tokens,
        cost_usd=None if spent.unpriced_calls else spent.known_usd,
    )
