"""A request to start a roundtable, and the run that serves it."""

from dataclasses import dataclass

from bot.access.admission import Asker
from bot.request import Request
from bot.stage.port import Place


@dataclass(frozen=True, slots=True)
class StartRequest:
    """Somebody asks for a roundtable somewhere."""

    guild_id: int
    channel_id: int
    message_id: int | None
    asker: Asker
    request: Request
    again: bool = False
    context_run: str | None = None
    tries_mode: bool = False
    """Whether the panel of its mode is tried, whatever panel the server has chosen."""


@dataclass(frozen=True, slots=True)
class StartResult:
    """The run that serves a request; `reused` when the topic already had a run."""

    run_id: str
    place: Place
    reused: bool = False
    price: str = ""
    """What it will cost, in one line."""
    asks_starter: bool = False
    """Whether it waits until its starter agrees to the price."""
    outcome: str = ""
    """What the run that served the topic before came to, or that it still runs."""
