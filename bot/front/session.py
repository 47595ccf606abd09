"""The playground: the embedded Discord and the real bot on it, in one process."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote

from bot import VERSION
from bot.app import App, Options, open_app
from bot.errors import UnavailableError
from bot.front.live import connected, health_served
from bot.front.saved_world import SavedWorld
from bot.messages.command_line import PlaygroundText
from bot.panels import PanelsConfig
from bot.playground.server import EmbeddedDiscord
from bot.settings import Settings
from bot.stage.card_board import SECONDS_BETWEEN_EDITS
from bot.threads.driver import Clock, LoopClock
from bot.types import Sleep

_DEDICATED = "ask-the-table"
_Adjust = Callable[[PanelsConfig], PanelsConfig]


@dataclass(frozen=True, slots=True)
class Session:
    """A running playground."""

    discord: EmbeddedDiscord
    app: App
    connection: "asyncio.Task[None]"


@asynccontextmanager
async def open_playground(
    settings: Settings,
    port: int = 0,
    *,
    discord: EmbeddedDiscord | None = None,
    saved: SavedWorld | None = None,
    adjust: _Adjust = lambda config: config,
    card_pace: float = SECONDS_BETWEEN_EDITS,
    sleep: Sleep = asyncio.sleep,
    floor_clock: Clock | None = None,
    upload_faces: bool = True,
) -> AsyncIterator[Session]:
    """Start the embedded Discord, log the bot in and wait until it is ready.

    With a saved world it goes on where an earlier playground ended, and keeps what happens.
    """
    discord = discord or EmbeddedDiscord()
    await _listen(discord, port)
    try:
        if saved is not None:
            saved.attach(discord.world)
        options = Options(
            face_url=None if upload_faces else _face_url_of(discord),
            guild_ready_timeout=0.05,
            adjust=lambda config: adjust(for_the_playground(config, discord)),
            card_pace=card_pace,
            floor_clock=floor_clock or LoopClock(),
            keep_unfinished=saved is not None and saved.restored,
            sleep=sleep,
        )
        with discord.redirected():
            async with (
                open_app(settings, options) as app,
                health_served(app),
                connected(app, discord.token) as connection,
            ):
                discord.world.about = {
                    "note": _note(app),
                    "rehearsal": app.resolution.rehearsal,
                    "offer": app.offer,
                    "small": app.resolution.small,
                    "version": VERSION,
                }
                yield Session(discord, app, connection)
    finally:
        await discord.close()


async def _listen(discord: EmbeddedDiscord, port: int) -> None:
    try:
        await discord.start(port)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise UnavailableError(PlaygroundText.port_taken(port, why)) from error


def _note(app: App) -> str:
    """Who speaks here, for the first page."""
    if app.resolution.rehearsal:
        return f"{PlaygroundText.EXAMPLES_ARE_SCRIPTED} {app.offer}".strip()
    return PlaygroundText.SMALL_MODEL if app.resolution.small else ""


def _face_url_of(discord: EmbeddedDiscord) -> Callable[[str], str]:
    """Where the embedded Discord serves a name's face, without any upload."""
    return lambda name: f"{discord.cdn_url}/faces/{quote(name, safe='')}"


def for_the_playground(config: PanelsConfig, discord: EmbeddedDiscord) -> PanelsConfig:
    """The same configuration with a dedicated channel, where nobody waits to start or ask again."""
    dedicated = (discord.channel(_DEDICATED).id,)
    trigger = config.trigger.model_copy(
        update={"channel_ids": dedicated, "cooldown_seconds": 0, "max_concurrent": 20}
    )
    output = config.output.model_copy(update={"target": None})
    followups = config.followups.model_copy(update={"cooldown_seconds": 0})
    changed = {"trigger": trigger, "output": output, "followups": followups, "servers": {}}
    return config.model_copy(update=changed)
