"""The terminal front end: every message as one line if wanted, and a status line at the bottom."""

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.text import Text

from bot.front.session import Session
from bot.messages.command_line import PlaygroundText
from bot.messages.counting import clock_text
from bot.playground.model import Change, Message
from bot.request import is_addressed
from bot.store import Status as RunStatus
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecRepository

CHANNEL = "general"
_SPEAKER = "Mara"
_REPLY_SECONDS = 20.0
_STATE_SECONDS = 1.0
_ACCEPT = ":accept"
_USER = re.compile(r"<@!?(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_NEAR_SECONDS = 3600
_TIME = re.compile(r"<t:(\d{1,11})(?::([tTdDfFR]))?>")
_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")


class _Terminal:
    """Prints what happens in the playground, and says lines as a person."""

    def __init__(self, session: Session, console: Console, *, echo: bool) -> None:
        self._session = session
        self._console = console
        self._echo = echo
        self._status: Status | None = None
        self._asked: list[int] = []

    async def watch(self) -> None:
        """Print every message, or only what is going on, until cancelled."""
        if self._console.is_terminal:
            self._status = self._console.status(self._state(PlaygroundText.WAITING))
            self._status.start()
        try:
            while not self._echo:
                self._tell_state()
                await asyncio.sleep(_STATE_SECONDS)
            async for change in self._session.discord.subscribe():
                self._show(change)
        finally:
            if self._status is not None:
                self._status.stop()

    async def say(self, lines: Sequence[str]) -> None:
        """Type lines into #general and wait until each roundtable asked for has begun."""
        discord = self._session.discord
        person, channel = discord.person(_SPEAKER), discord.channel(CHANNEL)
        for line in lines:
            said = await discord.say(person.id, channel.id, line)
            if is_addressed(line):
                await discord.until(partial(self._answered, said), _REPLY_SECONDS)
                self._asked.append(said.id)

    async def done(self) -> bool:
        """Wait until every roundtable has ended; True when all of them concluded."""
        run_service = self._session.app.run_service
        await run_service.idle()
        for post in await self._waiting_specs():
            await self._accept(post)
        await run_service.idle()
        return all(run and run.status is RunStatus.CONCLUDED for run in await self._runs())

    async def _waiting_specs(self) -> list[Message]:
        """Specs of builds that rest until somebody accepts them."""
        known, discord = (
            await self._session.app.store.read(lambda conn: SpecRepository(conn).waiting()),
            self._session.discord,
        )
        names = {run_id for run_id, _ in known}
        shown = (m for thread in discord.threads() for m in discord.messages(thread.id))
        newest = {m.custom_ids[0].split(":")[1]: m for m in shown if _accepts(m)}
        return [post for run_id, post in newest.items() if run_id in names]

    async def _accept(self, post: Message) -> None:
        """Nobody else is there to press the button, so the person who asked does."""
        discord = self._session.discord
        accept = next(name for name in post.custom_ids if name.endswith(_ACCEPT))
        pressed = await discord.press(discord.person(_SPEAKER).id, post.id, accept)
        answer = await pressed.message()
        self._console.print(Text(PlaygroundText.accepts(_SPEAKER, answer.text), "dim"))

    async def _runs(self) -> list[Run | None]:
        """The run each question started, or None where it was refused."""
        store = self._session.app.store
        return await store.read(
            lambda conn: [RunRepository(conn).by_trigger(message_id) for message_id in self._asked]
        )

    def _answered(self, said: Message) -> bool:
        later = self._session.discord.messages(said.channel_id)
        bot_id = self._session.discord.bot_user_id
        return any(message.id > said.id and message.author.id == bot_id for message in later)

    def _show(self, change: Change) -> None:
        message = change.message
        if message is None or message.is_system or message.only_for is not None:
            return
        if change.name == "MESSAGE_CREATE":
            self._print(message)
        elif change.name == "MESSAGE_UPDATE" and self._status is not None:
            self._status.update(self._state(_first_lines(message.text)))

    def _tell_state(self) -> None:
        if self._status is not None:
            running = self._session.app.run_service.running
            self._status.update(self._state(PlaygroundText.going_on(running)))

    def _state(self, now: str) -> str:
        """What happens now, behind the address, which stays in view."""
        return escape(PlaygroundText.status(self._session.discord.url, now))

    def _print(self, message: Message) -> None:
        channel = self._session.discord.world.channels[message.channel_id]
        place = channel.name if channel.thread else f"#{channel.name}"
        name = message.author.name
        colour = _COLOURS[sum(name.encode()) % len(_COLOURS)]
        line = Text.assemble((f"{place} | ", "dim"), (name, f"bold {colour}"), ": ")
        line.append("\n    ".join(self._named(_readable(message)).splitlines()))
        self._console.print(line, soft_wrap=True)

    def _named(self, text: str) -> str:
        """Mentions as names and times as times, the way a client shows them."""
        users = self._session.discord.world.users
        channels = self._session.discord.world.channels
        text = _USER.sub(
            lambda m: f"@{users[int(m[1])].name}" if int(m[1]) in users else m[0], text
        )
        text = _CHANNEL.sub(
            lambda m: f"#{channels[int(m[1])].name}" if int(m[1]) in channels else m[0], text
        )
        return with_times(text, time.time())


async def run_terminal(
    session: Session,
    lines: Sequence[str],
    *,
    exit_when_done: bool,
    console: Console,
    echo: bool = True,
) -> int:
    """Type lines, print every message if they are to be echoed; returns the exit code."""
    terminal = _Terminal(session, console, echo=echo)
    watching = asyncio.create_task(terminal.watch())
    await asyncio.sleep(0)
    try:
        await terminal.say(lines)
        if not exit_when_done:
            await asyncio.wait({watching, session.connection}, return_when=asyncio.FIRST_COMPLETED)
            return 1
        return 0 if await terminal.done() else 1
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


def with_times(text: str, now: float) -> str:
    """Discord's marks of a point in time as the time, or as how far away it is if it is near."""

    def shown(mark: re.Match[str]) -> str:
        moment = int(mark[1])
        if mark[2] == "R" and abs(moment - now) < _NEAR_SECONDS:
            return PlaygroundText.away(round(moment - now))
        return clock_text(moment, now)

    return _TIME.sub(shown, text)


def _accepts(message: Message) -> bool:
    return any(":spec:" in name and name.endswith(_ACCEPT) for name in message.custom_ids)


def _readable(message: Message) -> str:
    files = [PlaygroundText.file(file["filename"]) for file in message.attachments]
    return "\n".join([message.text, *files]).strip() or PlaygroundText.NO_TEXT


def _first_lines(text: str) -> str:
    lines = [line.strip("# ") for line in text.splitlines() if line.strip()]
    return " · ".join(lines[:2])[:150]
