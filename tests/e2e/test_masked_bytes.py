"""Fifty masked meetings: no byte that people can see says who sits before the reveal."""

import asyncio
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.playground.model import Change, Channel, Message, World
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import Seat, SeatRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import (
    FAIL,
    HOUSE,
    ReceivedPrompt,
    ScriptedModels,
    scripted_playground,
    words_of,
)

MEETINGS = 50
PRICES = re.compile(r"- a seat of [^\\\n]*")
"""`costs` lists what every configured model costs, whoever sits."""
SPENT = re.compile(r"-# By model this month: [^\\\n]*")
"""What earlier meetings cost, whose panels are revealed."""
REVEAL = "🎭 **Panelists revealed**"
PNG = b"\x89PNG"
TOPICS = {
    "vote": "tea or coffee?",
    "debate": "should the harbour get a tram?",
    "redteam": "our plan for the night market",
    "build": "a limiter for our queue",
    "default": "how do bees find home?",
}
GIVEAWAYS = (
    "I am {model}, the {role}.",
    "As a {lower}, and as {upper}, I differ from **{role}** and _{role}_.",
    "{family}-9.9-codex-preview speaks ({wire}; {provider}/{model}).",
    "{role}'s view, the {role}s' view, __{role}__, `{role}`: {family} 4.5 of {provider}.",
    "Signed: {spaced} 3.7 ({family}s are like that), ~~{role}~~, [{role}](https://{provider}.com/a)",
)


def two_providers(panels: dict[str, Any]) -> None:
    """Every model has a key, an id on the wire and a provider that differ from one another."""
    house = panels["providers"].pop(HOUSE)
    panels["providers"] = {"acmecloud": house, "zenithgate": house}
    for number, (name, model) in enumerate(sorted(panels["models"].items())):
        provider = ("acmecloud", "zenithgate")[number % 2]
        model["routes"] = [{"provider": provider, "model": f"vnd{number}/{name}-20260501"}]
    panels["trigger"] |= {"cooldownSeconds": 0, "maxConcurrent": 100}
    limits = ("confirmAboveUsd", "perRunUsd", "perPersonPerDayUsd", "perServerPerDayUsd")
    panels["budgets"] = dict.fromkeys(limits, 1000)


@dataclass
class Eyes:
    """Everything that people were sent; what they wrote themselves is left out."""

    world: World
    seen: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    files: int = 0

    def see(self, change: Change) -> None:
        if change.viewers <= {self.world.bot.id}:
            return
        author = change.payload.get("author") or {}
        if change.name.startswith("MESSAGE_") and author and not author.get("bot"):
            self.own.append(change.payload["content"])
            return
        face = change.message.avatar_url if change.message else ""
        self.seen.append(json.dumps(change.payload, ensure_ascii=False, default=str) + face)

    def before_reveal(self) -> str:
        """All of it up to the reveal, with the text of every file until then, and forget it."""
        shown = next((n for n, one in enumerate(self.seen) if REVEAL in one), len(self.seen))
        text = "\n".join(self.seen[:shown])
        uploads = list(self.world.files.items())[self.files :]
        self.files += len(uploads)
        for number, upload in uploads:
            if f'"{number}"' in text and not upload.content.startswith(PNG):
                text += f"\n{upload.name}{upload.content.decode(errors='ignore')}"
        for own in sorted(self.own, key=len, reverse=True):
            text = text.replace(json.dumps(own, ensure_ascii=False)[1:-1], "")
        self.seen.clear()
        return PRICES.sub("", text)


def given_away(panel: tuple[Seat, ...], models: tuple[str, ...], text: str) -> list[str]:
    """What can be read of a panel in a text, with some of what is around it."""
    words = {*models, *(seat.slug for seat in panel)}
    for role in {seat.role for seat in panel}:
        words |= {role, role.replace("'", "’")}
    return [
        f"{word}: …{text[max(0, hit.start() - 90) : hit.end() + 40]}…"
        for word in words
        for hit in re.finditer(rf"(?i)(?<![^\W_]){re.escape(word)}s?(?![^\W_])", text)
    ]


class Giveaway:
    """Panelists who try to say who they are, each time in another way."""

    def __init__(self, cast: ScriptedModels, names: dict[str, dict[str, str]]) -> None:
        self.cast, self.names, self.dice = cast, names, random.Random(0)

    def __call__(self, asked: ReceivedPrompt) -> str:
        model, role = self.names[asked.model], asked.role or "Chair"
        told = self.dice.choice(GIVEAWAYS).format(
            **model, role=role, lower=role.lower(), upper=role.upper()
        )
        written = self.cast.written(asked).replace(words_of(asked), "own")
        if asked.label.startswith(("meta", "summary", "gate", "spec", "build", "proposition")):
            return written
        if asked.label in ("synthesis", "rewrite"):
            return written.replace("Do it.", f"Do it. {told}").replace("Judge:", told)
        return f"{told}\n\n{written.replace('thesis', f'thesis ({told})')}"


def names_of(panels: dict[str, Any]) -> dict[str, dict[str, str]]:
    """By the id on the wire, what a model can be called."""
    return {
        route["model"]: {
            "model": key,
            "wire": route["model"],
            "family": model["family"],
            "provider": route["provider"],
            "spaced": key.replace("-", " ").title(),
        }
        for key, model in panels["models"].items()
        for route in model["routes"]
    }


def wishes(dice: random.Random, panels: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Fifty requests: every mode, quick or designed, manual panels, validation, rounds."""
    sitters = sorted({a["model"] for p in panels["panels"].values() for a in p["agents"]})
    for number in range(MEETINGS):
        mode = list(TOPICS)[number % len(TOPICS)]
        flags = ["--masked"] + [f"--{mode}"] * (mode != "default")
        flags += dice.choice((["--quick"], ["--quick"], [], ["--rounds", "2"], ["--validate"]))
        if dice.random() < 0.3 and "--quick" not in flags:
            flags += ["--panel", ",".join(dice.sample(sitters, 3))]
        yield mode, f"roundtable {' '.join(flags)} {TOPICS[mode]} (no. {number})"


@pytest.mark.heavy
async def test_no_byte_of_fifty_masked_meetings_names_anybody_before_the_reveal(
    tmp_path: Path,
) -> None:
    """E13: posts, cards, buttons, forms, files, names, faces, commands, and the page's wire."""
    cast, panels, problems = ScriptedModels(), {}, list[str]()

    def edit(found: dict[str, Any]) -> None:
        two_providers(found)
        panels.update(found)

    async with scripted_playground(tmp_path, cast, edit_panels=edit, sleep=never) as table:
        names, dice = names_of(panels), random.Random(7)
        hidden = tuple({word for one in names.values() for word in one.values()})
        eyes = Eyes(table.discord.world)
        table.discord.world.listeners.append(eyes.see)
        for number, (mode, wish) in enumerate(wishes(dice, panels)):
            cast.says.clear()
            cast.says["*"] = Giveaway(cast, names)
            if number % 3 == 0:
                cast.says[f"*@{dice.choice(sorted(names))}"] = FAIL
            run = await hold(table, wish)
            if mode == "vote":
                await ask_everything(table, run)
            panel = await panel_of(table, run)
            text = eyes.before_reveal()
            if mode == "vote":
                text += files_of(table.home, run)
            if number:
                text = SPENT.sub("", text)
            assert len(text) > 1000, wish
            problems += [f"{wish}\n   {one}" for one in given_away(panel, hidden, text)]
    assert not problems, "\n".join(problems[:40])


async def panel_of(table: PlaygroundHarness, run: Run) -> tuple[Seat, ...]:
    panel: tuple[Seat, ...] = await table.stored(lambda conn: SeatRepository(conn).of_run(run.id))
    return panel


async def never(_: float) -> None:
    """The second vote stays open."""
    await asyncio.Event().wait()


async def hold(table: PlaygroundHarness, wish: str) -> Run:
    """Hold a meeting to its end, and ask for its status, the list and the costs meanwhile."""
    threads = len(table.discord.threads())
    await table.say(wish)
    thread = await table.thread(threads + 1)
    for word in ("status", "list", "costs"):
        await table.reply_to(await table.write_in(thread, f"roundtable {word}"))
    await table.concluded(thread)
    if (spec := table.waiting_spec(thread)) is not None:
        await table.press(spec, "accept")
        await table.concluded(thread)
    run = await table.session.app.run_service.last_in(thread.id)
    assert run
    return run


async def ask_everything(table: PlaygroundHarness, run: Run) -> None:
    """All that can be asked about a meeting whose panel is still masked."""
    discord, ines = table.discord, table.discord.person("Ines")
    thread: Channel = discord.world.channels[run.thread_id or 0]
    for word in ("status", "show", "list", "costs", "read", "export"):
        await table.reply_to(await table.write_in(thread, f"roundtable {word}"))
    for command in ("status", "show", "list", "costs"):
        await (await discord.slash(ines.id, thread.id, f"roundtable {command}", {})).message()
    said: list[Message] = [m for m in table.said_in(thread) if m.webhook_id]
    await (await discord.menu(ines.id, said[0].id, "Who said this?")).message()
    await table.write_in(thread, f"{said[0].author.name}, who are you really?")
    await discord.until(lambda: len([m for m in table.said_in(thread) if m.webhook_id]) > len(said))
    await table.talked()
    for message in list(table.said_in(thread)):
        for button in message.custom_ids:
            if button.endswith((":ask", ":details", ":minutes", ":read", ":show", ":status")):
                await (await discord.press(ines.id, message.id, button)).answer()
    await table.session.app.talk.idle()


def files_of(home: Path, run: Run) -> str:
    """The exports of a run."""
    folder = home / "memory" / "roundtables"
    texts = [path.read_bytes().decode(errors="replace") for path in folder.glob("*.*")]
    kept = [text for text in texts if run.id in text]
    assert kept
    return "\n".join(text for text in kept if not text.startswith('{"ts"'))
