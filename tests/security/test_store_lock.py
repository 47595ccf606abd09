"""Who lost the lock on Postgres stops serving until it has it again; never do two serve."""

import asyncio
import os
import shutil
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeVar

import asyncpg
import pytest

from bot.errors import UnavailableError
from bot.messages.library import HelpText
from bot.playground.model import Message
from bot.settings import load_settings
from bot.store import Store
from bot.store.engine import postgres_lock
from bot.store.engine.locks import Holding
from bot.store.engine.postgres_lock import LockWatch, ServerLock
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import ScriptedModels
from tests.support.postgres_server import PostgresServer
from tests.support.time_travel import fast_time
from tests.support.waiting import soon

CHECK_SECONDS = 2.0
LEASE_SECONDS = 6.0

T = TypeVar("T")

ROUNDS = 4
LOCK = postgres_lock.TRY_LOCK.replace("pg_try_advisory", "pg_advisory")
OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid != pg_backend_pid() AND datname = current_database()"
)


@pytest.fixture
async def url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    name = await postgres_server.create()
    yield postgres_server.url(name)
    await postgres_server.ready()
    await postgres_server.drop(name)


async def restart(server: PostgresServer) -> None:
    await asyncio.to_thread(server.stop)
    server.start()


@pytest.mark.heavy  # waits for leases
async def test_after_a_restart_of_postgres_an_idle_store_and_a_second_one_never_both_hold_it(
    url: str, postgres_server: PostgresServer
) -> None:
    """Whoever is first; the idle one has noticed its loss before anybody can take the lock."""
    first = await Store.open(url)
    for _ in range(ROUNDS):
        await restart(postgres_server)
        async with fast_time(10):
            second = await opened_or_refused(url)
        if second is None:
            await first.holding.wait()
            await first.write(lambda conn: conn.exec_driver_sql("SELECT 1"))
            continue
        assert not first.holding.held
        async with asyncio.timeout(20):
            assert "already in use by process" in str(await first.holding.gone())
        with pytest.raises(UnavailableError):
            await first.write(lambda conn: conn.exec_driver_sql("SELECT 1"))
        assert second.holding.held
        await first.close()
        first = second
    await first.close()


async def opened_or_refused(url: str) -> Store | None:
    return await refused_or(lambda: Store.open(url))


async def refused_or(attempt: Callable[[], Awaitable[T]]) -> T | None:
    """Try while the server is away, as a second start would; None when another has the lock."""
    while True:
        try:
            return await attempt()
        except UnavailableError as error:
            if "already in use" in str(error):
                return None


async def test_who_was_cut_off_while_another_held_it_does_not_go_on(
    url: str, postgres_server: PostgresServer
) -> None:
    """The other has come and gone; what this one remembers of its meetings is worth nothing."""
    async with AsyncExitStack() as closing:
        folder = Path(tempfile.mkdtemp(prefix="rt-cut-"))
        closing.callback(shutil.rmtree, folder)
        link, there = folder / "server", Path(postgres_server.folder)
        link.symlink_to(there)
        cut_off = await Store.open(url.replace(str(there), str(link)))
        closing.push_async_callback(cut_off.close)
        link.unlink()
        await terminate_others(url)
        other = await Store.open(url)
        assert not cut_off.holding.held
        await other.close()
        link.symlink_to(there)
        async with asyncio.timeout(20):
            said = str(await cut_off.holding.gone())
        assert "while this Roundtable had lost it" in said
        assert not cut_off.holding.held
        with pytest.raises(UnavailableError, match="restart this one"):
            await cut_off.write(lambda conn: conn.exec_driver_sql("SELECT 1"))


async def terminate_others(url: str, but: int = 0) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f"{OTHERS} AND pid != {but}")
    await connection.close()


async def test_a_server_that_has_not_noticed_our_own_loss_is_waited_for(
    url: str,
) -> None:
    """Else a bot would name itself as the one who has the lock, and end."""
    old, new = await asyncpg.connect(url), await asyncpg.connect(url)
    ours = ServerLock("the database")
    await ours.take(old)
    async with fast_time(10):
        with pytest.raises(ConnectionError):
            await ours.take(new)
        with pytest.raises(UnavailableError, match="already in use by another process"):
            await ServerLock("the database").take(new)
    await old.close()
    await ours.take(new)
    await new.close()


async def test_a_server_that_gives_no_sign_is_doubted_before_it_gives_the_lock_away() -> None:
    """A network that swallows everything ends no connection; only the lack of proof tells."""
    holding, time, answers = Holding(), [0.0], asyncio.Event()
    asked: asyncio.Queue[bool] = asyncio.Queue()

    async def prove() -> None:
        asked.put_nowait(holding.held)
        if not answers.is_set():
            raise TimeoutError

    async def sleep(seconds: float) -> None:
        time[0] += seconds
        await asyncio.sleep(0)

    watch = LockWatch(holding, prove, sleep, lambda: time[0])
    async with asyncio.timeout(10):
        while await asked.get():
            pass
        assert LEASE_SECONDS < time[0] <= LEASE_SECONDS + 2 * CHECK_SECONDS
        answers.set()
        await holding.wait()
    await watch.close()
    assert LEASE_SECONDS + 2 * CHECK_SECONDS < 35  # the server's own patience with a lost client


async def test_a_process_that_was_stopped_knows_that_its_lock_may_be_gone_before_it_acts() -> None:
    """Issue 25, point 2: whoever wakes up after a SIGSTOP posts nothing until it has proof."""
    now = [100.0]
    holding = Holding(lambda: now[0])
    holding.trust(LEASE_SECONDS)
    await holding.wait()
    now[0] += LEASE_SECONDS
    assert not holding.held
    waiting = asyncio.create_task(holding.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    holding.trust(LEASE_SECONDS)
    holding.regain()
    await asyncio.wait_for(waiting, 5)


@asynccontextmanager
async def on_postgres(home: Path, url: str) -> AsyncIterator[RestartHarness]:
    async with restart_harness(home, ScriptedModels()) as bench:
        panels = str(bench.settings.panels)
        variables = {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": panels}
        settings = load_settings(None, variables | {"ROUNDTABLE_DATABASE_URL": url})
        yield RestartHarness(bench.discord, settings, bench.adjust)


def replies(bench: RestartHarness, said: Message) -> list[str]:
    here = bench.discord.messages(said.channel_id)
    return [message.content for message in here if message.reply_to == said.id]


async def says(bench: RestartHarness, text: str) -> Message:
    general, jonas = bench.discord.channel("general"), bench.discord.person("Jonas")
    return await bench.discord.say(jonas.id, general.id, text)


@pytest.mark.heavy
async def test_a_bot_whose_lock_went_to_another_names_it_and_ends_so_that_it_is_started_again(
    tmp_path: Path, url: str, postgres_server: PostgresServer
) -> None:
    async with on_postgres(tmp_path, url) as bench:
        variables = {
            "ROUNDTABLE_HOME": str(tmp_path),
            "ROUNDTABLE_PANELS": str(bench.settings.panels),
            "ROUNDTABLE_DATABASE_URL": url,
            "ROUNDTABLE_LOG": "CRITICAL",
            "DISCORD_TOKEN": bench.discord.token,
            "ROUNDTABLE_DISCORD_API": bench.discord.api_url,
            "ROUNDTABLE_DISCORD_GATEWAY": bench.discord.gateway_url,
        }
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"),
            env=os.environ | variables,
            stdout=PIPE,
            stderr=PIPE,
        )
        assert bot.stdout
        await asyncio.wait_for(bot.stdout.readline(), 60)  # the invite link comes when it is ready
        thief = await asyncpg.connect(url, server_settings={"application_name": "a thief"})
        # Its place in the line is before that of anybody who comes back.
        taking = asyncio.create_task(thief.execute(LOCK))
        await waiting_for_a_lock(url)
        await terminate_others(url, but=thief.get_server_pid())
        await taking
        said = await says(bench, "roundtable help")
        _, complaint = await asyncio.wait_for(bot.communicate(), 60)
        await thief.close()
    assert bot.returncode == 1
    assert "is already in use by a thief: stop that process first" in complaint.decode()
    assert replies(bench, said) == []


async def waiting_for_a_lock(url: str) -> None:
    connection = await asyncpg.connect(url)
    waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    while not await connection.fetchval(waits):  # noqa: ASYNC110 (the server tells nobody)
        await asyncio.sleep(0.01)
    await connection.close()


async def test_of_two_bots_after_a_restart_of_postgres_exactly_one_answers(
    tmp_path: Path,
    url: str,
    postgres_server: PostgresServer,
) -> None:
    """The first was idle; the second starts at once. People get one answer, not two."""
    async with on_postgres(tmp_path, url) as bench, AsyncExitStack() as bots:
        first = await bots.enter_async_context(bench.bot())
        await restart(postgres_server)
        if await refused_or(lambda: bots.enter_async_context(bench.bot())) is None:
            await first.store.holding.wait()
        said = await says(bench, "roundtable help")
        await bench.discord.until(lambda: replies(bench, said))
        if not first.store.holding.held:
            await first.store.holding.gone()
        again = await says(bench, "roundtable help")
        await bench.discord.until(lambda: replies(bench, again))
        assert (
            replies(bench, said)
            == replies(bench, again)
            == [HelpText.help_text(reads_messages=True)]
        )


@pytest.mark.heavy
async def test_a_bot_without_the_lock_says_nothing_and_goes_on_when_it_has_it_again(
    tmp_path: Path, url: str, postgres_server: PostgresServer
) -> None:
    async with on_postgres(tmp_path, url) as bench, bench.bot() as app:
        await asyncio.to_thread(postgres_server.stop)
        await soon(lambda: not app.store.holding.held)
        said = await says(bench, "roundtable help")
        answered = asyncio.create_task(bench.discord.until(lambda: replies(bench, said), 60.0))
        # Longer than the store is waited for, after which it used to say what is wrong.
        async with fast_time(10):
            done, _ = await asyncio.wait({answered}, timeout=15.0)
        assert not done
        postgres_server.start()
        await answered
        assert app.store.holding.held
        later = await says(bench, "roundtable help")
        await bench.discord.until(lambda: replies(bench, later))
