"""Starts the playground for a person at a terminal."""

import socket
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from bot.admin.outlook import found_line
from bot.app import App
from bot.front.saved_world import SavedWorld
from bot.front.session import Session, open_playground
from bot.front.terminal import run_terminal
from bot.messages.command_line import PlaygroundText
from bot.messages.meeting import SeatingText
from bot.operations.logs import set_up_logging
from bot.settings import Settings

_USUAL_PORT = 8420
_FILE = "playground.db"


async def play(
    settings: Settings,
    lines: Sequence[str],
    *,
    port: int | None,
    open_browser: bool,
    exit_when_done: bool,
    verbose: bool = False,
) -> int:
    """Run the playground until it is done or interrupted; returns the exit code.

    One that ends by itself is a playground of its own: it neither shows nor keeps messages of
    others, so that a script can ask the same thing again.
    """
    set_up_logging("WARNING", settings.redactions())
    console = Console(highlight=False)
    with _kept(settings.home, exit_when_done) as saved:
        place = _usual_port() if port is None else port
        async with open_playground(settings, place, saved=saved) as session:
            echo = bool(verbose or lines or exit_when_done)
            _introduce(console, session, saved.notice if saved else "", echo=echo)
            if open_browser:
                webbrowser.open(session.discord.url)
            return await run_terminal(
                session, lines, exit_when_done=exit_when_done, console=console, echo=echo
            )


@contextmanager
def _kept(home: Path, alone: bool) -> Iterator[SavedWorld | None]:
    """The file that the playground is kept in, if it is."""
    saved = None if alone else SavedWorld(home / _FILE)
    try:
        yield saved
    finally:
        if saved is not None:
            saved.close()


def _introduce(console: Console, session: Session, notice: str, *, echo: bool) -> None:
    """Print the address, who speaks, and what else the person should know."""
    hint = "" if echo else PlaygroundText.HOW_TO_STOP
    address = PlaygroundText.address(session.discord.url)
    for line in filter(None, (address, *_who_speaks(session.app), notice, hint)):
        console.print(line, soft_wrap=True)


def _who_speaks(app: App) -> Iterator[str]:
    """Whether models speak, and whose: those of a server that nobody named are told apart."""
    if app.resolution.rehearsal:
        yield PlaygroundText.NO_KEY
    elif app.resolution.small:
        yield SeatingText.SMALL_MODEL
    yield from filter(None, (found_line(app.resolution), app.offer))


def _usual_port() -> int:
    """The port people remember while it is free, else 0, which stands for any free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", _USUAL_PORT))
        except OSError:
            return 0
    return _USUAL_PORT
