"""How long runs take, learned from those that were concluded."""

import statistics

from sqlalchemy import Connection, bindparam, select

from bot.request.modes import Mode
from bot.store.tables import runs
from bot.store.vocabulary import Phase

REMEMBERED = 20

_LATEST = (
    select(runs.c.created_at, runs.c.finished_at, runs.c.request)
    .where(
        runs.c.mode == bindparam("mode"),
        runs.c.phase == bindparam("concluded", Phase.COMPLETED),
        runs.c.finished_at.is_not(None),
    )
    .order_by(runs.c.created_at.desc())
    .limit(2 * REMEMBERED)
)


def usual_seconds(conn: Connection, mode: Mode, *, quick: bool) -> float | None:
    """The median of the latest concluded runs of a mode; None while there were none."""
    latest = conn.execute(_LATEST, {"mode": mode})
    alike = [row for row in latest if bool(row.request.get("quick")) is quick]
    took = [row.finished_at - row.created_at for row in alike[:REMEMBERED]]
    return statistics.median(took) if took else None
