"""Limits hold against races: whoever starts, by whatever door, is judged where the run begins."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from bot.access.admission import Asker, Start, admit_start, note_start
from bot.errors import NotAllowedError
from bot.messages.discord import ButtonText
from bot.panels import PanelsConfig
from bot.playground.model import Message
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import PersonPlan, RolePlan, the_table
from bot.store import Store
from bot.store.repositories.runs import NewRun, RunRepository, TopicPlace
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import FAIL, HANG, ScriptedModels, scripted_playground
from tests.money.budget_setup import GUILD
from tests.panels.panels_data import loaded, shipped
from tests.support.postgres_server import PostgresServer

pytestmark = pytest.mark.heavy

NEXT_START = "You can start your next roundtable <t:"
TOO_MANY = "3 roundtables are already running in this server, which is the limit"
ONLY_HOSTS = "can start a roundtable here"
GOES_ON = "It continues in"
GUESTS = tuple(f"Guest {n}" for n in range(10))
HOST = "Host"
COOLING = {"cooldown_seconds": 30.0}


class Rules:
    """Limits of starts, which a test may change while the bot runs; at first nobody waits."""

    def __init__(self, **trigger: object) -> None:
        self.trigger: dict[str, object] = {
            "cooldown_seconds": 0.0,
            "max_concurrent": 100,
            **trigger,
        }

    async def become(self, table: PlaygroundHarness, **trigger: object) -> None:
        self.trigger |= trigger
        assert await table.session.app.panels.reload()

    def __call__(self, config: PanelsConfig) -> PanelsConfig:
        trigger = config.trigger.model_copy(update=self.trigger)
        return config.model_copy(update={"trigger": trigger})


def crowd() -> EmbeddedDiscord:
    """A server with ten guests, and a role for hosts that Ines has."""
    plan = the_table()
    people = [replace(p, roles=(HOST,)) if p.name == "Ines" else p for p in plan.people]
    people += [PersonPlan(name) for name in GUESTS]
    roles = (*plan.roles, RolePlan(HOST))
    return EmbeddedDiscord((replace(plan, people=tuple(people), roles=roles),))


def host_role(discord: EmbeddedDiscord) -> int:
    (guild,) = discord.world.guilds.values()
    return next(number for number, role in guild.roles.items() if role["name"] == HOST)


def topics(count: int) -> list[str]:
    return [f"roundtable --quick --debate is number {n} so?" for n in range(count)]


async def refusals_of(table: PlaygroundHarness, said: Sequence[Message]) -> list[str]:
    """What people are told, once each of their messages led to a thread or to a reply."""
    asked = {message.id for message in said}

    def answered() -> list[str] | None:
        here = table.discord.messages(said[0].channel_id)
        told = [message.content for message in here if message.reply_to in asked]
        return told if len(told) + len(table.discord.threads()) == len(said) else None

    return await table.discord.until(answered) or []


def count_of(told: Sequence[str], beginning: str) -> int:
    return sum(text.startswith(beginning) for text in told)


async def failed_runs(table: PlaygroundHarness, count: int) -> list[str]:
    """Roundtables of Jonas's that nobody answered, by their ids."""
    for number, text in enumerate(topics(count), 1):
        await table.say(text)
        await table.concluded(await table.thread(number))
    return [export["id"] for export in table.exports()]


async def retried_at_once(table: PlaygroundHarness, run_ids: Sequence[str]) -> list[str]:
    """What Jonas is told who retries all of them in the same moment."""
    jonas, run_service = Asker(table.discord.person("Jonas").id), table.session.app.run_service
    asked = (run_service.retry(run_id, jonas) for run_id in run_ids)
    return [str(told) for told in await asyncio.gather(*asked, return_exceptions=True)]


async def test_of_ten_messages_at_once_by_one_person_one_starts(tmp_path: Path) -> None:
    """Six roundtables used to start."""
    async with scripted_playground(
        tmp_path, ScriptedModels(says={"*": HANG}), adjust=Rules(**COOLING)
    ) as table:
        said = await asyncio.gather(*(table.say(text) for text in topics(10)))
        told = await refusals_of(table, said)
        threads = table.discord.threads()
    assert (count_of(told, NEXT_START), len(threads)) == (9, 1)


async def test_of_ten_commands_at_once_by_one_person_one_starts(tmp_path: Path) -> None:
    async with scripted_playground(
        tmp_path, ScriptedModels(says={"*": HANG}), adjust=Rules(**COOLING)
    ) as table:
        jonas, channel = table.discord.person("Jonas").id, table.discord.channel("general").id
        asked = (
            table.discord.slash(jonas, channel, "roundtable start", {"topic": f"is {n} so?"})
            for n in range(10)
        )
        told = [(await one.message()).content for one in await asyncio.gather(*asked)]
        threads = table.discord.threads()
    assert (count_of(told, NEXT_START), len(threads)) == (9, 1)


async def test_of_ten_people_at_once_as_many_start_as_may(tmp_path: Path) -> None:
    async with scripted_playground(
        tmp_path, ScriptedModels(says={"*": HANG}), adjust=Rules(max_concurrent=3), discord=crowd()
    ) as table:
        asked = zip(GUESTS, topics(10), strict=True)
        said = await asyncio.gather(*(table.say(text, person=name) for name, text in asked))
        told = await refusals_of(table, said)
        threads = table.discord.threads()
    assert (count_of(told, TOO_MANY), len(threads)) == (7, 3)


async def test_of_five_retries_at_once_by_one_person_one_goes_on(tmp_path: Path) -> None:
    cast, rules = ScriptedModels(says={"*": FAIL}), Rules()
    async with scripted_playground(tmp_path, cast, adjust=rules) as table:
        run_ids = await failed_runs(table, 5)
        cast.says["*"] = HANG
        await rules.become(table, **COOLING)
        told = await retried_at_once(table, run_ids)
    assert (count_of(told, GOES_ON), count_of(told, NEXT_START)) == (1, 4)


async def test_retries_count_among_those_that_run(tmp_path: Path) -> None:
    cast, rules = ScriptedModels(says={"*": FAIL}), Rules()
    async with scripted_playground(tmp_path, cast, adjust=rules) as table:
        run_ids = await failed_runs(table, 5)
        cast.says["*"] = HANG
        await rules.become(table, max_concurrent=3)
        told = await retried_at_once(table, run_ids)
    assert (count_of(told, GOES_ON), count_of(told, TOO_MANY)) == (3, 2)


async def test_a_run_is_retried_at_once_by_whoever_started_it_and_only_once(
    tmp_path: Path,
) -> None:
    """The cooldown is for the next roundtable, not for the one that just failed."""
    cast, rules = ScriptedModels(says={"*": FAIL}), Rules(**COOLING)
    async with scripted_playground(tmp_path, cast, adjust=rules) as table:
        (run_id,) = await failed_runs(table, 1)
        cast.says["*"] = HANG
        async with asyncio.timeout(20):  # nobody is told only after the retried run is over
            told = await retried_at_once(table, [run_id] * 5)
    assert count_of(told, GOES_ON) == 1


async def test_without_the_role_nobody_retries_challenges_or_runs_anyway(tmp_path: Path) -> None:
    """Whoever lost the role since, or never had it, cannot start by a button either."""
    cast, rules, discord = ScriptedModels(), Rules(), crowd()
    async with scripted_playground(tmp_path, cast, adjust=rules, discord=discord) as table:
        held = await table.hold(topics(1)[0])
        notice = await table.reply_to(await table.say(topics(1)[0]))
        cast.says["*"] = FAIL
        failed = await table.hold(topics(2)[1])
        asked, threads = len(cast.heard), len(table.discord.threads())
        await rules.become(table, allowed_role_ids=(host_role(discord),))
        told = [(await table.press(notice, how)).content for how in ("challenge", "again")]
        typed = await table.write_in(failed.thread, "roundtable retry")
        told.append((await table.reply_to(typed)).content)
        told.append((await table.press(table.card(failed.thread), "retry")).content)
        jonas = discord.person("Jonas").id
        menu = await discord.menu(jonas, typed.id, ButtonText.ROUNDTABLE_ON_THIS)
        await menu.answer()
        form = await discord.submit(menu, {"topic": "is it so?"})
        told.append((await form.message()).content)
        assert len(cast.heard) == asked
        assert len(table.discord.threads()) == threads
    assert held.export["ending"] == "concluded"
    assert [ONLY_HOSTS in text for text in told] == [True] * 5


async def test_of_ten_presses_of_run_anyway_one_starts(tmp_path: Path) -> None:
    cast, rules = ScriptedModels(), Rules()
    async with scripted_playground(tmp_path, cast, adjust=rules) as table:
        await table.hold(topics(1)[0])
        notice = await table.reply_to(await table.say(topics(1)[0], person="Ines"))
        cast.says["*"] = HANG
        await rules.become(table, **COOLING)
        pressed = (table.press(notice, "again", "Ines") for _ in range(10))
        told = [message.content for message in await asyncio.gather(*pressed)]
        threads = table.discord.threads()
    assert (count_of(told, NEXT_START), len(threads)) == (9, 2)


def begin(conn: Connection, person: int, config: PanelsConfig) -> None:
    """Start a run the way every door does."""
    start = Start(GUILD, Asker(person))
    admit_start(conn, start, config, 100.0)
    place = TopicPlace(GUILD, 20, Mode.DEBATE, f"topic {person}")
    new = NewRun(place, 20, None, person, f"topic {person}", seed=7)
    run = RunRepository(conn).start(new, Actor.ORCHESTRATOR, 100.0).run
    note_start(conn, start, run.id, 100.0)


async def test_two_processes_on_one_postgres_cannot_both_say_yes(
    postgres_server: PostgresServer,
) -> None:
    """The store's lock keeps a second bot away; should it ever not, the transaction decides."""
    name = await postgres_server.create()
    await (await Store.open(postgres_server.url(name))).close()
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=lambda: asyncpg.connect(postgres_server.url(name)),
    )
    config = Rules(max_concurrent=3)(loaded(shipped()))

    async def process(person: int) -> str:
        try:
            async with engine.begin() as conn:
                await conn.run_sync(begin, person, config)
        except NotAllowedError as error:
            return str(error)
        return "started"

    try:
        told = await asyncio.gather(*(process(person) for person in range(1, 6)))
    finally:
        await engine.dispose()
    assert (told.count("started"), count_of(told, TOO_MANY)) == (3, 2)
