"""What `roundtable play` prints while it runs: the address in view, messages only if wanted."""

import asyncio
import io
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console

from bot.front.terminal import run_terminal, with_times
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


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("until <t:1000000300:t> (<t:1000000300:R>)", "until 01:51:40 UTC (in 5 min 0 s)"),
        ("started <t:999999970:R>", "started 30 s ago"),
        ("again <t:1000604800:F>", "again 2001-09-16 01:46:40 UTC"),
        ("again <t:1000604800:R>", "again 2001-09-16 01:46:40 UTC"),
        ("<t:99999999999999:R> and <t:x>", "<t:99999999999999:R> and <t:x>"),
    ],
)
def test_times_are_shown_as_times(written: str, shown: str) -> None:
    assert with_times(written, now=1_000_000_000.0) == shown
