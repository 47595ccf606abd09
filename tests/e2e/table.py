"""Helpers for tests that drive the real bot in the embedded Discord."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.panels import PanelsConfig
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.playground.session import Session, open_playground
from bot.settings import SHIPPED_PANELS, load_settings

Adjust = Callable[[PanelsConfig], PanelsConfig]


@dataclass(frozen=True, slots=True)
class Table:
    """A running playground seen through the eyes of a test."""

    session: Session
    home: Path

    @property
    def discord(self) -> EmbeddedDiscord:
        return self.session.discord

    async def say(self, text: str, *, channel: str = "general", person: str = "Jonas") -> Message:
        return await self.discord.say(
            self.discord.person(person).id, self.discord.channel(channel).id, text
        )

    async def reply_after(self, said: Message) -> Message:
        """The bot's first message in the channel after this one."""
        found = await self.discord.until(lambda: self._after(said))
        assert found
        return found

    async def ask_for_help(self) -> Message:
        """Everything said before this has been handled when the answer is there."""
        return await self.reply_after(await self.say("roundtable help"))

    def _after(self, said: Message) -> Message | None:
        later = self.discord.messages(said.channel_id)
        return next((m for m in later if m.id > said.id and m.author.id != said.author.id), None)

    async def thread(self, count: int = 1) -> Channel:
        """The newest thread, once there are as many as asked for."""
        threads = await self.discord.until(
            lambda: len(self.discord.threads()) >= count and self.discord.threads()
        )
        assert threads
        return max(threads, key=lambda channel: channel.id)

    async def concluded(self, thread: Channel | None = None) -> Channel:
        """Wait until every roundtable is over and return the thread."""
        found = thread or await self.thread()
        await self.session.app.council.idle()
        return found

    def said_in(self, channel: Channel) -> list[Message]:
        return self.discord.messages(channel.id)

    def card(self, thread: Channel) -> Message:
        return next(m for m in self.said_in(thread) if m.text.startswith("### 🎯"))

    def exports(self) -> list[dict[str, Any]]:
        folder = self.home / "memory" / "roundtables"
        return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


@asynccontextmanager
async def laid_table(
    home: Path,
    *,
    discord: EmbeddedDiscord | None = None,
    adjust: Adjust = lambda config: config,
    seconds_per_answer: float = 0.0,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Table]:
    """Start a playground in a folder; afterwards no unknown route may have been asked for."""
    panels = json.loads(SHIPPED_PANELS.read_text(encoding="utf-8"))
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = seconds_per_answer
    file = home / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    variables = {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)}
    settings = load_settings(None, variables | dict(environ or {}))
    async with open_playground(settings, discord=discord, adjust=adjust, card_pace=0.02) as session:
        yield Table(session, home)
    assert session.discord.unknown_routes == []
