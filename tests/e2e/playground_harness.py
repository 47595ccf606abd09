"""Helpers for tests that drive the real bot in the embedded Discord."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from bot.front.saved_world import SavedWorld
from bot.front.session import Session, open_playground
from bot.panels import PanelsConfig
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.record.loader import read_record
from bot.record.record import RunRecord
from bot.reports.conclusion import details_text
from bot.settings import load_settings
from bot.store.repositories.calls import Call, CallRepository
from bot.threads.driver import LoopClock
from bot.types import Sleep
from tests.panels.panels_data import ALONE, alone

FLOOR_PACE = 50.0
"""Settling takes 30 ms instead of 1.5 s."""
AFTERWARDS = ("🗳️ **Vote again", "🗳️ The second vote", "🗳️ **People:", "🎭 ")
"""How the posts begin that may follow a conclusion."""
Adjust = Callable[[PanelsConfig], PanelsConfig]
EditPanels = Callable[[dict[str, Any]], None]


def unchanged(_: dict[str, Any]) -> None:
    """The shipped panels.json as it is."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A roundtable that is over: where it was held, what it concluded and what was written."""

    thread: Channel
    voices: tuple[str, ...]
    """Who spoke in the thread through the webhook, in order; a long answer counts once."""
    conclusion: str
    """The bot's closing post with all its parts."""
    card: str
    export: dict[str, Any]
    record: RunRecord
    calls: tuple[Call, ...]
    """Every call of the run, failed tries included."""

    @property
    def meta(self) -> str:
        """What the button Details shows."""
        return details_text(self.record).partition("**🔧 META**")[2]


@dataclass(frozen=True, slots=True)
class PlaygroundHarness:
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

    async def reply_to(self, said: Message) -> Message:
        """The bot's answer to exactly this message."""
        here = said.channel_id
        found = await self.discord.until(
            lambda: next((m for m in self.discord.messages(here) if m.reply_to == said.id), None)
        )
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
        await self.session.app.run_service.idle()
        return found

    def said_in(self, channel: Channel) -> list[Message]:
        return self.discord.messages(channel.id)

    def voices(self, channel: Channel) -> list[str]:
        """Who spoke, in order; several messages in a row count once."""
        names = [message.author.name for message in self.said_in(channel)]
        return [name for name, _ in itertools.groupby(names)]

    def card(self, thread: Channel) -> Message:
        return next(m for m in self.said_in(thread) if m.text.startswith("### 🎯"))

    async def hold(
        self, text: str, *, channel: str = "general", person: str = "Jonas"
    ) -> FinishedRun:
        """Ask for a roundtable and wait until it is over."""
        before = len(self.discord.threads())
        await self.say(text, channel=channel, person=person)
        thread = await self.concluded(await self.thread(before + 1))
        if (spec := self.waiting_spec(thread)) is not None:
            await self.press(spec, "accept", person)
            await self.concluded(thread)
        return await self.held(thread)

    def waiting_spec(self, thread: Channel) -> Message | None:
        """The newest spec of a build, if it can be accepted."""
        found = (m for m in reversed(self.said_in(thread)) if "### 📐 Spec" in m.content)
        newest = next(found, None)
        accepts = newest and any(name.endswith(":accept") for name in newest.custom_ids)
        return newest if accepts else None

    async def press(self, post: Message, action: str, person: str = "Jonas") -> Message:
        """Press the button of a post whose id ends so; returns what the person is told."""
        wanted = next(name for name in post.custom_ids if name.endswith(f":{action}"))
        pressed = await self.discord.press(self.discord.person(person).id, post.id, wanted)
        return await pressed.message()

    async def held(self, thread: Channel) -> FinishedRun:
        """What there is of the newest roundtable of a thread."""
        run = await self.session.app.run_service.last_in(thread.id)
        assert run
        said = self.said_in(thread)
        return FinishedRun(
            thread=thread,
            voices=tuple(_voices(said)),
            conclusion="\n".join(_closing(said)),
            card=self.card(thread).text,
            export=next(export for export in self.exports() if export["id"] == run.id),
            record=await read_record(self.session.app.store, run.id),
            calls=await self.stored(lambda conn: CallRepository(conn).of_run(run.id)),
        )

    async def stored(self, read: Callable[[Connection], Any]) -> Any:
        """What a query finds in the bot's store."""
        return await self.session.app.store.read(read)

    async def write_in(
        self, thread: Channel, text: str, *, person: str = "Jonas", reply_to: int | None = None
    ) -> Message:
        """Say something in a thread."""
        who = self.discord.person(person).id
        return await self.discord.say(who, thread.id, text, reply_to=reply_to)

    async def answer_in(self, thread: Channel, text: str, *, person: str = "Jonas") -> str:
        """Say something in a thread and read what the bot answers to it."""
        return (await self.reply_to(await self.write_in(thread, text, person=person))).content

    async def talked(self) -> None:
        """Wait until no panelist is at work on an answer, nor about to be."""
        await self.session.app.talk.idle()

    def minutes(self) -> list[str]:
        """The minutes of every run, in the order of their file names."""
        folder = self.home / "memory" / "roundtables"
        return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]

    def exports(self) -> list[dict[str, Any]]:
        folder = self.home / "memory" / "roundtables"
        return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def _voices(said: list[Message]) -> list[str]:
    """The names of personas; the later parts of a split answer have no note of the model."""
    return [m.author.name for m in said if m.webhook_id and m.content.startswith("-# ")]


def _closing(said: list[Message]) -> list[str]:
    """The closing post begins with its starter's mention; after it people may vote again."""
    starts = [n for n, m in enumerate(said) if not m.webhook_id and m.pings.users]
    closing = [m.content for m in said[starts[-1] :]] if starts else []
    return list(itertools.takewhile(lambda text: not text.startswith(AFTERWARDS), closing))


@asynccontextmanager
async def open_harness(
    home: Path,
    *,
    discord: EmbeddedDiscord | None = None,
    saved: SavedWorld | None = None,
    adjust: Adjust = lambda config: config,
    seconds_per_answer: float = 0.0,
    environ: Mapping[str, str] | None = None,
    edit_panels: EditPanels = unchanged,
    sleep: Sleep = asyncio.sleep,
    upload_faces: bool = False,
    card_pace: float = 0.02,
) -> AsyncIterator[PlaygroundHarness]:
    """Start a playground in a folder; afterwards no unknown route may have been asked for."""
    panels = alone()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = seconds_per_answer
    edit_panels(panels)
    file = home / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    variables = ALONE | {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)}
    settings = load_settings(None, variables | dict(environ or {}))
    async with open_playground(
        settings,
        discord=discord,
        saved=saved,
        adjust=adjust,
        card_pace=card_pace,
        floor_clock=LoopClock(FLOOR_PACE),
        sleep=sleep,
        upload_faces=upload_faces,
    ) as session:
        yield PlaygroundHarness(session, home)
    assert session.discord.unknown_routes == []
