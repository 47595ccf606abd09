"""A masked vote clicked through in the page, from the first ballot to the reveal."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Page, expect

from bot.playground.model import Channel, Message
from bot.playground.world import PersonPlan
from tests.browser.conftest import Pages
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import Plan, ReceivedPrompt, ScriptedModels, scripted_playground

ASKED = "roundtable --masked --vote Postgres or SQLite for our queue?"


class Bell:
    """Ends every wait of the bot when it is rung."""

    def __init__(self) -> None:
        self.rung = asyncio.Event()

    async def sleep(self, _: float) -> None:
        await self.rung.wait()


def held_back(first: asyncio.Event, second: asyncio.Event) -> ScriptedModels:
    """A panel that changes its mind, and whose rounds wait until they may begin."""
    cast = ScriptedModels(
        plan=Plan(),
        ballots={
            "Planner": "Postgres",
            "r1:Critic": "SQLite",
            "r2:Critic": "Postgres",
            "Judge": "SQLite",
        },
        revisions={"Critic": "Because of Planner C1: two writers change my mind."},
    )

    def after(gate: asyncio.Event) -> Callable[[ReceivedPrompt], Awaitable[str]]:
        async def answer(asked: ReceivedPrompt) -> str:
            await gate.wait()
            return cast.written(asked)

        return answer

    cast.says |= {"r1:*": after(first), "r2:*": after(second)}
    return cast


async def at_thread(pages: Pages, table: PlaygroundHarness, thread: Channel) -> Page:
    page = await pages.open(table.discord)
    await page.goto(f"{table.discord.url}/page/#/{thread.id}")
    await expect(page.locator(".card").first).to_be_visible()
    return page


async def others_vote(
    table: PlaygroundHarness, thread: Channel, beginning: str, *, for_first: int
) -> None:
    """Ten people who are not at this page vote, some of them for the first option."""
    world, (guild,) = table.discord.world, table.discord.world.guilds.values()
    known = {user.name: user.id for user in world.users.values()}
    names = [f"Voter {number}" for number in range(10)]
    people = [known.get(name) or world.join(guild, PersonPlan(name)).id for name in names]
    post: Message = next(m for m in table.said_in(thread) if m.content.startswith(beginning))
    for number, person in enumerate(people):
        option = post.custom_ids[0 if number < for_first else 1]
        await (await table.discord.press(person, post.id, option)).message()


async def test_a_masked_vote_from_the_first_ballot_to_the_reveal(
    tmp_path: Path, pages: Pages
) -> None:
    """Issue 8: a person votes in the page, in private, twice, and reads who was who."""
    first, second, bell = asyncio.Event(), asyncio.Event(), Bell()
    async with scripted_playground(tmp_path, held_back(first, second), sleep=bell.sleep) as table:
        await table.say(ASKED)
        thread = await table.thread()
        page = await at_thread(pages, table, thread)
        await page.get_by_role("button", name="SQLite").click()
        await expect(page.locator(".private")).to_contain_text("You voted for SQLite")
        await page.get_by_role("button", name="How sure are you?").click()
        await page.locator(".menu").get_by_text("80 %").click()
        await expect(page.locator(".private")).to_contain_text("and are 80 % sure")
        await others_vote(table, thread, "🗳️ **Vote before", for_first=4)
        first.set()
        await expect(page.locator("#log")).to_contain_text("Round 2", timeout=15_000)
        second.set()
        await table.concluded(thread)
        log = page.locator("#log")
        await expect(log).to_contain_text("Vote again")
        await expect(log).not_to_contain_text("Planner")
        await others_vote(table, thread, "🗳️ **Vote again", for_first=7)
        bell.rung.set()
        await table.session.app.run_service.people.settled()
        await expect(log).to_contain_text("Postgres · people 4 → 7 · models 1 → 2")
        await expect(log).to_contain_text("was Planner")
        await pages.close()
