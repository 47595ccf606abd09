"""What `roundtable play` prints while it runs: the address in view, messages only if wanted."""

import asyncio
import io
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console

from bot.front.terminal import run_terminal
from tests.e2e.playground_harness import open_harness

ASKED = "roundtable help"


@pytest.mark.parametrize("echo", [True, False])
async def test_the_terminal_keeps_the_address_and_echoes_messages_only_if_wanted(
    tmp_path: Path, echo: bool
) -> None:
    """Issue 22: quiet by default; the last line shows the address and what is going on."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=200)
    async with open_harness(tmp_path) as table:
        running = asyncio.create_task(
            run_terminal(table.session, [], exit_when_done=False, console=console, echo=echo)
        )
        # By the answer to the first question it listens, by the second answer it has printed.
        await table.ask_for_help()
        await table.ask_for_help()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        printed, url = out.getvalue(), table.discord.url
    assert f"{url} · waiting for a question" in printed
    assert (ASKED in printed) is echo
