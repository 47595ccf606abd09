"""The agreement picture of a run: made of its record, drawn once, attached to the conclusion."""

import asyncio
import base64
import logging

from bot.meeting.context import RunContext
from bot.pictures.facts import AgreementPicture, DrawnPicture, RoundOfPicture, alt_text
from bot.prompting.closing_lines import Stance
from bot.record.record import RunRecord, Speech
from bot.stage.cleaning import one_line
from bot.stage.port import Attachment
from bot.store import ArtifactKind
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.vocabulary import Actor
from bot.types.mode import Mode

_log = logging.getLogger(__name__)

_NAME = "agreement.png"
_FEWEST_SEATS = 2
_OPTION_LIMIT = 80


async def keep_picture(ctx: RunContext, record: RunRecord) -> tuple[Attachment, ...]:
    """Draw the picture and keep it, so that a repeated send attaches the same bytes.

    Nothing is attached where there is nothing to show.
    """
    # One at a time: a few threads that draw leave the event loop hardly any time.
    async with ctx.deps.drawing:
        drawn = await asyncio.to_thread(draw_picture, record)
    ctx.drawn = drawn
    if drawn is None:
        return ()
    store, run = ctx.deps.store, ctx.run
    content = base64.b64encode(drawn.png).decode()
    kind, who = ArtifactKind.OTHER, Actor.ORCHESTRATOR
    artifact = await store.write(
        lambda conn: ArtifactRepository(conn).record(
            run.id, run.attempt, kind, _NAME, content, who, store.now()
        )
    )
    return (Attachment(_NAME, artifact.id, description=drawn.alt, encoded=True),)


def import_drawing() -> None:
    """Import what draws pictures; slow, for a thread beside the event loop."""
    from PIL import Image  # noqa: PLC0415

    from bot.pictures.agreement import draw_agreement  # noqa: F401, PLC0415 (imported for later)

    Image.preinit()


def draw_picture(record: RunRecord) -> DrawnPicture | None:
    """The picture and the same in words; None where there is nothing to show.

    A picture that cannot be drawn must not cost the run its conclusion or its files.
    """
    # Pillow is slow to import, and needed at the end of a run only.
    from bot.pictures.agreement import draw_agreement  # noqa: PLC0415

    picture = _picture_of(record)
    if picture is None:
        return None
    try:
        return DrawnPicture(draw_agreement(picture), alt_text(picture))
    except Exception:
        _log.exception("%s: the agreement picture could not be drawn", record.run_id)
        return None


def _picture_of(record: RunRecord) -> AgreementPicture | None:
    """What the picture shows; None when fewer than two seats ever took a position."""
    rounds = [_round(record, number) for number in range(1, record.rounds_held + 1)]
    stood = {role for entry in rounds for role in entry.positions}
    if len(stood) < _FEWEST_SEATS:
        return None
    return AgreementPicture(
        seats=[seat.role for seat in record.seats if seat.role in stood],
        rounds=rounds,
        options=[_option(text) for text in record.options],
    )


def _round(record: RunRecord, number: int) -> RoundOfPicture:
    spoken = [s for s in record.speeches if s.round == number and s.stage == 1 and s.spoke]
    positions = {s.seat.role: found for s in spoken if (found := _position(record, s))}
    agreement = record.agreements.get(number)
    shared = (entry.score for entry in record.convergence if entry.round == number)
    return RoundOfPicture(
        number, positions, agreement.matrix if agreement else {}, next(shared, None)
    )


def _position(record: RunRecord, speech: Speech) -> str:
    """The option somebody voted for, or their stance; empty where neither was readable."""
    if record.mode is Mode.VOTE:
        return _option(speech.ballot)
    return "" if speech.stance is Stance.UNKNOWN else speech.stance.value


def _option(text: str) -> str:
    return one_line(text, _OPTION_LIMIT)
