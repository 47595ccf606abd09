"""The files of an ended run: written after its end, and retried until that is recorded."""

import asyncio
import logging

from bot.council.exports import file_stem, roundtables_folder, stems_on_disk, write_files
from bot.council.meeting import Meeting
from bot.council.reading import read_record
from bot.council.record import RunRecord
from bot.council.shown import read_shown
from bot.council.telling import tell
from bot.errors import UnavailableError, UserError
from bot.messages.conclusion import ConclusionText
from bot.messages.library import LibraryText
from bot.store import Actor, EventType, events, files
from bot.store.run_lists import files_key

log = logging.getLogger(__name__)


async def export_or_say_why_not(meeting: Meeting) -> RunRecord:
    """Files can be rebuilt at any time, so a full disk must not cost the run its ending."""
    try:
        return await export(meeting)
    except UserError as error:
        await tell(meeting, f"files@{meeting.run.attempt}", ConclusionText.warned(error.text))
    except Exception:
        log.exception("%s: its files could not be written", meeting.run.id)
    return await read_record(meeting.tools.store, meeting.run.id)


async def export(meeting: Meeting) -> RunRecord:
    """Write the run's files under a name of their own, and note that they are there.

    Files that a kill prevented are written at the next start, for nothing notes them.
    """
    record = await _write_files(meeting)
    store, run = meeting.tools.store, meeting.run
    written, key = EventType.EXPORT_WRITTEN, files_key(run.attempt)
    await store.write(
        lambda conn: events.append(conn, run.id, written, key, Actor.ORCHESTRATOR, {}, store.now())
    )
    return record


async def _write_files(meeting: Meeting) -> RunRecord:
    record = await read_shown(meeting.tools.store, meeting.run.id)
    folder = roundtables_folder(meeting.tools.home)
    try:
        stem = await _stem(meeting, record)
        async with meeting.tools.exporting:
            await asyncio.to_thread(write_files, folder, stem, record)
    except OSError as error:
        raise UnavailableError(
            LibraryText.files_not_written(error.strerror or type(error).__name__)
        ) from error
    return record


async def _stem(meeting: Meeting, record: RunRecord) -> str:
    """The file name, reserved in the store so that two runs never share one."""
    base = file_stem(record)
    on_disk = await asyncio.to_thread(stems_on_disk, roundtables_folder(meeting.tools.home))
    return await meeting.tools.store.write(
        lambda conn: files.reserve(conn, meeting.run.id, base, on_disk)
    )
