"""Which threads may have unread messages from the time the bot was offline (discord.md 1.3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.store import inbound, posts, run_lists
from bot.store.runs import Run

MOST_THREADS: Final = 50
REMEMBERED_SECONDS: Final = 7 * 24 * 3600.0
"""As long as a quiet thread stays open by default."""
MARGIN_SECONDS: Final = 120.0
"""What was said shortly before the bot fell silent may have been lost with it."""
_EPOCH: Final = 1_420_070_400.0
_TIME_BITS: Final = 22


@dataclass(frozen=True, slots=True)
class Unread:
    """A thread whose history is read after a message id; `live` while its meeting is not over."""

    guild_id: int
    thread_id: int
    after: int
    live: bool


def unread_threads(
    conn: Connection, now: float, away_since: float | None = None
) -> tuple[Unread, ...]:
    """The threads to look into, live ones first, then those that were held last.

    Without `away_since` the last sign of life in each thread says when the bot went away.
    """
    live = [run for run in run_lists.unfinished(conn) if run.thread_id]
    over = run_lists.finished_since(conn, now - REMEMBERED_SECONDS, MOST_THREADS)
    return tuple(_unread(conn, run, away_since) for run in _one_per_thread([*live, *over]))


def moment_id(seconds: float) -> int:
    """The smallest id Discord would give to a message at a moment."""
    return max(0, int((seconds - _EPOCH) * 1000)) << _TIME_BITS


def _one_per_thread(found: Iterable[Run]) -> list[Run]:
    threads = {run.thread_id: run for run in reversed(list(found)) if run.thread_id}
    return list(reversed(threads.values()))[:MOST_THREADS]


def _unread(conn: Connection, run: Run, away_since: float | None) -> Unread:
    thread_id = run.thread_id or 0
    if away_since is None:
        seen = max(inbound.newest_of_run(conn, run.id), posts.newest_in(conn, thread_id))
        after = seen - moment_id(_EPOCH + MARGIN_SECONDS)
    else:
        after = moment_id(away_since - MARGIN_SECONDS)
    live = run.finished_at is None
    return Unread(run.guild_id, thread_id, max(after, thread_id), live)
