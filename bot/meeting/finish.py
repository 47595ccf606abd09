"""Ends a run's attempt and the run in one transaction."""

import logging

from sqlalchemy import Connection

from bot.meeting.context import RunContext
from bot.messages.meeting import MeetingText
from bot.record.place import place_of
from bot.stage.cleaning import short_line
from bot.stage.port import THE_BOT, Place, Post
from bot.store import Actor, AttemptStatus, EventType, Phase, move
from bot.store.log import events
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.runs import Run, RunRepository


def end_run(
    conn: Connection, run_id: str, status: AttemptStatus, phase: Phase, reason: str, now: float
) -> Run:
    """End the attempt and move the run; a run that has ended stays as it is."""
    run = RunRepository(conn).require(run_id)
    if run.finished_at is not None:
        return run
    if run.attempt:
        AttemptRepository(conn).finish(run.id, run.attempt, status, reason, Actor.ORCHESTRATOR, now)
    return move(conn, run.id, run.phase, phase, Actor.ORCHESTRATOR, reason, now)


_log = logging.getLogger(__name__)

_TOPIC_LIMIT = 100


async def tell_starter(meeting: RunContext, key: str, text: str) -> None:
    """Say it in the thread, else in the channels of the run, else in private; raises nothing.

    When nobody can be reached it is logged and kept for `roundtable check`.
    """
    run, text = meeting.run, meeting.mask.text(text)
    topic = short_line(run.topic, _TOPIC_LIMIT)
    elsewhere = MeetingText.said_elsewhere(text, run.id, topic)
    channels = (place_of(run).channel_id, run.trigger_channel_id)
    others = [Place(run.guild_id, channel) for channel in dict.fromkeys(channels)]
    told = await meeting.tools.stage.tell(
        run.id,
        Post(key, THE_BOT, text, untrusted=False),
        [meeting.place, *(place for place in others if place.target_id != meeting.place.target_id)],
        Post(key, THE_BOT, elsewhere, untrusted=False, ping_user_id=run.starter_id),
    )
    if not told:
        _log.error("%s: the failure could not be posted anywhere: %s", run.id, text)
        await _keep_untold(meeting, key)


async def _keep_untold(meeting: RunContext, key: str) -> None:
    def work(conn: Connection) -> None:
        now, notice = meeting.tools.store.now(), EventType.RUN_NOTICE
        payload = {"untold": True}
        events.append(
            conn, meeting.run.id, notice, f"untold:{key}", Actor.ORCHESTRATOR, payload, now
        )

    try:
        await meeting.tools.store.write(work)
    except Exception:
        _log.exception("%s: the failure could not be stored either", meeting.run.id)
