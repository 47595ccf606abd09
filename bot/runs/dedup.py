"""Does the topic already have a run? Checks the store first, then thread titles."""

from bot.meeting.dependencies import Dependencies
from bot.record.place import place_of
from bot.request import thread_title, topic_key
from bot.runs.start import StartRequest, StartResult
from bot.stage.port import Destination, Place
from bot.store.repositories import runs
from bot.store.repositories.runs import Run, TopicPlace

_REMEMBERED_SECONDS = 24 * 3600.0


def topic_thread(summons: StartRequest, destination: Destination) -> TopicPlace:
    """What makes two requests the same: server, channel, mode and normalised topic."""
    request = summons.request
    return TopicPlace(
        summons.guild_id, destination.channel_id, request.mode, topic_key(request.topic)
    )


async def find_open_run(
    tools: Dependencies, summons: StartRequest, destination: Destination
) -> StartResult | None:
    """The roundtable that serves this request already, or None."""
    since = tools.store.now() - _REMEMBERED_SECONDS
    place = topic_thread(summons, destination)
    run = await tools.store.read(lambda conn: runs.find_recent(conn, place, since))
    if run is not None and await _still_counts(tools, run):
        return StartResult(run.id, place_of(run), reused=True)
    if run is not None:
        return None
    title = thread_title(summons.request.topic, summons.request.mode)
    titled = await tools.stage.find_thread(destination, title, since)
    if titled is None or await _is_ours(tools, titled):
        return None
    return StartResult("", titled, reused=True)


async def _is_ours(tools: Dependencies, place: Place) -> bool:
    """The store has judged its own threads already; titles speak only for unknown ones (2.2#12)."""
    return await tools.store.read(lambda conn: runs.by_thread(conn, place.target_id)) is not None


async def _still_counts(tools: Dependencies, run: Run) -> bool:
    """A thread that is archived or deleted does not count (E27)."""
    return run.finished_at is None or await tools.stage.is_alive(place_of(run))
