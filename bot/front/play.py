"""Starts the playground for a person at a terminal."""

import logging
import webbrowser
from collections.abc import Sequence

from rich.console import Console

from bot.errors import UnavailableError
from bot.front.session import open_playground
from bot.front.terminal import run_terminal
from bot.logs import set_up_logging
from bot.settings import Settings


async def play(
    settings: Settings,
    lines: Sequence[str],
    *,
    port: int,
    open_browser: bool,
    exit_when_done: bool,
) -> int:
    """Run the playground until it is done or interrupted; returns the exit code."""
    set_up_logging("WARNING", settings.redactions())
    console = Console(highlight=False)
    try:
        async with open_playground(settings, port) as session:
            console.print(f"Roundtable playground: {session.discord.url}", soft_wrap=True)
            if session.app.resolution.rehearsal:
                console.print("No key is set: a rehearsal panel speaks, no model is speaking.")
            if open_browser:
                webbrowser.open(session.discord.url)
            return await run_terminal(
                session, lines, exit_when_done=exit_when_done, console=console
            )
    except OSError as error:
        logging.getLogger(__name__).debug("no server", exc_info=error)
        raise UnavailableError(
            f"The playground cannot listen on port {port} ({error.strerror}): "
            "choose another with --port, or 0 for any free one."
        ) from error
