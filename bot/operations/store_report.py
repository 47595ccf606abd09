"""What `roundtable check` says about the database; it looks without locking or changing it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bot.messages.operations import CheckText
from bot.store import DATABASE
from bot.store.migrations import STEPS, too_new
from bot.store.sqlite import ELSEWHERE, damaged, explain

_UNTOLD = """
SELECT runs.id, runs.status_reason FROM runs JOIN events ON events.run_id = runs.id
WHERE events.type = 'run.notice' AND events.key LIKE 'untold:%' AND runs.phase = 'failed'
GROUP BY runs.id ORDER BY max(events.id)
"""


def database_faults(home: Path) -> tuple[str, ...]:
    """Why the database cannot be used, if there is one and it cannot."""
    path = home / DATABASE
    if not path.is_file():
        return ()
    try:
        with _looking_at(path) as file:
            sound = file.execute("PRAGMA quick_check(1)").fetchone()
            (version,) = file.execute("SELECT max(version) FROM schema_version").fetchone()
    except sqlite3.Error as error:
        return (str(explain(error, str(path))),)
    if sound != ("ok",):
        return (damaged(path).text,)
    return (too_new(version, STEPS, ELSEWHERE).text,) if version > STEPS[-1].number else ()


def untold_lines(home: Path) -> Iterator[str]:
    """Runs that failed when nobody could be reached to be told so."""
    path = home / DATABASE
    if not path.is_file() or database_faults(home):
        return
    with _looking_at(path) as file:
        found = file.execute(_UNTOLD).fetchall()
    for run_id, reason in found:
        yield CheckText.unreported(run_id, reason)


def _looking_at(path: Path) -> "closing[sqlite3.Connection]":
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5))
