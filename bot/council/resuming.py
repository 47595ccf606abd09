"""Resumes the runs that an earlier process left unfinished."""

from sqlalchemy import Connection

from bot.council.rooms import Rooms
from bot.store import WAITING_FOR_PEOPLE, Store, approvals, ballots, run_lists, specs
from bot.store.runs import Run

FILES_LOOKED_FOR = 7 * 86_400.0
MOST_FILES_WRITTEN = 200


async def resume_all(rooms: Rooms) -> int:
    """Go on with every run that a restart interrupted; returns how many there were."""
    with rooms.sessions.opening():
        return await _resume_all(rooms)


async def _resume_all(rooms: Rooms) -> int:
    store = rooms.tools.store
    await rooms.tools.prices.load()
    unfinished = await store.read(run_lists.unfinished)
    resting = {run_id for run_id, _ in await store.read(specs.waiting)}
    for run in unfinished:
        if run.id in rooms.sessions or run.id in resting:
            continue
        if run.phase not in WAITING_FOR_PEOPLE or await _may_go_on(store, run):
            rooms.sessions.launch(rooms.hall.meeting(run), resumed=True)
    if await store.read(_approvals_under_way):
        await rooms.approvals.resume_all()
    if await store.read(ballots.untold):
        await rooms.people.watch()
    await _write_missing_files(rooms)
    return len(unfinished)


async def _may_go_on(store: Store, run: Run) -> bool:
    """Whether a kill came between an approved effect and what was to follow it."""
    return await store.read(lambda conn: approvals.gate_is_open(conn, run.id))


async def _write_missing_files(rooms: Rooms) -> None:
    """A kill between the end of a run and its files leaves them to the next start."""
    store = rooms.tools.store
    since, most = store.now() - FILES_LOOKED_FOR, MOST_FILES_WRITTEN
    for run in await store.read(lambda conn: run_lists.without_files(conn, since, most)):
        await rooms.hall.write_files(rooms.hall.meeting(run))


async def give_up_unfinished(rooms: Rooms, reason: str) -> None:
    """End in the store alone what an earlier process left, because its place is gone."""
    for run in await rooms.tools.store.read(run_lists.unfinished):
        await rooms.hall.give_up(rooms.hall.meeting(run), reason)
    if await rooms.tools.store.read(ballots.untold):
        await rooms.people.give_up()


def _approvals_under_way(conn: Connection) -> bool:
    return bool(approvals.pending(conn) or approvals.unfinished(conn))
