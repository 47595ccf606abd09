"""`--context-from`: an earlier conclusion as context, only for those who may read it."""

from dataclasses import replace

from bot.council.summons import Summons
from bot.council.tools import Tools
from bot.store import files
from bot.store.runs import Run

NOT_FOUND = (
    "`--context-from {slug}` was not found, so this roundtable starts without it: "
    "use the name of a file in memory/roundtables."
)


async def with_context(tools: Tools, summons: Summons) -> Summons:
    """The summons with the run it builds on, or with a notice that there is none (E109)."""
    slug = summons.request.context_from
    if slug is None or summons.context_run is not None:
        return summons
    found = await tools.store.read(lambda conn: files.find_run(conn, slug, summons.guild_id))
    if found is not None and await _may_build_on(tools, summons, found):
        return replace(summons, context_run=found.id)
    notices = (*summons.request.notices, NOT_FOUND.format(slug=slug))
    return replace(summons, request=replace(summons.request, notices=notices))


async def _may_build_on(tools: Tools, summons: Summons, run: Run) -> bool:
    place = run.thread_id or run.output_channel_id
    return await tools.stage.may_read(summons.asker.id, run.guild_id, place)
