"""Rebuilds the files of every finished run from the store, without a bot."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from sqlalchemy import Connection

from bot.discussions.document import ConclusionFolder
from bot.record.loader import DamagedRunError, naming_damaged_run, record_of
from bot.record.masking import mask_of
from bot.record.record import RunRecord
from bot.record.run_rows import load_run_rows
from bot.reports.files import file_stem, roundtables_folder, stems_on_disk, write_files
from bot.store import DATABASE, Store
from bot.store.engine.backend import Where
from bot.store.repositories.artifacts import FileRepository
from bot.store.repositories.discussions import DiscussionRepository
from bot.store.repositories.run_lists import RunListRepository


def _ignore(_: str) -> None:
    """For callers that ignore what was left out."""


async def export_everything(
    home: Path,
    database: Where | None = None,
    conclusions: Path | None = None,
    left_out: Callable[[str], None] = _ignore,
) -> int:
    """Write the files of all finished runs and discussions; returns how many.

    Unreadable runs are reported to `left_out`, one sentence each.
    """
    store = await Store.open(database or home / DATABASE)
    try:
        finished = [
            run
            for run in await store.scan(lambda conn: RunListRepository(conn).finished())
            if run.topic
        ]
        held = await store.scan(lambda conn: DiscussionRepository(conn).ended())
        folder = ConclusionFolder(store, conclusions or roundtables_folder(home))
        meetings = [await _written(r.id, _export(store, home, r.id), left_out) for r in finished]
        talks = [await _written(d.run.id, folder.write(d), left_out) for d in held]
        return sum(meetings) + sum(talks)
    finally:
        await store.close()


async def _written(run_id: str, work: Awaitable[object], left_out: Callable[[str], None]) -> bool:
    try:
        with naming_damaged_run(run_id):
            await work
    except DamagedRunError as error:
        left_out(error.text)
        return False
    return True


async def _export(store: Store, home: Path, run_id: str) -> None:
    folder = roundtables_folder(home)
    on_disk = await asyncio.to_thread(stems_on_disk, folder)

    def work(conn: Connection) -> tuple[str, RunRecord]:
        facts = load_run_rows(conn, run_id)
        record = mask_of(conn, facts.run).record(record_of(facts, store.now()))
        return FileRepository(conn).reserve(run_id, file_stem(record), on_disk), record

    stem, record = await store.write(work)
    await asyncio.to_thread(write_files, folder, stem, record)
