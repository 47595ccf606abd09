"""Where a run is shown: its anchor and thread, and what its card says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection

from bot.meeting.context import RunContext
from bot.messages.decisions import EarlierText
from bot.messages.meeting import CardText, MeetingText
from bot.messages.money import MoneyText
from bot.messages.votes import BallotText
from bot.money.estimate import usd_words
from bot.record.loader import earlier_run
from bot.record.record import RunRecord, stance_text
from bot.record.run_rows import title_of
from bot.request import thread_title
from bot.stage.port import THE_BOT, Destination, Opening, Place, Post
from bot.store import EventType
from bot.store.log import events
from bot.store.repositories.calls import CallRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor

_TITLE_LIMIT: Final = 100


async def show_expectation(ctx: RunContext) -> None:
    """Say when the run will probably be over, and what people should know from the start.

    It takes as long as its like took, or its limit; stand-ins come nowhere near the limit, so
    without a like of theirs nothing is said. A flag that another one cancels is named.
    """
    store, run = ctx.deps.store, ctx.run
    quick = bool(run.request.get("quick"))
    usual = await ctx.deps.expectations.usual(store, run.mode, quick=quick)
    began = run.created_at if run.attempt <= 1 else store.now()
    limit = ctx.config.timeouts.longest_run
    if usual is None and ctx.deps.resolution().rehearsal:
        ctx.show(started_at=began)
    else:
        ctx.show(started_at=began, expected_at=began + min(usual or limit, limit))
    for notice in (*run.request.get("notices", ()), *await earlier_notice(ctx)):
        ctx.notice(notice)


async def earlier_notice(ctx: RunContext) -> tuple[str, ...]:
    """Which roundtable this one builds on or challenges, unless it was forgotten."""
    known = ctx.run.request.get("context_run")
    if known is None:
        return ()
    found = await ctx.deps.store.read(lambda conn: RunRepository(conn).get(known))
    earlier = earlier_run(ctx.run, found if found and found.topic else None)
    if found is None or earlier is None:
        return ()
    return (EarlierText.on_card(earlier.why, earlier.thread_id, title_of(found, _TITLE_LIMIT)),)


def show_measure(ctx: RunContext, record: RunRecord) -> None:
    """Show how far the panel agrees, or the current vote."""
    if record.tallies:
        ctx.show(measure=BallotText.verdict_so_far(record.tallies[-1].verdict))
    else:
        ctx.show(measure=stance_text(record))


async def show_cost(ctx: RunContext) -> None:
    """Say what was spent so far, beside the estimate; a rehearsal has nothing to say."""
    design = ctx.design
    if design is None or design.rehearsal:
        return
    store, run_id = ctx.deps.store, ctx.run.id
    spent = await store.read(lambda conn: CallRepository(conn).spent(run_id))
    so_far = MoneyText.spent_words(spent.known_usd, spent.unpriced_calls)
    estimate = design.estimate
    expected = usd_words(estimate) if estimate.most_usd else ""
    ctx.show(cost=CardText.spent(so_far, expected))


def opening_of(run: Run, mode: str, thread_id: int | None = None) -> Opening:
    """What the stage must know to make the run's thread, or to take the one there is."""
    return Opening(
        run_id=run.id,
        guild_id=run.guild_id,
        channel_id=run.output_channel_id,
        thread_id=thread_id,
        starter_id=run.starter_id,
        topic=run.topic,
        title=thread_title(run.topic, run.mode),
        mode=mode,
    )


async def revise_anchor(ctx: RunContext, outcome: str = "") -> None:
    """Let the post in the channel end with the outcome; without one the run is under way."""
    run = ctx.run
    lost = await ctx.journal.history(EventType.PLACE_LOST)
    thread_id = lost[-1].payload["thread_id"] if lost else run.request.get("thread_id")
    opening = opening_of(run, run.mode.value, thread_id)
    await ctx.deps.stage.revise_anchor(replace(opening, number=len(lost) + 1, outcome=outcome))


async def open_run_thread(ctx: RunContext, notices: tuple[str, ...] = ()) -> None:
    """Post the anchor and make the thread, once for every place the run had to have."""
    if ctx.placed:
        return
    run, store = ctx.run, ctx.deps.store
    lost = await ctx.journal.history(EventType.PLACE_LOST)
    number = len(lost) + 1
    thread_id = lost[-1].payload["thread_id"] if lost else run.request.get("thread_id")

    async def work() -> Place:
        opening = opening_of(run, run.mode.value, thread_id)
        return await ctx.deps.stage.open(replace(opening, number=number))

    def record(conn: Connection, place: Place) -> Mapping[str, Any]:
        RunRepository(conn).set_place(run.id, place.anchor_id, place.thread_id, store.now())
        return {
            "channel_id": place.channel_id,
            "thread_id": place.thread_id,
            "anchor_id": place.anchor_id,
            "notices": [*notices, *place.notices],
        }

    key = "place" if number == 1 else f"place#{number}"
    payload = await ctx.journal.once(EventType.PLACE_OPENED, key, work, record)
    ctx.place = _place(run, payload, number)
    if number > 1:
        await ctx.say(Post(f"moved@{number}", THE_BOT, MeetingText.MOVED, untrusted=False))
    ctx.placed = True


def move_run_thread(conn: Connection, run: Run, destination: Destination, now: float) -> Run:
    """Remember that the run's place is gone and where the next one is to be opened."""
    number = len(events.history(conn, run.id, EventType.PLACE_LOST)) + 1
    payload = {"channel_id": destination.channel_id, "thread_id": destination.thread_id}
    lost, actor = EventType.PLACE_LOST, Actor.ORCHESTRATOR
    events.append(conn, run.id, lost, str(number), actor, payload, now)
    RunRepository(conn).set_channel(run.id, destination.channel_id, now)
    return RunRepository(conn).require(run.id)


def _place(run: Run, payload: Mapping[str, Any], number: int) -> Place:
    return Place(
        run.guild_id,
        payload["channel_id"],
        payload["thread_id"],
        payload["anchor_id"],
        tuple(payload["notices"]),
        number,
    )
