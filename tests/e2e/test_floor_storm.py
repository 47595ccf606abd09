"""Three people, five panelists, fifty messages and a bad network: one voice at a time."""

import itertools
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from bot.playground.faults import EventFault, Fault
from bot.playground.model import Channel, Message
from bot.store.repositories.posts import PostOrigin, PostRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import FAIL, ReceivedPrompt, ScriptedModels, scripted_playground
from tests.e2e.talk_steps import ping, voice_of

pytestmark = pytest.mark.heavy

FIVE = "roundtable --quick --panel opus,codex,gemini,grok,sonnet --debate is it so?"
PEOPLE = ("Jonas", "Ines", "Mara")
MESSAGES = 50
LONG = "and so on " * 230
_QUESTION = re.compile(r"Q\d+")


def wordy(asked: ReceivedPrompt) -> str:
    """A long answer that repeats its question; with the floor open one short word, then none."""
    if asked.values["OPEN_FLOOR"] == "yes":
        spoken_already = asked.role in asked.values.get("TALK", "") + asked.values["QUESTION"]
        return "NO_REPLY" if spoken_already else f"{asked.role} adds a word."
    return f"To {', '.join(_QUESTION.findall(asked.values['QUESTION']))}: {LONG}"


def a_bad_day(table: PlaygroundHarness) -> None:
    """What the network does meanwhile."""
    for fault in (
        Fault("status", "POST", "webhooks/*", status=502, after=True, times=2),
        Fault("reset", "POST", "webhooks/*", after=True, times=1),
        Fault("status", "POST", "webhooks/*", status=503, times=1),
        Fault("status", "POST", "channels/*/typing", status=403, times=3),
    ):
        fault.chance = 0.2
        table.discord.faults.add(fault)
    table.discord.faults.add(EventFault("double", "MESSAGE_CREATE", times=20, chance=0.3))
    table.discord.faults.add(EventFault("delay", "MESSAGE_CREATE", 0.03, times=6, chance=0.2))
    table.discord.faults.add(EventFault("reorder", "MESSAGE_CREATE", times=6, chance=0.1))


async def fifty_messages(
    table: PlaygroundHarness, thread: Channel, roles: list[str]
) -> dict[str, str]:
    """Say them; returns who was asked what, by the number of the question."""
    dice, asked = random.Random(6), dict[str, str]()
    for number in range(MESSAGES):
        role, person, name = dice.choice(roles), dice.choice(PEOPLE), f"Q{number}"
        kind = dice.choice(("name", "reply", "name", "reply", "chatter", "mention"))
        if kind == "name":
            await table.write_in(thread, f"{role}: {name}, what of it?", person=person)
        elif kind == "reply":
            target = dice.choice(messages_of(table, thread, role)).id
            await table.write_in(thread, f"{name} please", person=person, reply_to=target)
        elif kind == "chatter":
            await table.write_in(thread, "We talk among ourselves.", person=person)
        else:
            await table.write_in(thread, f"{ping(table)} {name}?", person=person)
        if kind in ("name", "reply"):
            asked[name] = role
        if dice.random() < 0.3:
            await table.discord.type(table.discord.person(person).id, thread.id)
            await table.ask_for_help()
    return asked


def messages_of(table: PlaygroundHarness, thread: Channel, role: str) -> list[Message]:
    return [m for m in table.said_in(thread) if m.webhook_id and m.author.name == role]


async def test_every_question_is_answered_once_by_its_panelist_and_no_parts_interleave(
    tmp_path: Path,
) -> None:
    """Issue 6 D3 2.2#35: split answers stay together, whatever else is said or goes wrong."""
    cast = ScriptedModels()
    cast.says["ask:*"] = wordy
    cast.says["ask:Advocate@claude-opus"] = FAIL
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(FIVE)
        roles = [seat.role for seat in held.record.seats]
        assert voice_of(table, held.thread, "Advocate")
        a_bad_day(table)
        asked = await fifty_messages(table, held.thread, roles)
        await table.discord.until(
            lambda: set(asked) <= set(answered_in(table, held.thread)), timeout=30
        )
        await table.talked()
        said = [m for m in table.said_in(held.thread) if m.author.bot]
        origins = await table.stored(
            lambda c: [PostRepository(c).find_by_message_id(m.id) for m in said]
        )
        struck = len(table.discord.faults.struck)
    assert struck > 20
    assert len(asked) > 25
    given = answered_in(table, held.thread)
    assert {name: given[name] for name in asked} == asked
    # A person's question to all may be taken up in the answer to their next one to a panelist.
    assert counted(said) == Counter(given.keys())
    assert interleaved(origins) == []
    assert all("claude-opus" not in m.content for m in said[-30:] if m.author.name == "Advocate")


def answered_in(table: PlaygroundHarness, thread: Channel) -> dict[str, str]:
    """Which panelist answered which question; the quote above an answer does not count."""
    said = [m for m in table.said_in(thread) if m.webhook_id]
    return {name: m.author.name for m in said for name in repeated(m)}


def counted(said: list[Message]) -> Counter[str]:
    return Counter(name for m in said if m.webhook_id for name in repeated(m))


def repeated(message: Message) -> list[str]:
    own = [line for line in message.content.split("\n") if line.startswith("To Q")]
    return _QUESTION.findall(own[0].partition(":")[0]) if own else []


def interleaved(origins: list[PostOrigin | None]) -> list[str]:
    """Posts of panelists whose parts do not stand together."""
    keys = [origin.key for origin in origins if origin is not None and origin.seat]
    runs = Counter(key for key, _ in itertools.groupby(keys))
    return [key for key, times in runs.items() if times > 1]
