"""A rolling restart: every process of a fleet is replaced while meetings run and people press."""

import asyncio
import math
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from bench.support.fleet_arena import FleetArena, Member
from bench.support.fleet_people import People
from bench.support.fleet_watch import FleetWatch
from bot.messages.command_line import FleetText
from bot.messages.discord import ButtonText
from bot.messages.starting import AdmissionText
from bot.messages.store import StoreText
from bot.playground._basics import walk
from bot.playground._interactions import Interaction
from bot.playground.errors import NotPermitted

COMMANDS: Final = ("roundtable help", "roundtable list", "roundtable costs")
BUTTONS: Final = (":vote:before:", ":vote:after:", ":details")
NO_ANSWER: Final = "the application did not respond"
NO_TEXT: Final = "the answer was announced and never came"
_ERRORS: Final = (
    FleetText.NO_WORKER,
    AdmissionText.RESTARTING,
    StoreText.CLOSED,
    StoreText.unreachable("").lstrip(),
    ButtonText.broke("").partition(":")[0],
)
PRESS_SECONDS: Final = 0.35
ANSWER_SECONDS: Final = 3.0
_SHOWN_SECONDS: Final = 20.0
_SETTLED: Final = 3.0
_BETWEEN_RUNS: Final = 0.4
"""Nobody asks for twenty roundtables in the same instant."""
_NEWCOMER_SECONDS: Final = 20.0
_LONGEST_END: Final = 30.0
_LAST_MODEL_SECONDS: Final = 0.3
"""When every process was replaced, nobody has to wait for slow models."""


@dataclass(slots=True)
class Presses:
    """What people pressed: how long each waited for its answer, and the errors they read."""

    waited: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    when: list[str] = field(default_factory=list)

    def note(self, seconds: float, text: str, what: str) -> None:
        """Count one press; a text that says that something did not work is an error."""
        self.waited.append(seconds)
        error = error_in(text)
        if error:
            self.errors[error] += 1
            self.when.append(f"{what}: {error}")


def error_in(text: str) -> str:
    """What a person reads as a failure of the bot, else nothing."""
    if text in (NO_ANSWER, NO_TEXT):
        return text
    return next((text[:90] for known in _ERRORS if known and known in text), "")


class RollingRestart:
    """Replaces one process after the other."""

    def __init__(self, arena: FleetArena, dice: random.Random, runs: int) -> None:
        self.arena = arena
        self.dice = dice
        self.runs = runs
        self.watch = FleetWatch(arena)
        self.people = People(self.watch, dice, runs)
        self.presses = Presses()
        self.under_way: list[int] = []
        self.step = "before"
        self._pressing: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Ask, press and replace; ends when everything is over."""
        chores = [asyncio.create_task(self.watch.follow())]
        try:
            for _ in range(self.runs):
                await self.people.ask()
                await asyncio.sleep(_BETWEEN_RUNS)
            pressing = asyncio.create_task(self._press_on())
            chores.append(pressing)
            await asyncio.sleep(_SETTLED)
            for old in list(self.arena.members):
                await self._replace(old)
            self.step = "after"
            await asyncio.sleep(_SETTLED)
            pressing.cancel()
            self.arena.models.seconds = _LAST_MODEL_SECONDS
            await asyncio.gather(*self._pressing)
            await self._finish()
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)

    async def _replace(self, old: Member) -> None:
        """Start the new process first, as a rolling update does, then ask the old one to end."""
        self.step = f"replacing {old.name}"
        self.under_way.append(sum(not run.concluded for run in self.watch.runs.values()))
        new = await self.arena.start(old.role)
        until = time.monotonic() + _NEWCOMER_SECONDS
        while time.monotonic() < until and not new.logged():
            await asyncio.sleep(0.1)
        await asyncio.sleep(_SETTLED)
        old.send(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_END):
                await old.process.wait()
        await self.arena.end(old)
        await asyncio.sleep(_SETTLED)

    async def _finish(self) -> None:
        until = time.monotonic() + 120.0
        while time.monotonic() < until and self.watch.open_runs():
            await asyncio.sleep(0.1)

    async def _press_on(self) -> None:
        while True:
            task = asyncio.create_task(self._press())
            self._pressing.add(task)
            task.add_done_callback(self._pressing.discard)
            await asyncio.sleep(self.dice.uniform(0.5, 1.5) * PRESS_SECONDS)

    async def _press(self) -> None:
        person = self.arena.discord.person(self.dice.choice(("Mara", "Jonas"))).id
        began, step = time.monotonic(), self.step
        buttons = list(self._buttons())
        try:
            if buttons and self.dice.random() < 0.5:
                message_id, what = self.dice.choice(buttons)
                pressed = await self.arena.discord.press(person, message_id, what)
            else:
                channel, what = self.dice.choice(self.arena.channels()), self.dice.choice(COMMANDS)
                pressed = await self.arena.discord.slash(person, channel.id, what)
        except NotPermitted:
            return  # the button went away, or the commands are not there yet
        try:
            await pressed.answer(2 * ANSWER_SECONDS)
        except TimeoutError:
            self.presses.note(math.inf, NO_ANSWER, f"{step}, {what}")
            return
        waited = time.monotonic() - began
        self.presses.note(waited, await _read(pressed), f"{step}, {what}")

    def _buttons(self) -> Iterator[tuple[int, str]]:
        for thread in self.arena.discord.threads():
            for message in self.arena.discord.messages(thread.id):
                for part in walk(message.components):
                    name = part.get("custom_id", "")
                    if not part.get("disabled") and any(word in name for word in BUTTONS):
                        yield message.id, name


async def _read(pressed: Interaction) -> str:
    """What a person reads in the end; an acknowledged press shows nothing."""
    first = pressed.first
    if first is None or first.kind not in ("message", "deferred"):
        return ""
    try:
        return (await pressed.message(_SHOWN_SECONDS)).text
    except TimeoutError:
        return NO_TEXT
