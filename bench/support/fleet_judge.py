"""The judge of the fleet: journals, threads and paid calls of every roundtable, compared."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.support.crash_judge import Evidence, Noted, PaidCall, Toll, judge
from bench.support.fleet_arena import FleetArena
from bench.support.fleet_models import Asked
from bench.support.fleet_watch import IN_FLIGHT, Entry, FleetWatch, Watched
from bot.playground._basics import moment_of

_RUNS = "SELECT id, phase, thread_id, status_reason FROM runs WHERE topic = $1 ORDER BY created_at"
_POSTS = (
    "SELECT key, message_id, state FROM posts WHERE run_id = $1 AND target_id = $2"
    " AND kind != 'edit' ORDER BY position, part"
)
_SEATS = "SELECT role, seat FROM seats WHERE run_id = $1"
_STEM = "SELECT stem FROM files WHERE run_id = $1"


@dataclass(frozen=True, slots=True)
class Death:
    """A worker that was killed, stopped or cut off, and when."""

    kind: str
    worker: str
    at: float


async def judge_fleet(watch: FleetWatch) -> Toll:
    """Judge every roundtable, every question to a panelist, and every thread."""
    toll = Toll()
    for run in watch.runs.values():
        toll.started += 1
        found = await evidence_of(watch.arena, run)
        judge(found, toll)
        if not found.completed:
            toll.findings += await reasons(watch.arena, run)
        toll.findings += [f"  {line}" for line in unaccounted(watch.arena, found, run.thread_id)]
        judge_questions(found, run.entries, tuple(run.questions.values()), toll)
    known = {row[0] for row in await watch.arena.rows("SELECT thread_id FROM runs")}
    strange = {thread.id for thread in watch.arena.discord.threads()} - known
    if strange:
        toll.doubled += len(strange)
        toll.findings.append(f"{len(strange)} threads that no roundtable knows")
    return toll


async def reasons(arena: FleetArena, run: Watched) -> list[str]:
    """Why a roundtable is not completed, and who asked models for it last."""
    told = [f"  {row['id']}: {row['status_reason']}" for row in await arena.rows(_RUNS, run.topic)]
    asked = arena.models.by_topic.get(run.topic, ())
    return [*told, f"  last asked models: {asked[-1].caller if asked else 'nobody'}"]


async def evidence_of(arena: FleetArena, run: Watched) -> Evidence:
    """What there is to judge about one roundtable."""
    found = await arena.rows(_RUNS, run.topic)
    if not found:
        return Evidence(run.topic, "", 0, {}, (), (), (), files=False)
    run_id, phase, thread_id, _ = found[0]
    roles = {row["role"]: row["seat"] for row in await arena.rows(_SEATS, run_id)}
    stem = await arena.rows(_STEM, run_id)
    written = [each.home / "memory" / "roundtables" for each in arena.members]
    asked = arena.models.by_topic.get(run.topic, ())
    return Evidence(
        topic=run.topic,
        phase=phase,
        runs=len(found),
        recorded=recorded(run.entries),
        calls=paid_calls(asked, roles, run.questions),
        posts=[tuple(row) for row in await arena.rows(_POSTS, run_id, thread_id)],
        shown=[m.id for m in arena.discord.messages(thread_id) if m.author.bot]
        if thread_id
        else [],
        files=bool(stem) and any((place / f"{stem[0][0]}.json").exists() for place in written),
    )


def told(arena: FleetArena, run: Watched) -> list[str]:
    """Everything about one roundtable in the order in which it happened."""
    lines = [(run.asked_at, "asked"), *((e.at, f"{e.type} {e.key}") for e in run.entries)]
    for each in arena.models.by_topic.get(run.topic, ()):
        what = f"{each.template} {each.values.get('ROLE', '')} {each.question or ''}"
        lines.append((each.at, f"  {each.caller} asks a model: {what}"))
    if run.thread_id:
        for message in arena.discord.messages(run.thread_id):
            text = f"  {message.author.name} says: {message.text[:60]!r}"
            lines.append((moment_of(message.id), text))
    return [f"{datetime.fromtimestamp(at, UTC):%H:%M:%S.%f} {line}" for at, line in sorted(lines)]


def unaccounted(arena: FleetArena, evidence: Evidence, thread_id: int) -> list[str]:
    """The beginning of every message that no post accounts for, with how often it is there."""
    if not thread_id:
        return []
    known = {number for _, number, _ in evidence.posts}
    said = arena.discord.messages(thread_id)
    texts = [message.text for message in said]
    return [
        f"{message.author.name}: {message.text[:70]!r} ({texts.count(message.text)} times)"
        for message in said
        if message.author.bot and message.id not in known
    ]


def recorded(entries: Sequence[Entry]) -> Mapping[str, Noted]:
    """Each call in the journal; the moment is the database's, whatever clock the worker has."""
    done = [entry for entry in entries if entry.type == "call.done"]
    return {entry.key: Noted(entry.at, entry.payload["status"] == "ok") for entry in done}


def paid_calls(
    asked: Sequence[Asked], roles: Mapping[object, object], questions: Mapping[int, int]
) -> tuple[PaidCall, ...]:
    """What reached the models, under the keys of the journal."""
    return tuple(
        PaidCall(each.key(roles, questions), each.at, each.call.finished.is_set()) for each in asked
    )


def judge_questions(
    evidence: Evidence, entries: Sequence[Entry], questions: Sequence[int], toll: Toll
) -> None:
    """Every question to a panelist was heard once and got its answer."""
    closed = {e.key: e.payload.get("answered") for e in entries if e.type == "followup.closed"}
    answers = [key for key, _, state in evidence.posts if state == "sent"]
    for number in questions:
        posted = {key for key in answers if key.startswith(f"talk:{number}:")}
        told = posted - {f"talk:{number}:closed"}
        state = closed.get(str(number), "never closed")
        lost = int(state is not True or not told)
        toll.found(evidence, "lost", lost, f"question {number} without an answer ({state})")
        toll.found(evidence, "doubled", max(0, len(told) - 1), f"answers more to {number}")


def recoveries(watch: FleetWatch, deaths: Sequence[Death]) -> dict[str, list[float]]:
    """Seconds from a worker's end until each of its roundtables went on, by kind of end."""
    found: dict[str, list[float]] = {}
    for death in deaths:
        for run in watch.runs.values():
            if not worked_on(run, watch.arena.models.by_topic.get(run.topic, ()), death):
                continue
            moment = watch.went_on(run, death.worker, death.at)
            seconds = math.inf if moment is None else moment - death.at
            found.setdefault(death.kind, []).append(seconds)
    return found


def worked_on(run: Watched, asked: Sequence[Asked], death: Death) -> bool:
    """Whether a worker had a roundtable, or an answer to a question, in hand when it ended."""
    before = [each for each in asked if each.at <= death.at]
    if not before or before[-1].caller != death.worker:
        return False
    done = death.at + IN_FLIGHT
    if not run.concluded or run.concluded > done:
        return True
    closed = {e.key for e in run.entries if e.type == "followup.closed" and e.at <= done}
    heard = {e.key for e in run.entries if e.type == "followup.heard" and e.at <= death.at}
    return bool(heard - closed)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so large a share of all does not exceed; 0 of none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
