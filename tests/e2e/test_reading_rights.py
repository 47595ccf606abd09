"""Nobody reads what they cannot read now: the same sentence, the same look-ups, the same time."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.playground.faults import Limits
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import (
    ChannelPlan,
    GuildPlan,
    OverwritePlan,
    PersonPlan,
    RolePlan,
    the_table,
)
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

BOT_ROLE = "Roundtable"
EVERYONE = "@everyone"
REFUSAL_SECONDS = 0.6

TOPIC = "should the vault be moved"
BY_ID = ("status", "show", "read", "export", "stop", "retry", "end")
READS = ("status", "show", "read", "export")
MAY = ("Jonas", "Ines", "Mara")
MAY_NOT = ("Sam", "Lena", "Otto")
NOWHERE = "rt_00000000"
NOT_FOUND = "Roundtable not found: use `/roundtable list` to see those you can read."
NOT_FOUND_IN_PUBLIC = (
    "Roundtable not found, or not readable by everyone here: use `/roundtable list` to see those "
    "you can read."
)
EMPTY_LIST = (
    "There are no roundtables you can read yet: type `roundtable` and a question to start one."
)


def no_context(slug: str) -> str:
    return f"`--context-from {slug}` was not found, so this roundtable starts without it"


def two_servers() -> EmbeddedDiscord:
    """A server with a closed channel, and another one; Lena will lose her role."""
    table = the_table()
    shut = OverwritePlan(EVERYONE, deny=("view_channel",))
    open_to = [OverwritePlan(name, allow=("view_channel",)) for name in (BOT_ROLE, "Inner")]
    closed = ChannelPlan("vault", overwrites=(shut, *open_to))
    people = (
        PersonPlan("Mara", ("Admin",)),
        PersonPlan("Jonas", ("Inner",)),
        PersonPlan("Ines", ("Inner",)),
        PersonPlan("Lena", ("Inner",)),
        PersonPlan("Sam"),
    )
    home = GuildPlan(
        table.name,
        table.owner,
        people,
        (*table.channels, closed),
        (*table.roles, RolePlan("Inner")),
    )
    away = GuildPlan("Away", "Otto", (PersonPlan("Otto"),), (ChannelPlan("lounge"),))
    return EmbeddedDiscord((home, away), limits=Counting())


@dataclass
class Counting(Limits):
    """Remembers what the bot asked Discord for."""

    asked: list[str] = field(default_factory=list)

    def take(self, route: str, major: str) -> tuple[dict[str, str], float, bool]:
        self.asked.append(route)
        return super().take(route, major)


@dataclass
class Hall:
    """A table whose vault was the place of a roundtable."""

    table: PlaygroundHarness
    thread: Channel
    run_id: str
    slept: list[float]

    @property
    def asked(self) -> list[str]:
        limits = self.table.discord.limits
        assert isinstance(limits, Counting)
        return limits.asked

    def channel_for(self, person: str) -> Channel:
        return self.table.discord.channel("lounge" if person == "Otto" else "general")

    async def slash(self, person: str, command: str, **options: str) -> Message:
        discord = self.table.discord
        who, where = discord.person(person).id, self.channel_for(person).id
        pressed = await discord.slash(who, where, f"roundtable {command}", options)
        return await pressed.message()

    async def completed(self, person: str, command: str, option: str, typed: str) -> list[str]:
        discord = self.table.discord
        who, where = discord.person(person).id, self.channel_for(person).id
        asked = await discord.slash(
            who, where, f"roundtable {command}", {option: typed}, focused=option
        )
        return [choice["value"] for choice in (await asked.answer()).data["choices"]]

    def tells_of_it(self, message: Message) -> bool:
        """Whether a message says anything about the hidden roundtable."""
        names = [attached["filename"] for attached in message.attachments]
        shown = " ".join([message.text, *names])
        return any(mark in shown for mark in ("vault", self.run_id, str(self.thread.id)))


@pytest.fixture
async def holder(tmp_path: Path) -> AsyncIterator[Hall]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with open_harness(tmp_path, discord=two_servers(), sleep=sleep) as table:
        held = await table.hold(f"roundtable --quick --debate {TOPIC}", channel="vault")
        guild = held.thread.guild
        assert guild
        guild.members[table.discord.person("Lena").id].clear()
        slept.clear()
        yield Hall(table, held.thread, held.record.run_id, slept)


async def test_what_one_cannot_read_is_not_found_by_any_command(holder: Hall) -> None:
    """Issue 9 point 4: readers x commands; a stranger, another server, access lost since."""
    for person in MAY_NOT:
        for command in BY_ID:
            before = len(holder.slept)
            holder.asked.clear()
            hidden = await holder.slash(person, command, id=holder.run_id)
            asked_for_hidden = sorted(holder.asked)
            holder.asked.clear()
            missing = await holder.slash(person, command, id=NOWHERE)
            assert asked_for_hidden == sorted(holder.asked)
            assert (person, command, hidden.content) == (person, command, missing.content)
            assert hidden.content == NOT_FOUND
            assert hidden.attachments == []
            assert len(holder.slept) == before + 2
        assert (await holder.slash(person, "list")).content == EMPTY_LIST
        for option in ("", "vault", holder.run_id):
            assert await holder.completed(person, "show", "id", option or " ") == []
            assert await holder.completed(person, "start", "context_from", option or " ") == []
    assert all(0 < seconds <= REFUSAL_SECONDS for seconds in holder.slept)


async def test_those_who_can_read_it_get_everything_in_private(holder: Hall) -> None:
    """C7 C8 C11, design 11."""
    for person in MAY:
        for command in READS:
            shown = await holder.slash(person, command, id=holder.run_id)
            assert holder.tells_of_it(shown), (person, command)
            assert shown.only_for == holder.table.discord.person(person).id
        listed = await holder.slash(person, "list")
        assert TOPIC in listed.content
        assert holder.run_id in listed.content
        assert await holder.completed(person, "show", "id", "VAULT moved") == [holder.run_id]
        (name,) = await holder.completed(person, "start", "context_from", "vault")
        assert name.endswith("should-the-vault-be-moved")
    assert holder.slept == []


async def test_an_answer_aloud_says_only_what_everybody_there_can_read(holder: Hall) -> None:
    """2.2#42: the same words as text; Jonas could read it, but the whole channel would."""
    for command in READS:
        said = await holder.table.say(f"roundtable {command} {holder.run_id}")
        reply = await holder.table.reply_to(said)
        assert reply.content == NOT_FOUND_IN_PUBLIC
        assert reply.attachments == []
    reply = await holder.table.reply_to(await holder.table.say("roundtable list"))
    assert not holder.tells_of_it(reply)
    there = await holder.table.say("roundtable list", channel="vault")
    assert holder.run_id in (await holder.table.reply_to(there)).content
    inside = await holder.table.write_in(holder.thread, "roundtable export")
    reply = await holder.table.reply_to(inside)
    endings = [file["filename"].rpartition(".")[2] for file in reply.attachments]
    assert endings == ["md", "html", "json"]


@pytest.mark.parametrize(("person", "found"), [("Ines", True), ("Lena", False)])
async def test_a_roundtable_builds_only_on_what_its_starter_can_read(
    holder: Hall, person: str, found: bool
) -> None:
    """E109 2.2#45."""
    slug = "should-the-vault-be-moved"
    held = await holder.table.hold(
        f"roundtable --quick --debate --context-from {slug} and then what", person=person
    )
    assert (no_context(slug) in held.card) is not found


async def test_a_newer_roundtable_of_the_same_name_that_is_hidden_hides_nothing(
    holder: Hall,
) -> None:
    """2.2#45: the newest that the asker can read."""
    own = await holder.table.hold(f"roundtable --quick --debate {TOPIC}", person="Sam")
    newer = await holder.table.hold(f"roundtable --quick --vote {TOPIC}", channel="vault")
    assert newer.record.created_at >= own.record.created_at
    slug = "should-the-vault-be-moved"
    built = await holder.table.hold(
        f"roundtable --quick --debate --context-from {slug} what follows from that", person="Sam"
    )
    assert no_context(slug) not in built.card
    run = await holder.table.session.app.run_service.last_in(built.thread.id)
    assert run
    assert run.request["context_run"] == own.record.run_id


async def test_a_private_thread_is_for_those_inside_it(tmp_path: Path) -> None:
    """Issue 9 point 4: Ines reads the channel, but not the private thread in it."""
    discord = two_servers()
    jonas, vault = discord.person("Jonas").id, discord.channel("vault").id
    thread = await discord.open_thread(jonas, vault, "behind the vault")
    thread["type"] = 12
    async with open_harness(tmp_path, discord=discord) as table:
        said = await table.write_in(thread, f"roundtable --quick --debate {TOPIC}")
        await table.discord.until(lambda: any("META" in m.text for m in table.said_in(thread)))
        run = await table.session.app.run_service.last_in(thread.id)
        assert run
        assert said
        holder = Hall(table, thread, run.id, [])
        assert holder.tells_of_it(await holder.slash("Jonas", "show", id=run.id))
        assert holder.tells_of_it(await holder.slash("Mara", "show", id=run.id))
        assert (await holder.slash("Ines", "show", id=run.id)).content == NOT_FOUND
        aloud = await table.say(f"roundtable show {run.id}", channel="vault")
        assert (await table.reply_to(aloud)).content == NOT_FOUND_IN_PUBLIC
