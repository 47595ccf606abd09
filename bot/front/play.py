"""Starts the playground for a person at a terminal."""

import logging
import socket
import webbrowser
from collections.abc import Iterator, Sequence

from rich.console import Console

from bot.admin.outlook import found_line
from bot.app import App
from bot.errors import UnavailableError
from bot.front.session import open_playground
from bot.front.terminal import run_terminal
from bot.messages.meeting import SeatingText
from bot.messages.operations import PlaygroundText
from bot.operations.logs import set_up_logging
from bot.settings import Settings

_USUAL_PORT = 8420


async def play(
    settings: Settings,
    lines: Sequence[str],
    *,
    port: int | None,
    open_browser: bool,
    exit_when_done: bool,
) -> int:
    """Run the playground until it is done or interrupted; returns the exit code."""
    set_up_logging("WARNING", settings.redactions())
    console = Console(highlight=False)
    try:
        async with open_playground(settings, _usual_port() if port is None else port) as session:
            console.print(PlaygroundText.address(session.discord.url), soft_wrap=True)
            for line in _who_speaks(session.app):
                console.print(line, soft_wrap=True)
            if open_browser:
                webbrowser.open(session.discord.url)
            return await run_terminal(
                session, lines, exit_when_done=exit_when_done, console=console
            )
    except OSError as error:
        logging.getLogger(__name__).debug("no server", exc_info=error)
        raise UnavailableError(PlaygroundText.port_taken(port)) from error


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
