"""From the floor: what people said in the thread reaches every panelist in the next round."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.meeting.context import RunContext
from bot.prompting.text import cut_words, label_voices
from bot.store import EventType, InboundKind
from bot.store.repositories.inbound import InboundMessage, InboundRepository

_MOST_MESSAGES = 20
_MESSAGE_WORDS = 120


async def floor_note_for(meeting: RunContext, step: str) -> str:
    """What was said before a step began; the same for every seat, also after a restart."""
    store, run_id = meeting.tools.store, meeting.run.id

    def said(conn: Connection) -> tuple[InboundMessage, ...]:
        return InboundRepository(conn).of_run(run_id, InboundKind.FLOOR)

    async def work() -> None:
        """What was said is looked up where it is noted how much of it counts."""

    def record(conn: Connection, _: None) -> Mapping[str, Any]:
        return {"newest": max((message.message_id for message in said(conn)), default=0)}

    key = f"floor:{step}"
    payload = await meeting.journal.once(EventType.ATTEMPT_CHECKPOINT, key, work, record)
    heard = await store.read(said) if payload["newest"] else ()
    return _floor_text([m for m in heard if m.message_id <= payload["newest"]])


def _floor_text(messages: Sequence[InboundMessage]) -> str:
    """The newest messages, oldest first, each under a letter for its author."""
    kept = [message for message in messages if message.content.strip()][-_MOST_MESSAGES:]
    letters: dict[int, str] = {}
    for message in messages:
        letters.setdefault(message.author_id, f"Person {len(letters) + 1}")
    return label_voices((letters[m.author_id], cut_words(m.content, _MESSAGE_WORDS)) for m in kept)
