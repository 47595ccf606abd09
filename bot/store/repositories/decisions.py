"""What became of decisions: when to ask about them, what people said, and what replaced them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, true, update

from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.rows import insert_new
from bot.store.tables import decisions
from bot.store.vocabulary import Actor

_AS_READ: Final = (
    *("run_id", "guild_id", "look_at", "pause", "asked", "answer", "answers", "told"),
    *("answered_by", "answered_at", "facts", "superseded_by"),
)
_READ: Final = select(*(decisions.c[name] for name in _AS_READ))


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one run; it holds no words of anybody."""

    run_id: str
    guild_id: int
    look_at: float | None = None
    """When its thread is asked next."""
    pause: float | None = None
    """After how many seconds it is asked again when it was too early."""
    asked: int = 0
    answer: str = ""
    """The number of the option that was right, or a word; empty while nobody said."""
    answers: int = 0
    told: int = 0
    """How many of the answers its thread has been told."""
    answered_by: int | None = None
    answered_at: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What panel, models and plain count had chosen, by the options' numbers."""
    superseded_by: str = ""

    @property
    def option(self) -> int | None:
        """The number of the option that was right; None for anything but a resolved vote."""
        return int(self.answer) if self.answer.isdigit() and "panel" in self.facts else None

    @property
    def panel_right(self) -> bool:
        """Whether the panel's vote was right; a tie that nothing decided was not."""
        return self.option is not None and self.facts["panel"] == self.option

    @property
    def models_right(self) -> dict[str, bool]:
        """Whether each model was right that cast one readable ballot."""
        chosen = self.facts.get("models", {})
        return {model: number == self.option for model, number in chosen.items()}


class DecisionRepository:
    """One row per run that somebody wants to look at again or has resolved."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def get(self, run_id: str) -> Decision | None:
        """What became of a run; None where nobody ever asked."""
        row = self._conn.execute(_READ.where(decisions.c.run_id == run_id)).mappings().first()
        return None if row is None else Decision(**row)

    def schedule(
        self, run_id: str, guild_id: int, look_at: float | None, pause: float | None, now: float
    ) -> None:
        """Ask at a time, or never; what was scheduled before is replaced."""
        self._put(run_id, guild_id, look_at=look_at, pause=pause, claimed_until=None)
        self._note(run_id, EventType.DECISION_SCHEDULED, "look", {"look_at": look_at}, now)

    def next_due(self, servers: Collection[int] | None = None) -> float | None:
        """When something is to be asked, or an unfinished try to be taken over."""
        claimed = func.coalesce(decisions.c.claimed_until, decisions.c.look_at)
        query = select(decisions.c.look_at, claimed).where(
            decisions.c.look_at.is_not(None), _in(servers)
        )
        return min((max(row) for row in self._conn.execute(query)), default=None)

    def claim(
        self, now: float, until: float, servers: Collection[int] | None = None
    ) -> Decision | None:
        """Take one that is due, so that no other process asks, until the given time."""
        free = or_(decisions.c.claimed_until.is_(None), decisions.c.claimed_until <= now)
        due = (decisions.c.look_at <= now) & free & _in(servers)
        query = select(decisions.c.run_id).where(due).order_by(decisions.c.look_at)
        for run_id in self._conn.execute(query).scalars().all():
            mine = update(decisions).where(decisions.c.run_id == run_id, due)
            if self._conn.execute(mine.values(claimed_until=until)).rowcount:
                return self.get(run_id)
        return None

    def note_asked(self, decision: Decision, now: float) -> None:
        """Its thread was asked: it is not asked again unless somebody wants it."""
        here = update(decisions).where(decisions.c.run_id == decision.run_id)
        self._conn.execute(here.values(asked=decision.asked + 1))
        # Somebody may have chosen another time since the question is out.
        asked_for = here.where(decisions.c.look_at == decision.look_at)
        self._conn.execute(asked_for.values(look_at=None, claimed_until=None))
        self._note(decision.run_id, EventType.DECISION_ASKED, "asked", {}, now)

    def resolve(
        self,
        run_id: str,
        guild_id: int,
        answer: str,
        person_id: int,
        facts: Mapping[str, Any],
        now: float,
    ) -> Decision:
        """Keep what happened; the last answer holds, and nothing is asked any more."""
        known = self.get(run_id)
        self._put(
            run_id,
            guild_id,
            look_at=None,
            claimed_until=None,
            answer=answer,
            answers=(known.answers if known else 0) + 1,
            answered_by=person_id,
            answered_at=now,
            facts=dict(facts),
        )
        payload = {"answer": answer, "by": person_id}
        self._note(run_id, EventType.DECISION_RESOLVED, "answer", payload, now)
        return self.get(run_id) or Decision(run_id, guild_id)

    def resolved(self, guild_id: int) -> tuple[Decision, ...]:
        """What is known of one server's decisions, the oldest answer first."""
        known = _READ.where(decisions.c.guild_id == guild_id, decisions.c.answer != "")
        rows = self._conn.execute(known.order_by(decisions.c.answered_at, decisions.c.run_id))
        return tuple(Decision(**row) for row in rows.mappings())

    def untold(self, before: float, servers: Collection[int] | None = None) -> tuple[Decision, ...]:
        """Those whose thread was not told an answer that was given before a time."""
        query = _READ.where(
            decisions.c.told < decisions.c.answers,
            decisions.c.answered_at < before,
            _in(servers),
        )
        rows = self._conn.execute(query.order_by(decisions.c.answered_at)).mappings()
        return tuple(Decision(**row) for row in rows)

    def note_told(self, run_id: str, told: int) -> None:
        """The thread knows that many answers."""
        less = (decisions.c.run_id == run_id, decisions.c.told < told)
        self._conn.execute(update(decisions).where(*less).values(told=told))

    def supersede(self, run_id: str, guild_id: int, newer: str, now: float) -> None:
        """Note the run that replaced a decision; the old one is not asked about any more."""
        self._put(run_id, guild_id, look_at=None, claimed_until=None, superseded_by=newer)
        superseded, actor = EventType.DECISION_SUPERSEDED, Actor.ORCHESTRATOR
        events.append(self._conn, run_id, superseded, newer, actor, {}, now)

    def abandon(self) -> None:
        """Ask nothing and tell nothing that is open now: its places are gone."""
        self._conn.execute(
            update(decisions).values(look_at=None, claimed_until=None, told=decisions.c.answers)
        )

    def forget_run(self, run_id: str) -> None:
        """Ask nothing about an erased run and keep nobody's id; figures stay."""
        erased = update(decisions).where(decisions.c.run_id == run_id)
        gone = {"look_at": None, "claimed_until": None, "answered_by": None}
        self._conn.execute(erased.values(gone).values(told=decisions.c.answers))

    def forget_server(self, guild_id: int) -> None:
        """Delete what is known of a server's decisions."""
        self._conn.execute(delete(decisions).where(decisions.c.guild_id == guild_id))

    def forget(self, person_id: int) -> None:
        """Keep no id of a person."""
        own = update(decisions).where(decisions.c.answered_by == person_id)
        self._conn.execute(own.values(answered_by=None))

    def _put(self, run_id: str, guild_id: int, **values: Any) -> None:
        row = {"run_id": run_id, "guild_id": guild_id, "facts": {}}
        insert_new(self._conn, decisions, row, "run_id")
        self._conn.execute(update(decisions).where(decisions.c.run_id == run_id).values(values))

    def _note(
        self, run_id: str, type_: EventType, name: str, payload: Mapping[str, Any], now: float
    ) -> None:
        key = f"{name}#{events.next_number(self._conn, run_id, type_, name)}"
        events.append(self._conn, run_id, type_, key, Actor.HUMAN, payload, now)


def _in(servers: Collection[int] | None) -> ColumnElement[bool]:
    """Whether a decision is of one of these servers; without any named, of whichever."""
    return true() if servers is None else decisions.c.guild_id.in_(servers)
