"""Whom a message in a thread is for: a reply comes first, then a name, then everybody."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.floor import FloorSeat, addressed_seat, without_quotes
from bot.request import is_addressed, without_mention
from bot.store.repositories.inbound import InboundRepository
from bot.store.repositories.posts import PostRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run

_MOST_THREADS: Final = 50
_REMEMBERED_SECONDS: Final = 7 * 24 * 3600.0
"""As long as a quiet thread stays open by default."""
_MARGIN_SECONDS: Final = 120.0
"""Messages shortly before the bot went offline may have been lost, too."""
_EPOCH: Final = 1_420_070_400.0
_TIME_BITS: Final = 22
_CODE: Final = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Unread:
    """A thread whose history is read after a message id; `live` while its meeting is not over."""

    guild_id: int
    thread_id: int
    after: int
    live: bool


def unread_threads(
    conn: Connection, now: float, away_since: float | None = None
) -> tuple[Unread, ...]:
    """The threads to read, open runs first, then the most recent.

    Without `away_since` the last stored message of each thread says when the bot went offline.
    """
    live = [run for run in RunListRepository(conn).unfinished() if run.thread_id]
    over = RunListRepository(conn).finished_since(now - _REMEMBERED_SECONDS, _MOST_THREADS)
    return tuple(_unread(conn, run, away_since) for run in _one_per_thread([*live, *over]))


def moment_id(seconds: float) -> int:
    """The smallest id Discord would give to a message at a moment."""
    return max(0, int((seconds - _EPOCH) * 1000)) << _TIME_BITS


def _one_per_thread(found: Iterable[Run]) -> list[Run]:
    threads = {run.thread_id: run for run in reversed(list(found)) if run.thread_id}
    return list(reversed(threads.values()))[:_MOST_THREADS]


def _unread(conn: Connection, run: Run, away_since: float | None) -> Unread:
    thread_id = run.thread_id or 0
    if away_since is None:
        seen = max(
            InboundRepository(conn).newest_of_run(run.id), PostRepository(conn).newest_in(thread_id)
        )
        after = seen - moment_id(_EPOCH + _MARGIN_SECONDS)
    else:
        after = moment_id(away_since - _MARGIN_SECONDS)
    live = run.finished_at is None
    return Unread(run.guild_id, thread_id, max(after, thread_id), live)


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message as it came; `text` names people and channels, `content` is as it was typed."""

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
    """Whether a bot or webhook sent it, such as PluralKit, which repeats what a person wrote."""
    content: str = ""
    bot_id: int = 0
    sender_ids: frozenset[int] = frozenset()
    """The author, and for a webhook also the webhook and its application."""
    may_manage: bool = False
    in_channel: bool = False
    """Whether it stands in a channel and not in a thread."""

    @property
    def typed(self) -> str:
        """What was typed after a mention of the bot."""
        return without_mention(self.content, self.bot_id)

    @property
    def own(self) -> bool:
        """Whether the bot itself sent it, in its own name or in a panelist's."""
        return self.bot_id in self.sender_ids

    def speaks_for_a_person(self, proxy_ids: Collection[int]) -> bool:
        """Whether a person is behind it; bots and webhooks only if they are allowed to be."""
        if not self.proxied:
            return True
        return not self.own and not self.sender_ids.isdisjoint(proxy_ids)

    def may_concern_a_panel(self) -> bool:
        """Whether to look up a panel; commands do not, and outside threads only replies can."""
        if not self.content.strip() or is_addressed(self.typed):
            return False
        return not self.in_channel or self.reply_to is not None


@dataclass(frozen=True, slots=True)
class Address:
    """The seats a message is for; with `for_all` everybody may speak and anybody may pass."""

    seats: tuple[str, ...] = ()
    for_all: bool = False

    def __bool__(self) -> bool:
        return bool(self.seats)


NOBODY: Final = Address()


def address_of(
    heard: IncomingMessage, replied: str | None, panel: Sequence[FloorSeat], *, open_always: bool
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
