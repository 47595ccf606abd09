"""Whom a message in a thread is for: a reply comes first, then a name, then everybody."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.floor import Seat, addressed_seat, without_quotes

_CODE: Final = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a person said somewhere, as far as the panel is concerned."""

    message_id: int
    channel_id: int
    guild_id: int
    author_id: int
    author: str
    text: str
    created_at: float
    reply_to: int | None = None
    replies_to_bot: bool = False
    """Whether the bot posted what is replied to, in its own name or in a panelist's."""
    mentions_bot: bool = False
    role_ids: frozenset[int] = frozenset()
    proxied: bool = False
    """Whether a bot repeats what a person wrote, such as PluralKit."""


@dataclass(frozen=True, slots=True)
class Address:
    """The seats a message is for; with `for_all` everybody may speak and anybody may pass."""

    seats: tuple[str, ...] = ()
    for_all: bool = False

    def __bool__(self) -> bool:
        return bool(self.seats)


NOBODY: Final = Address()


def address_of(
    heard: Heard, replied: str | None, panel: Sequence[Seat], *, open_always: bool
) -> Address:
    """Reply target, then leading name, then all (part 4); other talk is between people."""
    if replied is not None:
        return Address((replied,))
    if (named := addressed_seat(heard.text, panel)) is not None:
        return Address((named,))
    if heard.mentions_bot or open_always:
        return Address(tuple(seat.key for seat in panel), for_all=True)
    return NOBODY


def pings(text: str, user_id: int) -> bool:
    """Whether the text itself addresses a seat; quotes, code and plain replies do not count."""
    return re.search(rf"<@!?{user_id}>", _CODE.sub(" ", without_quotes(text))) is not None
