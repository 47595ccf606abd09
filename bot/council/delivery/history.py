"""Everything about a build that is stored: the spec, every attempt, every review and file."""

from sqlalchemy import Connection

from bot.council.delivery.record import read_delivery
from bot.council.delivery.telling import effects_text, review_text, try_text
from bot.council.mask import mask_of
from bot.council.told import TextFile
from bot.messages.delivery import BuildText
from bot.store import runs, specs


def build_history(conn: Connection, run_id: str) -> tuple[TextFile, ...]:
    """The history as a file; none for a run that is no build or has no spec yet."""
    delivery = read_delivery(conn, run_id)
    draft = specs.accepted(conn, run_id) or specs.latest(conn, run_id)
    if delivery is None or draft is None:
        return ()
    blocks = [
        BuildText.history_title(run_id),
        BuildText.history_spec(draft.version, draft.text, accepted=delivery.accepted),
        *map(review_text, delivery.spec_reviews),
        *([BuildText.ATTEMPTS_HEAD] if delivery.tries else []),
        *map(try_text, delivery.tries),
        effects_text(delivery.effects),
    ]
    text = "\n\n".join(block for block in blocks if block)
    mask = mask_of(conn, runs.require(conn, run_id))
    return (TextFile(f"build-{run_id}.md", mask.text(text) + "\n"),)
