"""`--context-from`: an earlier conclusion as context, only for those who may read it."""

from dataclasses import replace

from bot.council.readers import Reader, Readers
from bot.council.summons import Summons
from bot.council.tools import Tools
from bot.messages.starting import AdmissionText
from bot.store import runs


async def with_context(tools: Tools, summons: Summons) -> Summons:
    """The request with the run it builds on, or with a note that it was not found (E109)."""
    readers = Readers(tools)
    reader = Reader(summons.asker, summons.guild_id, summons.channel_id)
    slug, challenged = summons.request.context_from, summons.context_run
    if challenged is not None:
        run = await tools.store.read(lambda conn: runs.get(conn, challenged))
        if await readers.readable(reader, () if run is None else (run,)):
            return summons
        return _told(replace(summons, context_run=None), AdmissionText.NOTHING_TO_CHALLENGE)
    if slug is None:
        return summons
    found = await readers.named(reader, slug)
    if found is None:
        return _told(summons, AdmissionText.no_context(slug))
    return replace(summons, context_run=found.id)


def _told(summons: Summons, notice: str) -> Summons:
    notices = (*summons.request.notices, notice)
    return replace(summons, request=replace(summons.request, notices=notices))
