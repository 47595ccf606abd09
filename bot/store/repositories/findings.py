"""Findings of the rounds of discussions: points agreed on, disputed and new."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.tables import findings
from bot.store.vocabulary import Actor, FindingKind


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding and who made the point."""

    kind: FindingKind
    text: str
    made_by: tuple[str, ...] = field(default=())


class FindingRepository:
    """The findings of discussions, stored once per round."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def record(
        self, run_id: str, round_: int, found: Iterable[Finding], actor: Actor, now: float
    ) -> bool:
        """Store a round's findings once; a second set for the same round is ignored."""
        key = str(round_)
        if not events.append(self._conn, run_id, EventType.FINDINGS_RECORDED, key, actor, {}, now):
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
            self._conn.execute(findings.insert(), rows)
        return True

    def by_round(self, run_id: str) -> dict[int, tuple[Finding, ...]]:
        """The findings by round; a round nobody looked at is missing.

        A consensus point that one participant alone made is none, whoever gave it (C20).
        """
        looked_at = events.history(self._conn, run_id, EventType.FINDINGS_RECORDED)
        rounds: dict[int, list[Finding]] = {int(event.key): [] for event in looked_at}
        query = select(findings).where(findings.c.run_id == run_id)
        for row in self._conn.execute(
            query.order_by(findings.c.round, findings.c.kind, findings.c.ordinal)
        ):
            if row.kind is FindingKind.CONSENSUS and len(set(row.made_by)) == 1:
                continue
            rounds.setdefault(row.round, []).append(Finding(row.kind, row.text, tuple(row.made_by)))
        return {number: tuple(found) for number, found in sorted(rounds.items())}
