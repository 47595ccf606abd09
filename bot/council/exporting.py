"""Rebuilds the files of every finished run from the store, without a bot."""

import asyncio
from pathlib import Path

from sqlalchemy import Connection

from bot.council.discussions.writing import Folder
from bot.council.exports import file_stem, roundtables_folder, stems_on_disk, write_files
from bot.council.facts import load_facts
from bot.council.mask import mask_of
from bot.council.reading import record_of
from bot.council.record import RunRecord
from bot.store import DATABASE, Store, discussions, files, run_lists
from bot.store.backend import Where


async def export_everything(
    home: Path, database: Where | None = None, conclusions: Path | None = None
) -> int:
    """Write the files of all finished meetings and discussions; returns how many there were."""
    store = await Store.open(database or home / DATABASE)
    try:
        finished = [run for run in await store.read(run_lists.finished) if run.topic]
        for run in finished:
            await _export(store, home, run.id)
        held = await store.read(discussions.with_conclusion)
        folder = Folder(store, conclusions or roundtables_folder(home))
        for discussion in held:
            await folder.write(discussion)
    finally:
        await store.close()
    return len(finished) + len(held)


async def _export(store: Store, home: Path, run_id: str) -> None:
    folder = roundtables_folder(home)
    on_disk = await asyncio.to_thread(stems_on_disk, folder)

    def work(conn: Connection) -> tuple[str, RunRecord]:
        facts = load_facts(conn, run_id)
        record = mask_of(conn, facts.run).record(record_of(facts, store.now()))
        return files.reserve(conn, run_id, file_stem(record), on_disk), record

    stem, record = await store.write(work)
    await asyncio.to_thread(write_files, folder, stem, record)
