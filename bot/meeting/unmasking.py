"""The reveal of a masked panel: one message says who is who."""

from collections.abc import Sequence

from bot.meeting.context import RunContext
from bot.messages.meeting import MaskText
from bot.record.loader import read_record
from bot.record.masking import MASK_KEY, MASKED, UNMASKED, is_lifted, other_names
from bot.record.record import RunRecord
from bot.stage.cleaning import clean_text, short_line
from bot.stage.port import THE_BOT, Post
from bot.store import Actor, EventType
from bot.store.log import events
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import Seat, SeatRepository
from bot.types.mode import Mode

_LINE_LIMIT = 200


async def unmask_after_conclusion(meeting: RunContext) -> None:
    """In a vote the panel stays masked until people have voted again; otherwise reveal it now."""
    if meeting.run.mode is not Mode.VOTE:
        await unmask(meeting)


async def unmask(meeting: RunContext) -> None:
    """Say who was who, once; what is shown or written from then on has the real names."""
    run, store, stage = meeting.run, meeting.tools.store, meeting.tools.stage
    if not run.request.get(MASKED):
        return
    panel = await store.read(lambda conn: SeatRepository(conn).of_run(run.id))
    if not panel:
        return
    await _lift(meeting)
    record = await read_record(store, run.id)
    if not await stage.is_gone(meeting.place):
        await meeting.say(Post("reveal", THE_BOT, _text(run, panel, record), untrusted=False))


async def _lift(meeting: RunContext) -> None:
    store, run_id = meeting.tools.store, meeting.run.id
    now, lifted = store.now(), EventType.MASK_LIFTED
    if not await store.read(lambda conn: is_lifted(conn, run_id)):
        await store.write(
            lambda conn: events.append(conn, run_id, lifted, MASK_KEY, Actor.ORCHESTRATOR, {}, now)
        )
    meeting.mask = UNMASKED


def _text(run: Run, panel: Sequence[Seat], record: RunRecord) -> str:
    names = other_names(run, panel)
    rows = [
        (names[seat.role], clean_text(seat.role), _models(seat, record))
        for seat in sorted(panel, key=lambda seat: names[seat.role])
    ]
    return MaskText.who_was_who(rows)


def _models(seat: Seat, record: RunRecord) -> str:
    """The models that really spoke from the seat."""
    spoke = [s.model for s in record.speeches if s.seat.slug == seat.seat and s.spoke and s.model]
    return short_line(", ".join(dict.fromkeys(spoke)) or seat.model, _LINE_LIMIT)
