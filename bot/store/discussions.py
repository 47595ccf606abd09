"""Discussions: runs whose participants are other programs; their speeches and findings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, select, update

from bot.request.modes import Mode
from bot.store import events, phases, runs
from bot.store.actors import Actor
from bot.store.errors import MissingRowError
from bot.store.events import EventType
from bot.store.prepared import Query
from bot.store.runs import NewRun, Run, TopicPlace
from bot.store.tables import discussions, findings, participants, speeches
from bot.store.tables import runs as run_table
from bot.store.vocabulary import FindingKind, Phase, TalkOrder
from bot.words.store import DISCUSSION_OPEN

COORDINATOR = "coordinator"
_WAY_IN = (Phase.SPEC_DRAFT, Phase.SPEC_REVIEW, Phase.EXECUTION_READY, Phase.EXECUTING)
_WAY_OUT = (Phase.EXECUTING, Phase.SPEC_GATE, Phase.QUALITY_GATE, Phase.COMPLETED)


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who may speak (C4); `wants_end` is their vote."""

    profile: str
    role: str
    perspective: str = ""
    display_name: str = ""
    priority: int = 0
    active: bool = True
    wants_end: bool = False


@dataclass(frozen=True, slots=True)
class NewDiscussion:
    """A discussion that is to be opened; without a channel it lives in the store alone."""

    topic: str
    context: str
    created_by: str
    max_rounds: int
    speech_order: TalkOrder
    participants: Sequence[Participant]
    seed: int
    output_path: str | None = None
    link: str = ""
    guild_id: int = 0
    channel_id: int = 0
    starter_id: int = 0


@dataclass(frozen=True, slots=True)
class Discussion:
    """A discussion as stored, with the run it is."""

    run: Run
    context: str
    created_by: str
    max_rounds: int
    current_round: int
    speech_order: TalkOrder
    output_path: str | None
    link: str
    conclusion: str
    participants: tuple[Participant, ...]

    @property
    def active(self) -> tuple[Participant, ...]:
        """Those whose word a round waits for."""
        return tuple(person for person in self.participants if person.active)


@dataclass(frozen=True, slots=True)
class Said:
    """One speech."""

    id: int
    round: int
    participant: str
    content: str
    reply_to: int | None
    created_at: float


@dataclass(frozen=True, slots=True)
class Found:
    """One finding and who made the point."""

    kind: FindingKind
    text: str
    made_by: tuple[str, ...] = field(default=())


def create(conn: Connection, new: NewDiscussion, now: float) -> Discussion:
    """Store a discussion and let it begin: the coordinator's opening is round 0 (2.2#3)."""
    run_id = runs.new_run_id(conn)
    # A discussion is never a duplicate of another: its own id takes the topic's place.
    place = TopicPlace(new.guild_id, new.channel_id, Mode.DEFAULT, f"discussion {run_id}")
    run = NewRun(place, new.channel_id, None, new.starter_id, new.topic, new.seed)
    runs.insert(conn, run, Actor.ORCHESTRATOR, now, run_id)
    values = {
        "run_id": run_id,
        "context": new.context,
        "created_by": new.created_by,
        "max_rounds": new.max_rounds,
        "current_round": 1,
        "speech_order": new.speech_order,
        "output_path": new.output_path,
        "link": new.link,
        "conclusion": "",
    }
    conn.execute(discussions.insert(), values)
    rows = [
        asdict(person) | {"run_id": run_id, "ordinal": number, "active": 1, "wants_end": 0}
        for number, person in enumerate(new.participants)
    ]
    conn.execute(participants.insert(), rows)
    _walk(conn, run_id, _WAY_IN, DISCUSSION_OPEN, now)
    return require(conn, run_id)


def _walk(conn: Connection, run_id: str, way: Sequence[Phase], reason: str, now: float) -> None:
    for here, there in pairwise(way):
        phases.move(conn, run_id, here, there, Actor.ORCHESTRATOR, reason, now)


def get(conn: Connection, run_id: str) -> Discussion | None:
    """The discussion, or None when there is no such one."""
    values = _BY_RUN.row(conn, {"run_id": run_id})
    if values is None:
        return None
    del values["run_id"]
    seated = select(participants).where(participants.c.run_id == run_id)
    people = conn.execute(seated.order_by(participants.c.ordinal))
    return Discussion(
        run=runs.require(conn, run_id),
        **values,
        participants=tuple(_participant(found) for found in people),
    )


_BY_RUN = Query(select(discussions).where(discussions.c.run_id == bindparam("run_id")))


def require(conn: Connection, run_id: str) -> Discussion:
    """The discussion, which must exist."""
    found = get(conn, run_id)
    if found is None:
        raise MissingRowError(f"there is no discussion {run_id}")
    return found


def _participant(row: Row[Any]) -> Participant:
    return Participant(
        row.profile,
        row.role,
        row.perspective,
        row.display_name,
        row.priority,
        bool(row.active),
        bool(row.wants_end),
    )


def record_speech(
    conn: Connection,
    run_id: str,
    round_: int,
    speaker: str,
    content: str,
    reply_to: int | None,
    now: float,
) -> Said:
    """Keep a speech with its event; the log points to it and holds none of its words."""
    row = {
        "run_id": run_id,
        "round": round_,
        "participant": speaker,
        "content": content,
        "reply_to": reply_to,
        "created_at": now,
    }
    number = int(conn.execute(speeches.insert().returning(speeches.c.id), row).scalar_one())
    payload = {"round": round_}
    actor = Actor.ORCHESTRATOR if speaker == COORDINATOR else Actor.EXECUTOR
    events.append(conn, run_id, EventType.SPEECH_RECORDED, str(number), actor, payload, now)
    return Said(number, round_, speaker, content, reply_to, now)


def speech(conn: Connection, run_id: str, number: int) -> Said | None:
    """One speech of this discussion, never of another."""
    wanted = speeches.c.run_id == run_id, speeches.c.id == number
    row = conn.execute(select(speeches).where(*wanted)).first()
    return None if row is None else _said(row)


def page(
    conn: Connection,
    run_id: str,
    *,
    since_round: int | None = None,
    participant: str | None = None,
    after: int = 0,
    limit: int | None = None,
) -> tuple[Said, ...]:
    """Speeches in order, those after a number only, at most so many."""
    wanted: list[ColumnElement[bool]] = [speeches.c.run_id == run_id, speeches.c.id > after]
    if since_round is not None:
        wanted.append(speeches.c.round >= since_round)
    if participant is not None:
        wanted.append(speeches.c.participant == participant)
    query = select(speeches).where(*wanted).order_by(speeches.c.id)
    return tuple(_said(row) for row in conn.execute(query if limit is None else query.limit(limit)))


def _said(row: Row[Any]) -> Said:
    return Said(row.id, row.round, row.participant, row.content, row.reply_to, row.created_at)


def spoken_in(conn: Connection, run_id: str, round_: int) -> frozenset[str]:
    """Who has spoken in a round."""
    wanted = speeches.c.run_id == run_id, speeches.c.round == round_
    query = select(speeches.c.participant).where(*wanted).distinct()
    return frozenset(conn.execute(query).scalars())


def nothing_said(conn: Connection, run_id: str) -> bool:
    """Whether nobody has spoken yet."""
    query = select(speeches.c.id).where(speeches.c.run_id == run_id).limit(1)
    return conn.execute(query).first() is None


def set_round(conn: Connection, run_id: str, from_round: int, to_round: int) -> bool:
    """Go to the next round unless somebody else already has."""
    here = discussions.c.run_id == run_id, discussions.c.current_round == from_round
    change = update(discussions).where(*here).values(current_round=to_round)
    return bool(conn.execute(change).rowcount)


def vote_to_end(conn: Connection, run_id: str, profile: str) -> None:
    """A participant wants the discussion to end."""
    who = participants.c.run_id == run_id, participants.c.profile == profile
    conn.execute(update(participants).where(*who).values(wants_end=1))


def record_findings(
    conn: Connection, run_id: str, round_: int, found: Iterable[Found], actor: Actor, now: float
) -> bool:
    """Keep a round's findings once; later ones for the same round are not taken."""
    key = str(round_)
    if not events.append(conn, run_id, EventType.FINDINGS_RECORDED, key, actor, {}, now):
        return False
    counters: dict[FindingKind, int] = {}
    rows = []
    for finding in found:
        ordinal = counters.get(finding.kind, 0)
        counters[finding.kind] = ordinal + 1
        rows.append(
            {
                "run_id": run_id,
                "round": round_,
                "kind": finding.kind,
                "ordinal": ordinal,
                "text": finding.text,
                "made_by": list(finding.made_by),
            }
        )
    if rows:
        conn.execute(findings.insert(), rows)
    return True


def findings_of(conn: Connection, run_id: str) -> dict[int, tuple[Found, ...]]:
    """Every round's findings; a round nobody looked at is not in it."""
    looked_at = events.history(conn, run_id, EventType.FINDINGS_RECORDED)
    rounds: dict[int, list[Found]] = {int(event.key): [] for event in looked_at}
    query = select(findings).where(findings.c.run_id == run_id)
    for row in conn.execute(query.order_by(findings.c.round, findings.c.kind, findings.c.ordinal)):
        rounds.setdefault(row.round, []).append(Found(row.kind, row.text, tuple(row.made_by)))
    return {number: tuple(found) for number, found in sorted(rounds.items())}


def conclude(conn: Connection, run_id: str, reason: str, now: float) -> None:
    """The discussion is over and its result stands."""
    _walk(conn, run_id, _WAY_OUT, reason, now)


def cancel(conn: Connection, run_id: str, reason: str, now: float) -> None:
    """The discussion is over without a result."""
    actor = Actor.ORCHESTRATOR
    phases.move(conn, run_id, Phase.EXECUTING, Phase.FAILED, actor, reason, now)


def set_conclusion(conn: Connection, run_id: str, text: str) -> None:
    """Keep the coordinator's conclusion, which may come after the end."""
    here = discussions.c.run_id == run_id
    conn.execute(update(discussions).where(here).values(conclusion=text))


def set_path(conn: Connection, run_id: str, path: str) -> None:
    """Remember where the conclusion's file lies."""
    here = discussions.c.run_id == run_id
    conn.execute(update(discussions).where(here).values(output_path=path))


def with_conclusion(conn: Connection) -> tuple[Discussion, ...]:
    """Every concluded discussion that has a conclusion, oldest first."""
    query = (
        select(run_table.c.id)
        .join(discussions, discussions.c.run_id == run_table.c.id)
        .where(run_table.c.phase == Phase.COMPLETED, discussions.c.conclusion != "")
        .order_by(run_table.c.created_at, run_table.c.id)
    )
    return tuple(require(conn, run_id) for run_id in conn.execute(query).scalars())


def listed(conn: Connection, limit: int) -> tuple[tuple[Run, Mapping[str, Any]], ...]:
    """The newest discussions with their rounds, newest first."""
    query = (
        select(run_table, discussions.c.current_round, discussions.c.max_rounds)
        .join(discussions, discussions.c.run_id == run_table.c.id)
        .order_by(run_table.c.created_at.desc(), run_table.c.id.desc())
        .limit(limit)
    )
    found = []
    for row in conn.execute(query):
        values = row._asdict()
        rounds = {name: values.pop(name) for name in ("current_round", "max_rounds")}
        found.append((Run(**values), rounds))
    return tuple(found)
