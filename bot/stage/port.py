"""What meetings may show people, free of any chat platform."""

import enum
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from bot.messages.meeting import LiveCardText


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who a post speaks as: a panelist with a face, or the bot itself when `seat` is empty."""

    name: str
    seat: str = ""
    face: str = ""
    note: str = ""


THE_BOT = Speaker("Roundtable")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run lives: the thread, or the channel itself when threads are not used."""

    guild_id: int
    channel_id: int
    thread_id: int | None = None
    anchor_id: int | None = None
    notices: tuple[str, ...] = ()
    number: int = 1
    """Counts the places a run had to have, because earlier ones were deleted."""

    @property
    def target_id(self) -> int:
        """The channel or thread every post of the run goes to."""
        return self.thread_id or self.channel_id


def place_url(place: Place) -> str:
    """The link to where a run lives."""
    base = f"https://discord.com/channels/{place.guild_id}/{place.target_id}"
    return base if place.thread_id or not place.anchor_id else f"{base}/{place.anchor_id}"


@dataclass(frozen=True, slots=True)
class Destination:
    """The channel a run will be shown in, chosen before anything is stored."""

    guild_id: int
    channel_id: int
    thread_id: int | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """What is known when the thread is opened."""

    run_id: str
    guild_id: int
    channel_id: int
    thread_id: int | None
    starter_id: int
    topic: str
    title: str
    mode: str
    number: int = 1
    outcome: str = ""
    """What came out of the run, in one line; empty while it is under way."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes up with a post; its content is an artifact in the store."""

    name: str
    artifact_id: str
    description: str = ""
    """What a picture shows, for those who cannot see it."""
    encoded: bool = False
    """Whether the artifact holds base64, because the file is no text."""


class Tone(enum.StrEnum):
    """How a button looks."""

    GOOD = "good"
    BAD = "bad"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class PostButton:
    """A button under a post of the bot; its meaning is in the id, so that it outlives restarts."""

    label: str
    custom_id: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class PostMenu:
    """A choice of one under a post of the bot: (value, label) in order."""

    placeholder: str
    custom_id: str
    options: tuple[tuple[str, str], ...]


def button_id(about: str, action: str) -> str:
    """The custom id that still means the same for this run or approval after a restart."""
    return f"rt:{about}:{action}"


@dataclass(frozen=True, slots=True)
class Quote:
    """What a post answers, shown above it because a webhook cannot reply to a message."""

    author: str
    text: str
    message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """One visible message of a post, and the link people follow to it."""

    message_id: int
    url: str


@dataclass(frozen=True, slots=True)
class Post:
    """One thing to say, once, under a key made of names such as `r1:analyst`."""

    key: str
    speaker: Speaker
    text: str
    attachments: tuple[Attachment, ...] = ()
    ping_user_id: int | None = None
    untrusted: bool = True
    known_urls: frozenset[str] = frozenset()
    buttons: tuple[PostButton, ...] = ()
    menus: tuple[PostMenu, ...] = ()
    quote: Quote | None = None


@enum.unique
class SeatState(enum.StrEnum):
    """Where a seat is, as the card shows it."""

    WAITING = LiveCardText.WAITING
    THINKING = LiveCardText.THINKING
    READY = LiveCardText.READY
    SPOKE = LiveCardText.SPOKE
    TIMED_OUT = LiveCardText.TIMED_OUT
    FAILED = LiveCardText.FAILED


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One seat's line on the card."""

    role: str
    model: str
    state: SeatState = SeatState.WAITING
    words: int = 0
    message_url: str = ""
    note: str = ""
    stand_in: str = ""
    """The model that spoke instead of the seat's own."""


@dataclass(frozen=True, slots=True)
class PastRound:
    """A round that is over, as the card keeps it."""

    name: str
    seats: tuple[SeatRow, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """Everything the live card shows; the stage decides how it looks."""

    run_id: str
    topic: str
    mode: str
    step: str
    seats: Sequence[SeatRow] = ()
    notices: Sequence[str] = ()
    running: bool = True
    asks_starter: bool = False
    """Whether the run waits until its starter agrees to the price."""
    may_conclude: bool = False
    """Whether rounds are being held, which somebody may end."""
    asks_options: bool = False
    """Whether the run waits until its starter agrees to the options of the vote."""
    succeeded: bool = False
    outcome: str = ""
    round: str = ""
    """What the round is called whose seats are shown; empty before the first one."""
    past: tuple[PastRound, ...] = ()
    measure: str = ""
    """How far the panel agrees, once a round is over."""
    cost: str = ""
    started_at: float | None = None
    expected_at: float | None = None
    label: str = ""
    """What people must know before they read anything, such as that no model is speaking."""

    @property
    def heard(self) -> bool:
        """Whether anybody has said anything."""
        return bool(self.past) or any(row.state is SeatState.SPOKE for row in self.seats)


class Stage(Protocol):
    """The port that meetings speak through."""

    async def choose(self, guild_id: int, trigger_channel_id: int) -> Destination:
        """Choose where a run will be shown; raises UserError where the bot may not speak."""
        ...

    async def server_of(self, channel_id: int) -> int | None:
        """The server a channel belongs to; None when the bot does not see it."""
        ...

    async def owner_of(self, channel_id: int) -> int | None:
        """Who opened a thread or forum post; a channel belongs to nobody."""
        ...

    async def is_alive(self, place: Place) -> bool:
        """Whether people still talk there: the thread exists and is not archived."""
        ...

    async def is_gone(self, place: Place) -> bool:
        """Whether the channel or thread was deleted; a lost permission does not count."""
        ...

    async def find_thread(self, channel: Destination, title: str, since: float) -> Place | None:
        """A recent active thread with that title, by any author."""
        ...

    async def may_read(self, person_id: int, guild_id: int, channel_id: int) -> bool:
        """Whether a person can read a channel or thread right now."""
        ...

    async def readable(
        self, person_id: int, guild_id: int, channel_ids: Collection[int]
    ) -> frozenset[int]:
        """Those of the channels and threads of a server that a person can read right now."""
        ...

    async def open_to(self, channel_id: int, audience_id: int) -> bool:
        """Whether everybody who reads the audience's channel can read the other one, too."""
        ...

    async def open(self, opening: Opening) -> Place:
        """Post the anchor, make the thread and return where the run lives."""
        ...

    async def say(self, run_id: str, place: Place, post: Post) -> Sequence[Shown]:
        """Post a text once and return its parts, in order."""
        ...

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Show that somebody is writing there for as long as the block lasts."""
        ...

    async def tell(self, run_id: str, post: Post, places: Sequence[Place], elsewhere: Post) -> bool:
        """Say the post in the first place; where that fails, say `elsewhere` in the next places,
        and at last in private to the person it pings. Works without a store, too."""
        ...

    async def revise(self, run_id: str, place: Place, post: Post) -> None:
        """Give a post that is out other buttons and, unless it is empty, another text; a lost one
        is left alone."""
        ...

    async def revise_anchor(self, opening: Opening) -> None:
        """Let the anchor say what came out of the run, or that it is under way again."""
        ...

    async def fault_of(self, guild_id: int, channel_id: int) -> str:
        """Why the bot cannot post in a channel, as the end of a sentence; empty when it can."""
        ...

    async def drain(self, patience: float) -> None:
        """Let posts that are going out finish, at most for the given seconds."""
        ...

    async def open_card(self, place: Place, card: Card) -> None:
        """Post the run's card, once."""
        ...

    def update_card(self, card: Card) -> None:
        """Take the newest state of an open card; it is drawn as soon as the rate limit allows."""
        ...

    async def close_card(self, place: Place, card: Card) -> None:
        """Draw the card's last state and let go of it."""
        ...
