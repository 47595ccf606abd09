"""Answers that fit one message, without a line cut in the middle."""

from collections.abc import Iterable
from typing import Final

from bot.messages.admin import AdminText

MESSAGE_LIMIT: Final = 2000


def fitted(lines: Iterable[str], rest: str = "", limit: int = MESSAGE_LIMIT) -> str:
    """As many lines as fit; when some do not, `rest` says where they stand."""
    every = list(lines)
    whole = "\n".join(every)
    if len(whole) <= limit:
        return whole
    kept: list[str] = []
    room = limit - len(AdminText.left_out(len(every), rest)) - 1
    for line in every:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, AdminText.left_out(len(every) - len(kept), rest)])
