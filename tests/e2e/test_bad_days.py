"""Bad days: the run ends in a known phase, its starter is told, nobody else is disturbed."""

import asyncio
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from discord import Permissions
from sqlalchemy import Connection

from bot.operations.check_parts import untold_lines
from bot.playground.faults import Fault
from bot.playground.model import Channel, Guild, Message
from bot.playground.server import EmbeddedDiscord
from bot.store import EventType, Phase
from bot.store.log import events
from bot.store.repositories.runs import Run, RunRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import ReceivedPrompt, ScriptedModels, scripted_playground
from tests.store.conftest import sql, writer_of
from tests.support.time_travel import set_clock

pytestmark = pytest.mark.heavy

READERS = 4

ASKED = "roundtable --quick --debate"
SEATS = 3


@dataclass
class Day:
    """A table with two roundtables; the seats of the first wait until the trouble is there."""

    table: PlaygroundHarness
    cast: ScriptedModels
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    all_think: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def discord(self) -> EmbeddedDiscord:
        return self.table.discord

    async def think(self, asked: ReceivedPrompt) -> str:
        if "trouble" in asked.text:
            if len(self.cast.asked("r1:*")) == SEATS:
                self.all_think.set()
            await self.waiting.wait()
        return self.cast.written(asked)

    async def begin(self) -> tuple[Channel, Channel]:
        """The thread of the run that is in for trouble, and of the one that is not."""
        bad = await self.begin_alone()
        await self.table.say(f"{ASKED} peace", channel="decisions", person="Ines")
        return bad, await self.table.thread(2)

    async def begin_alone(self) -> Channel:
        """The thread of a run whose seats all think."""
        await self.table.say(f"{ASKED} trouble")
        await asyncio.wait_for(self.all_think.wait(), 10)
        return await self.table.thread(1)

    async def run_of(self, thread_id: int) -> Run:
        found: Run = await self.table.stored(lambda conn: RunRepository(conn).by_thread(thread_id))
        return found

    async def phase_is(self, run_id: str, phase: Phase) -> Run:
        """Wait until a run is in a phase; the store is asked, not the screen."""
        async with asyncio.timeout(10):
            while True:
                run: Run = await self.table.stored(lambda conn: RunRepository(conn).require(run_id))
                if run.phase is phase:
                    return run
                await asyncio.sleep(0.02)

    def find(self, place: Channel, words: str) -> Message | None:
        said = place.messages.values()
        return next((m for m in said if words in m.content), None)

    async def seen(self, place: Channel, words: str) -> Message:
        found = await self.discord.until(lambda: self.find(place, words))
        assert found
        return found

    async def private(self, words: str) -> Message:
        """What Jonas reads in his direct conversation with the bot."""
        return await self.seen(self.discord.world.direct(self.discord.person("Jonas").id), words)

    async def others_conclude(self, peace: Channel) -> None:
        await self.seen(peace, "🔧 META")
        run = await self.run_of(peace.id)
        await self.phase_is(run.id, Phase.COMPLETED)

    async def retried(self, channel: str, run_id: str) -> str:
        said = await self.table.say(f"roundtable retry {run_id}", channel=channel)
        return (await self.table.reply_to(said)).content


@pytest.fixture
async def day(tmp_path: Path) -> AsyncIterator[Day]:
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        made = Day(table, cast)
        cast.says["r1:*"] = made.think
        yield made
        made.waiting.set()


def remove(discord: EmbeddedDiscord, channel: Channel) -> None:
    """Somebody deletes a channel with its threads, or a thread."""
    world = discord.world
    for thread in world.threads_of(channel.id):
        remove(discord, thread)
    world.announce_channel("THREAD_DELETE" if channel.thread else "CHANNEL_DELETE", channel)
    del world.channels[channel.id]


def forbid(discord: EmbeddedDiscord, channel: Channel, *permissions: str) -> None:
    """An admin takes permissions away from the bot; none gives everything back."""
    bot = str(discord.bot_user_id)
    denied = Permissions(**dict.fromkeys(permissions, True)).value
    entry = {"id": bot, "type": 1, "allow": "0", "deny": str(denied)}
    channel.overwrites = [entry] if permissions else []
    discord.world.announce_channel("CHANNEL_UPDATE", channel)


async def test_a_deleted_thread_ends_the_run_and_a_retry_opens_another(day: Day) -> None:
    """B50: told in the channel; what was answered is not asked again."""
    deleted = asyncio.Event()

    async def think_again(asked: ReceivedPrompt) -> str:
        if "trouble" in asked.text:
            await deleted.wait()
        return day.cast.written(asked)

    day.cast.says["synthesis"] = think_again
    bad, peace = await day.begin()
    run = await day.run_of(bad.id)
    day.waiting.set()
    await day.discord.until(lambda: any("trouble" in it.text for it in day.cast.asked("synthesis")))
    remove(day.discord, bad)
    deleted.set()
    general = day.discord.channel("general")
    told = await day.seen(general, "⚠️ This roundtable failed")
    assert "its thread was deleted" in told.content
    assert told.pings.users == {day.discord.person("Jonas").id}
    await day.phase_is(run.id, Phase.FAILED)
    await day.others_conclude(peace)
    answered = len(day.cast.asked("r1:*"))
    assert "It continues in" in await day.retried("general", run.id)
    again = await day.table.thread(2)
    await day.seen(again, "so it continues here")
    await day.seen(again, "🔧 META")
    await day.phase_is(run.id, Phase.COMPLETED)
    assert (await day.run_of(again.id)).id == run.id
    assert len(day.cast.asked("r1:*")) == answered
    await day.table.session.app.run_service.idle()
    assert "Concluded" in day.table.card(again).text


async def test_a_deleted_channel_is_told_in_private_and_a_retry_moves_the_run(day: Day) -> None:
    bad, peace = await day.begin()
    run = await day.run_of(bad.id)
    remove(day.discord, day.discord.channel("general"))
    day.waiting.set()
    assert f"Roundtable `{run.id}`: trouble" in (await day.private("failed")).content
    await day.phase_is(run.id, Phase.FAILED)
    await day.others_conclude(peace)
    assert "It continues in" in await day.retried("decisions", run.id)
    await day.phase_is(run.id, Phase.COMPLETED)
    moved = await day.run_of((await day.table.thread(2)).id)
    assert (moved.id, moved.output_channel_id) == (run.id, day.discord.channel("decisions").id)


async def test_a_deleted_webhook_is_made_anew_and_nothing_is_lost(day: Day) -> None:
    bad, peace = await day.begin()
    await day.others_conclude(peace)
    day.discord.world.webhooks.clear()
    day.waiting.set()
    await day.seen(bad, "🔧 META")
    assert day.table.voices(bad) == [
        "Roundtable",
        "Advocate",
        "Devil's Advocate",
        "Analyst",
        "Roundtable",
    ]


async def test_lost_permissions_are_told_where_the_bot_may_speak_and_given_back_it_goes_on(
    day: Day,
) -> None:
    bad, peace = await day.begin()
    run, general = await day.run_of(bad.id), day.discord.channel("general")
    forbid(day.discord, general, "send_messages_in_threads")
    day.waiting.set()
    told = await day.seen(general, "⚠️ This roundtable failed")
    assert "no longer have Send Messages in Threads there" in told.content
    await day.phase_is(run.id, Phase.FAILED)
    await day.others_conclude(peace)
    forbid(day.discord, general)
    assert f"<#{bad.id}>" in await day.retried("general", run.id)
    await day.seen(bad, "🔧 META")
    said = [m.content for m in bad.messages.values() if m.webhook_id]
    assert len(said) == len(set(said))


def kick(discord: EmbeddedDiscord, guild: Guild) -> set[int]:
    roles = guild.members.pop(discord.bot_user_id)
    left = {"id": str(guild.id), "unavailable": False}
    discord.world.announce("GUILD_DELETE", left, frozenset({discord.bot_user_id}))
    return roles


def invite(discord: EmbeddedDiscord, guild: Guild, roles: set[int]) -> None:
    world = discord.world
    guild.members[discord.bot_user_id] = roles
    body = {"members": [guild.member(world.bot)], "channels": world.channels_of(guild)}
    body |= {"threads": world.active_threads(guild), "large": False}
    world.announce("GUILD_CREATE", guild.wire() | body, frozenset({discord.bot_user_id}))


async def test_a_kicked_bot_ends_its_runs_tells_in_private_and_goes_on_when_invited_again(
    day: Day,
) -> None:
    bad = await day.begin_alone()
    run, guild = await day.run_of(bad.id), bad.guild
    assert guild
    roles = kick(day.discord, guild)
    day.waiting.set()
    await day.private("⚠️ This roundtable failed")
    await day.phase_is(run.id, Phase.FAILED)
    assert not day.table.session.connection.done()
    invite(day.discord, guild, roles)
    assert "It continues in" in await day.retried("general", run.id)
    await day.seen(bad, "🔧 META")


async def test_when_nobody_can_be_told_check_says_so(day: Day) -> None:
    bad, peace = await day.begin()
    run = await day.run_of(bad.id)
    remove(day.discord, day.discord.channel("general"))
    day.discord.faults.add(Fault("status", "POST", "users/@me/channels", status=403, times=-1))
    day.waiting.set()
    await day.phase_is(run.id, Phase.FAILED)
    await day.others_conclude(peace)
    await day.table.session.app.run_service.idle()
    log = await day.table.stored(lambda conn: events.history(conn, run.id, EventType.RUN_NOTICE))
    assert [event.key for event in log] == ["untold:ending@1"]
    lines = "\n".join(untold_lines(day.table.home))
    assert run.id in lines
    assert "roundtable retry" in lines


def pages(extra: int | None) -> Callable[[Connection], None]:
    """Room for so many more pages in the file; None is a disk with room again."""

    def work(conn: Connection) -> None:
        used = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        limit = 1 << 30 if extra is None else used + extra
        conn.exec_driver_sql(f"PRAGMA max_page_count={limit}")

    return work


@asynccontextmanager
async def full_disk(day: Day) -> AsyncIterator[str]:
    store = day.table.session.app.store
    # A small run fits into pages that are there; with a heap that grows beside the log none does.
    execute = await writer_of(store)
    execute("CREATE TABLE heap (bytes BLOB)")
    grow = "INSERT INTO heap VALUES (randomblob(9000));"
    execute(f"CREATE TEMP TRIGGER grow AFTER INSERT ON events BEGIN {grow} END")
    await store.write(pages(0))
    yield "is full: free some space, then try again"
    await store.write(pages(None))
    execute("DROP TRIGGER grow")


@asynccontextmanager
async def read_only_disk(day: Day) -> AsyncIterator[str]:
    execute = await writer_of(day.table.session.app.store)
    execute("PRAGMA query_only=ON")
    yield "is read-only: give Roundtable write permission"
    execute("PRAGMA query_only=OFF")


HOLD_IT = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def held_by_another(day: Day) -> AsyncIterator[str]:
    """Another program that does not know our lock file writes for a long time."""
    (await writer_of(day.table.session.app.store))("PRAGMA busy_timeout=50")
    command = [sys.executable, "-c", HOLD_IT, str(day.table.home / "roundtable.db")]
    other = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert other.stdout
    await other.stdout.readline()
    yield "is locked by another program: close that program"
    await other.communicate(b"")


@pytest.mark.parametrize("trouble", [full_disk, read_only_disk, held_by_another])
async def test_a_store_that_cannot_be_written_is_told_at_once_and_mended_it_goes_on(
    day: Day, trouble: Callable[[Day], AbstractAsyncContextManager[str]]
) -> None:
    """B50: nothing can be recorded, so nothing is claimed; the bot lives, the run ends later."""
    bad = await day.begin_alone()
    run = await day.run_of(bad.id)
    async with trouble(day) as reason:
        day.waiting.set()
        assert reason in (await day.seen(bad, "⚠️ This roundtable failed")).content
        refused = await day.table.reply_to(await day.table.say(f"{ASKED} another"))
        assert reason in refused.content
        assert (await day.run_of(bad.id)).phase is Phase.EXECUTING
    await day.phase_is(run.id, Phase.FAILED)
    assert len([m for m in bad.messages.values() if "⚠️ This roundtable" in m.content]) == 1
    assert "It continues in" in await day.retried("general", run.id)
    await day.seen(bad, "🔧 META")
    await day.phase_is(run.id, Phase.COMPLETED)


async def test_a_damaged_file_is_told_and_the_next_start_refuses_it(day: Day) -> None:
    bad = await day.begin_alone()
    store = day.table.session.app.store
    path = day.table.home / "roundtable.db"
    execute = await writer_of(store)
    execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (path.stat().st_size - 4096))
    execute("PRAGMA shrink_memory")
    for _ in range(READERS):
        await store.read(sql("PRAGMA shrink_memory"))
    day.waiting.set()
    told = await day.seen(bad, "⚠️ This roundtable failed")
    assert "is damaged: move it elsewhere" in told.content
    assert not day.table.session.connection.done()
    with sqlite3.connect(path) as file, pytest.raises(sqlite3.DatabaseError):
        file.execute("SELECT * FROM runs").fetchall()


async def test_files_that_cannot_be_written_do_not_cost_the_run_its_conclusion(day: Day) -> None:
    """2.2#27: files can be rebuilt, so it is said what to do and the run is concluded."""
    day.waiting.set()
    folder = day.table.home / "memory"
    folder.write_text("a file in the way")
    await day.table.say(f"{ASKED} tea")
    thread = await day.table.thread(1)
    assert "then run `roundtable export`" in (await day.seen(thread, "could not be")).content
    run = await day.run_of(thread.id)
    await day.phase_is(run.id, Phase.COMPLETED)
    await day.table.session.app.run_service.idle()
    assert "Concluded" in day.table.card(thread).text


async def test_a_clock_that_jumps_changes_neither_order_nor_ending(day: Day) -> None:
    """Times are shown, never relied upon; the person may ask again at once."""
    day.waiting.set()
    store = day.table.session.app.store
    jumps = iter(range(10**9))
    set_clock(store, lambda: 1.7e9 + (-1) ** (jump := next(jumps)) * 86_400.0 * (jump % 40))
    held = await day.table.hold(f"{ASKED} tea")
    assert held.voices == ("Advocate", "Devil's Advocate", "Analyst")
    assert held.export["ending"] == "concluded"
    set_clock(store, lambda: 1.0)
    assert (await day.table.hold(f"{ASKED} coffee")).export["ending"] == "concluded"
