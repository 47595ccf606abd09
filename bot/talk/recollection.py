"""Old turns of a long session, summarised by the coordinator to keep prompts short."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.prompting.summary import parse_summary
from bot.store import answers

SUMMED_UP_AFTER: Final = 32
"""So many turns that no summary holds yet make a new one."""
KEPT_WHOLE: Final = 12
"""The newest turns, which are never summed up."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What a seat's talk was about up to one of its turns."""

    upto: int
    summary: str


def recollection_key(seat: str, upto: int) -> str:
    """The key of the call that sums a session up to a turn."""
    return f"memory:{seat}:{upto}"


def newest_recollection(conn: Connection, run_id: str, seat: str) -> Recollection | None:
    """The latest summary of a session, if there is one."""
    found = answers.newest(conn, run_id, recollection_key(seat, 0).removesuffix("0"))
    if found is None:
        return None
    upto = int(found.key.partition("@")[0].rpartition(":")[2])
    return Recollection(upto, parse_summary(found.text).summary)
