"""The people of a fleet's servers: they ask for roundtables and talk with the panelists."""

import random
import time
from typing import Final

from bench.support.fleet_arena import FleetArena
from bench.support.fleet_watch import IDLE, TALK, FleetWatch, Watched

COMMANDS: Final = (
    "roundtable --debate --rounds 2 topic {n}: is it so?",
    "roundtable --vote topic {n}: tea or coffee?",
    "roundtable --redteam topic {n}: what breaks?",
    "roundtable --debate --validate --rounds 2 topic {n}: should we?",
    "roundtable --panel opus,grok,gemini --debate --rounds 2 topic {n}: shall it be?",
    "roundtable --quick --vote topic {n}: now or later?",
)
QUESTIONS_EACH: Final = 2
_TALKING_AT_ONCE: Final = 3


class People:
    """They ask, and reply to what panelists said."""

    def __init__(self, watch: FleetWatch, dice: random.Random, runs: int) -> None:
        self.watch = watch
        self.dice = dice
        self.runs = runs
        self.questions = 0

    @property
    def arena(self) -> FleetArena:
        """Where they are."""
        return self.watch.arena

    @property
    def may_ask(self) -> bool:
        """Whether not all roundtables have been asked for."""
        return len(self.watch.runs) < self.runs

    async def ask(self) -> Watched:
        """Somebody asks for one more roundtable, in the next server."""
        number = len(self.watch.runs)
        text = COMMANDS[number % len(COMMANDS)].format(n=number + 1)
        topic = text[text.index("topic ") :]
        channels = self.arena.channels()
        channel = channels[number % len(channels)]
        run = Watched(topic, text, channel.id, time.time())
        self.watch.runs[topic] = run
        person = self.arena.discord.person(self.dice.choice(("Mara", "Jonas")))
        await self.arena.discord.say(person.id, channel.id, text)
        return run

    def silent(self) -> list[Watched]:
        """What is over and has nobody talking, those that were talked with least first."""
        idle = [run for run in self.watch.runs.values() if run.phase == IDLE and run.thread_id]
        return sorted(idle, key=lambda run: len(run.questions))

    async def talk(self, run: Watched) -> None:
        """Somebody replies to a panelist."""
        discord = self.arena.discord
        said = [m for m in discord.messages(run.thread_id) if m.webhook_id]
        if not said:
            return
        self.questions += 1
        text = f"Why do you say that? (question {self.questions})"
        number = self.questions
        replied = self.dice.choice(said).id
        message = await discord.say(
            discord.person("Mara").id, run.thread_id, text, reply_to=replied
        )
        run.questions[number] = message.id

    async def talk_a_little(self) -> None:
        """Reply where nobody has done so often enough, in a few threads at once."""
        talking = sum(run.phase == TALK for run in self.watch.runs.values())
        waiting = [run for run in self.silent() if len(run.questions) < QUESTIONS_EACH]
        if waiting and talking < _TALKING_AT_ONCE:
            await self.talk(waiting[0])
