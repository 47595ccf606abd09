"""Carries one run from its last recorded fact to its end; calling it again goes on."""

import asyncio
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from bot.council.conclusion import conclusion_text, ending_line
from bot.council.designing import freeze_design
from bot.council.exports import file_stem, roundtables_folder, stems_on_disk, write_files
from bot.council.meeting import Meeting
from bot.council.minutes import minutes_text
from bot.council.reading import read_record
from bot.council.record import RunRecord
from bot.council.rounds import hold_round
from bot.council.synthesis import write_synthesis
from bot.errors import UnavailableError
from bot.request import thread_title, topic_slug
from bot.stage.port import THE_BOT, Attachment, Opening, Place, Post
from bot.store import (
    Actor,
    ArtifactKind,
    AttemptStatus,
    EventType,
    Phase,
    artifacts,
    attempts,
    files,
    move,
    runs,
)
from bot.store.runs import Run

NOBODY_ANSWERED = "0 agents responded: no panelist answered, so start it again in a moment"
NO_CONCLUSION = "the conclusion could not be written, so start it again in a moment"


class RunFailedError(Exception):
    """The run cannot go on; the text says why in words for people."""


async def open_place(meeting: Meeting, notices: tuple[str, ...] = ()) -> None:
    """Post the anchor and make the thread, once."""
    run = meeting.run

    async def work() -> Place:
        opening = Opening(
            run_id=run.id,
            guild_id=run.guild_id,
            channel_id=run.output_channel_id,
            thread_id=run.request.get("thread_id"),
            starter_id=run.starter_id,
            topic=run.topic,
            title=thread_title(run.topic, run.mode),
            mode=run.mode.value,
        )
        return await meeting.tools.stage.open(opening)

    def record(conn: Connection, place: Place) -> Mapping[str, Any]:
        runs.set_place(conn, run.id, place.anchor_id, place.thread_id, meeting.tools.store.now())
        return {
            "channel_id": place.channel_id,
            "thread_id": place.thread_id,
            "anchor_id": place.anchor_id,
            "notices": [*notices, *place.notices],
        }

    payload = await meeting.journal.once(EventType.PLACE_OPENED, "place", work, record)
    meeting.place = Place(
        run.guild_id,
        payload["channel_id"],
        payload["thread_id"],
        payload["anchor_id"],
        tuple(payload["notices"]),
    )


async def advance(meeting: Meeting) -> None:
    """Hold the meeting to its end."""
    await open_place(meeting)
    await meeting.open_card()
    await meeting.reach(Phase.SPEC_REVIEW, "the request is complete")
    meeting.show("the panel is being seated …")
    await freeze_design(meeting)
    await meeting.reach(Phase.EXECUTING, "the panel is seated")
    for number in range(1, meeting.designed.rounds + 1):
        meeting.show(f"round {number} of {meeting.designed.rounds}: the panel is thinking …")
        await hold_round(meeting, number)
    await _conclude(meeting)


async def _conclude(meeting: Meeting) -> None:
    record = await read_record(meeting.tools.store, meeting.run.id)
    if not any(speech.spoke for speech in record.speeches):
        raise RunFailedError(NOBODY_ANSWERED)
    meeting.show("the conclusion is being written …")
    reply = await write_synthesis(meeting)
    if not reply.ok:
        raise RunFailedError(NO_CONCLUSION)
    await meeting.reach(Phase.SPEC_GATE, "the draft is stored")
    await meeting.reach(Phase.QUALITY_GATE, "no validation was asked for")
    record = await read_record(meeting.tools.store, meeting.run.id)
    post = Post(
        key="conclusion",
        speaker=THE_BOT,
        text=conclusion_text(record),
        attachments=(await _minutes(meeting, record),),
        ping_user_id=record.starter_id,
    )
    await meeting.say(post)
    await close_run(meeting, AttemptStatus.SUCCEEDED, Phase.COMPLETED, "concluded")
    await export(meeting)
    done = await read_record(meeting.tools.store, meeting.run.id)
    await meeting.close_card(ending_line(done), succeeded=True)


async def end_badly(meeting: Meeting, reason: str, text: str, *, aborted: bool) -> None:
    """End a run that was stopped or failed: say so, keep what was said, write the files."""
    status = AttemptStatus.ABORTED if aborted else AttemptStatus.FAILED
    await close_run(meeting, status, Phase.FAILED, reason)
    await export(meeting)
    await meeting.say(Post("ending", THE_BOT, text, untrusted=False))
    record = await read_record(meeting.tools.store, meeting.run.id)
    await meeting.close_card(ending_line(record), succeeded=False)


async def close_run(meeting: Meeting, status: AttemptStatus, phase: Phase, reason: str) -> None:
    """End the attempt and the run in one transaction; a run that has ended stays as it is."""
    store = meeting.tools.store

    def work(conn: Connection) -> Run:
        run = runs.require(conn, meeting.run.id)
        if run.finished_at is not None:
            return run
        now = store.now()
        if run.attempt:
            attempts.finish(conn, run.id, run.attempt, status, reason, Actor.ORCHESTRATOR, now)
        return move(conn, run.id, run.phase, phase, Actor.ORCHESTRATOR, reason, now)

    meeting.run = await store.write(work)


async def _minutes(meeting: Meeting, record: RunRecord) -> Attachment:
    """Keep the minutes as an artifact, so that a repeated send attaches the same bytes."""
    name = f"minutes-{topic_slug(record.topic)}.md"
    store = meeting.tools.store
    artifact = await store.write(
        lambda conn: artifacts.record(
            conn,
            meeting.run.id,
            meeting.run.attempt,
            ArtifactKind.PRIMARY_OUTPUT,
            name,
            minutes_text(record),
            Actor.ORCHESTRATOR,
            store.now(),
        )
    )
    return Attachment(name, artifact.id)


async def export(meeting: Meeting) -> None:
    """Write the run's files under a name of their own; they can be rebuilt at any time."""
    record = await read_record(meeting.tools.store, meeting.run.id)
    folder = roundtables_folder(meeting.tools.home)
    stem = await _stem(meeting, record)
    try:
        await asyncio.to_thread(write_files, folder, stem, record)
    except OSError as error:
        raise UnavailableError(
            f"The files of this roundtable could not be written ({error.strerror}): free some "
            "space or mend the folder's rights, then run `roundtable export`."
        ) from error


async def _stem(meeting: Meeting, record: RunRecord) -> str:
    """The file name, reserved in the store so that two runs never share one."""
    base = file_stem(record)
    on_disk = await asyncio.to_thread(stems_on_disk, roundtables_folder(meeting.tools.home))
    return await meeting.tools.store.write(
        lambda conn: files.reserve(conn, meeting.run.id, base, on_disk)
    )
