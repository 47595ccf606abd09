"""A database with a meeting that a stop of the bot interrupted, as the commit of its file made it.

`python -m tests.golden.unfinished` writes it anew. That is rarely right: the file stands for what
people already have on their disks.
"""

import asyncio
import json
import re
import sqlite3
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from bot.playground._threads import from_message
from bot.playground.model import Message
from bot.playground.server import EmbeddedDiscord
from bot.settings import load_settings
from bot.store import DATABASE
from tests.e2e.restart_harness import RestartHarness
from tests.panels.panels_data import ALONE, alone
from tests.store.conftest import Clock

DUMP = Path(__file__).with_name("unfinished.sql")
RUN_ID = "rt_0123abcd"
TOPIC = "should we adopt uv?"
WORLD_BEGAN = 1_700_000_000.0
"""A Discord that begins at the same moment gives server, people and channels the same ids."""
DAY = 86_400.0
_MOMENT = re.compile(r"\b1\.\d{9,}e\+09\b|\b1\d{9}\.\d+\b")


@asynccontextmanager
async def bench(home: Path, seconds_per_answer: float) -> AsyncIterator[RestartHarness]:
    """A Discord with the ids of the file, and a home; seats are rehearsed."""
    panels = alone()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = seconds_per_answer
    file = home / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    variables = ALONE | {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)}
    clock = Clock(WORLD_BEGAN)
    async with EmbeddedDiscord(clock=clock) as discord:
        clock.now += 60
        if (home / DATABASE).exists():
            show_posts(discord, home)
        with discord.redirected():
            yield RestartHarness(discord, load_settings(None, variables), lambda config: config)
        assert discord.unknown_routes == []


def show_posts(discord: EmbeddedDiscord, home: Path) -> None:
    """Put what the bot had posted where it was, the thread included."""
    with closing(sqlite3.connect(home / DATABASE)) as file:
        ((thread_id,),) = file.execute("SELECT thread_id FROM runs").fetchall()
        sent = file.execute(
            "SELECT target_id, message_id, body FROM posts WHERE state = 'sent' ORDER BY position"
        ).fetchall()
    for channel_id, number, text in sent:
        channel = discord.world.channels[channel_id]
        message = Message(channel, discord.world.bot, 0, text, number)
        channel.messages[number] = message
        if number == thread_id:
            from_message(message, discord.world.bot, {"name": TOPIC})


async def interrupt(home: Path) -> None:
    """Begin a meeting and stop the bot once one seat has answered and the others have not."""
    async with bench(home, 3.0) as table, table.bot():
        await table.asked(f"roundtable --panel opus,grok,gemini --debate {TOPIC}")
        await table.discord.until(lambda: somebody_answered(home))


def somebody_answered(home: Path) -> bool:
    with closing(sqlite3.connect(home / DATABASE)) as file:
        return bool(file.execute("SELECT 1 FROM answers WHERE round = 1").fetchall())


def dumped(home: Path) -> str:
    """The file as SQL: its run under a fixed id, and held when the world began."""
    with closing(sqlite3.connect(home / DATABASE)) as file:
        ((run_id, began),) = file.execute("SELECT id, created_at FROM runs").fetchall()
        text = "\n".join(file.iterdump()).replace(run_id, RUN_ID) + "\n"

    def moved(found: re.Match[str]) -> str:
        of_discord = abs(float(found[0]) - WORLD_BEGAN) < DAY
        return f"{float(found[0]) - (0 if of_discord else began - WORLD_BEGAN):.3f}"

    return _MOMENT.sub(moved, text)


def restore(home: Path) -> None:
    """Put the database of the file where a bot will look for it."""
    with closing(sqlite3.connect(home / DATABASE)) as file:
        file.executescript(DUMP.read_text(encoding="utf-8"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(interrupt(Path(folder)))
        DUMP.write_text(dumped(Path(folder)), encoding="utf-8")
    print(DUMP)


if __name__ == "__main__":
    main()
