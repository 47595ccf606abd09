"""The end of a run: close its attempt, tell its starter, unmask its panel."""

import logging
from collections.abc import Sequence

from sqlalchemy import Connection

from bot.meeting.context import RunContext
from bot.messages.meeting import MaskText, MeetingText
from bot.record.loader import read_record
from bot.record.masking import MASKED, UNMASKED, is_lifted
from bot.record.record import RunRecord
from bot.record.run_rows import MASK_KEY, other_names, place_of
from bot.stage.cleaning import clean_text, short_line
from bot.stage.port import THE_BOT, Place, Post, PostButton
from bot.store import AttemptStatus, EventType, Phase, move
from bot.store.log import events
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import Seat, SeatRepository
from bot.store.vocabulary import Actor
from bot.types.mode import Mode

_log = logging.getLogger(__name__)
_TOPIC_LIMIT = 100
_LINE_LIMIT = 200


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


async def tell_starter(
    ctx: RunContext,
    key: str,
    text: str,
    *,
    buttons: tuple[PostButton, ...] = (),
    ping: bool = False,
) -> None:
    """Say it in the thread, else in the channels of the run, else in private; raises nothing.

    When nobody can be reached it is logged and kept for `roundtable check`. Buttons stand in the
    thread alone.
    """
    run, text = ctx.run, ctx.mask.text(text)
    topic = short_line(run.topic, _TOPIC_LIMIT)
    elsewhere = MeetingText.said_elsewhere(text, run.id, topic)
    channels = (place_of(run).channel_id, run.trigger_channel_id)
    others = [Place(run.guild_id, channel) for channel in dict.fromkeys(channels)]
    told = await ctx.deps.stage.tell(
        run.id,
        Post(
            key,
            THE_BOT,
            text,
            untrusted=False,
            buttons=buttons,
            ping_user_id=run.starter_id if ping else None,
        ),
        [ctx.place, *(place for place in others if place.target_id != ctx.place.target_id)],
        Post(key, THE_BOT, elsewhere, untrusted=False, ping_user_id=run.starter_id),
    )
    if not told:
        _log.error("%s: the failure could not be posted anywhere: %s", run.id, text)
        await _keep_untold(ctx, key)


async def _keep_untold(ctx: RunContext, key: str) -> None:
    def work(conn: Connection) -> None:
        now, notice = ctx.deps.store.now(), EventType.RUN_NOTICE
        payload = {"untold": True}
        events.append(conn, ctx.run.id, notice, f"untold:{key}", Actor.ORCHESTRATOR, payload, now)

    try:
        await ctx.deps.store.write(work)
    except Exception:
        _log.exception("%s: the failure could not be stored either", ctx.run.id)


async def unmask_after_conclusion(ctx: RunContext) -> None:
    """In a vote the panel stays masked until people have voted again; otherwise reveal it now."""
    if ctx.run.mode is not Mode.VOTE:
        await unmask(ctx)


async def unmask(ctx: RunContext) -> None:
    """Reveal the panel, once; from then on the real names are shown."""
    run, store, stage = ctx.run, ctx.deps.store, ctx.deps.stage
    if not run.request.get(MASKED):
        return
    panel = await store.read(lambda conn: SeatRepository(conn).of_run(run.id))
    if not panel:
        return
    await _lift(ctx)
    record = await read_record(store, run.id)
    if not await stage.is_gone(ctx.place):
        await ctx.say(Post("reveal", THE_BOT, _text(run, panel, record), untrusted=False))


async def _lift(ctx: RunContext) -> None:
    store, run_id = ctx.deps.store, ctx.run.id
    now, lifted = store.now(), EventType.MASK_LIFTED
    if not await store.read(lambda conn: is_lifted(conn, run_id)):
        await store.write(
            lambda conn: events.append(conn, run_id, lifted, MASK_KEY, Actor.ORCHESTRATOR, {}, now)
        )
    ctx.mask = UNMASKED


def _text(run: Run, panel: Sequence[Seat], record: RunRecord) -> str:
    names = other_names(run, panel)
    rows = [
        (names[seat.role], clean_text(seat.role), _models(seat, record))
        for seat in sorted(panel, key=lambda seat: names[seat.role])
    ]
    return MaskText.who_was_who(rows)


def _models(seat: Seat, record: RunRecord) -> str:
    """The models that really spoke from the seat."""
    spoke = [s.model for s in record.speeches if s.seat.slug == seat.slug and s.spoke and s.model]
    return short_line(", ".join(dict.fromkeys(spoke)) or seat.model, _LINE_LIMIT)
