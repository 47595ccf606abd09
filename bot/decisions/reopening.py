"""Looking at a decision again because something is new, and linking what came out of that."""

from dataclasses import replace
from typing import Final

from bot.errors import UsageError
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.meeting.finish import tell_starter
from bot.meeting.spec import stored_request
from bot.messages.decisions import ReopenText
from bot.record.run_rows import place_of
from bot.reports.files import export_or_report
from bot.request import Request
from bot.stage.port import THE_BOT, Post
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.types.characters import clean

NEWS_LIMIT: Final = 1500


def reopening(run: Run, news: str) -> Request:
    """The request that asks the same again, with what is new."""
    told = clean(news).strip()
    if not told:
        raise UsageError(ReopenText.NOTHING_NEW)
    if len(told) > NEWS_LIMIT:
        raise UsageError(ReopenText.too_long(len(told), NEWS_LIMIT))
    asked = replace(stored_request(run), context_from=None, offers_build=False, notices=())
    return replace(asked, reopens=True, news=told)


async def supersede(ctx: RunContext) -> None:
    """Say in both threads that this conclusion replaces an earlier one, each once."""
    deps, run = ctx.deps, ctx.run
    old = await _reopened(deps, run)
    if old is None:
        return  # it was forgotten meanwhile
    now = deps.store.now()
    await deps.store.write(
        lambda conn: DecisionRepository(conn).supersede(old.id, old.guild_id, run.id, now)
    )
    text = ReopenText.supersedes(place_of(old).target_id)
    await ctx.say(Post("supersedes", THE_BOT, text, untrusted=False))
    before = RunContext(old, deps)
    replaced = ReopenText.superseded(ctx.place.target_id)
    await tell_starter(before, f"superseded:{run.id}", replaced)
    await export_or_report(before)


async def _reopened(deps: Dependencies, run: Run) -> Run | None:
    known = run.request.get("context_run")
    if not known:
        return None
    old = await deps.store.read(lambda conn: RunRepository(conn).get(known))
    return old if old and old.topic else None
