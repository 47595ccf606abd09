"""A request to start a run, and its result."""

from dataclasses import dataclass

from bot.council.admission import Asker
from bot.request import Request
from bot.stage.port import Place
from bot.store.runs import Run


@dataclass(frozen=True, slots=True)
class Summons:
    """Somebody asks for a roundtable somewhere."""

    guild_id: int
    channel_id: int
    message_id: int | None
    asker: Asker
    request: Request
    again: bool = False
    context_run: str | None = None


@dataclass(frozen=True, slots=True)
class Convened:
    """The run that serves a summons; `reused` when the topic already had a run."""

    run_id: str
    place: Place
    reused: bool = False
    price: str = ""
    """What it will cost, in one line."""
    asks_starter: bool = False
    """Whether it waits until its starter agrees to the price."""


def stored_request(run: Run) -> Request:
    """The request a run was started with."""
    stored = run.request
    return Request(
        topic=run.topic,
        mode=run.mode,
        mode_forced=stored["mode_forced"],
        quick=stored["quick"],
        panel=tuple(stored["panel"]),
        validate=stored["validate"],
        search=stored["search"],
        context_from=stored["context_from"],
        link=stored.get("link"),
        rounds=stored.get("rounds"),
        masked=stored.get("masked", False),
        offers_build=stored.get("offers_build", False),
        notices=tuple(stored["notices"]),
    )
