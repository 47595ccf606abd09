"""A masked vote in the page, from the first ballot to the reveal; its pictures are in docs/gallery.

They are taken with ROUNDTABLE_PICTURES=1.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Page, expect

from bot.playground.blueprint import PersonPlan
from bot.playground.model import Channel, Message
from tests.browser.conftest import Pages
from tests.e2e.cast import Asked, Cast, Plan, cast_table
from tests.e2e.table import Table

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
ASKED = "roundtable --masked --vote Postgres or SQLite for our queue?"
SAID = {
    "Planner": "Postgres: two writers at once are a matter of weeks, and it already runs here.",
    "Critic": "SQLite: a queue of this size fits one file, and nobody is on call for it.",
    "Judge": "SQLite for now; moving a queue later is one evening's work.",
}
CONCLUSION = (
    "🎯 Postgres for the queue\n"
    "📊 CONSENSUS\n- One writer is no problem for either\n- Moving later is possible\n"
    "⚡ DIVERGENCES\n- Judge would wait until there are two writers\n"
    "🔍 BLIND SPOTS\n- Nobody asked who restores the backups\n"
    "🏆 RECOMMENDATION\nPut the queue into the Postgres that already runs here.\n"
    '💡 OUTLIER\nJudge: "Moving a queue is one evening\'s work."\n'
    "⚠️ RED FLAGS\n- Two queues at once: switch on one day\n"
    "📈 ACTION PLAN\nNext 24h:\n- Create the table\nNext 7d:\n- Measure the load\n"
    "🔧 META\nnothing"
)
BEGIN_AT = """node => {
    view.scrollTop += node.getBoundingClientRect().top - view.getBoundingClientRect().top - 8;
}"""


class Bell:
    """Ends every wait of the bot when it is rung."""

    def __init__(self) -> None:
        self.rung = asyncio.Event()

    async def sleep(self, _: float) -> None:
        await self.rung.wait()


def held_back(first: asyncio.Event, second: asyncio.Event) -> Cast:
    """A panel that changes its mind, and whose rounds wait until they may begin."""
    cast = Cast(
        plan=Plan(),
        ballots={
            "Planner": "Postgres",
            "r1:Critic": "SQLite",
            "r2:Critic": "Postgres",
            "Judge": "SQLite",
        },
        revisions={"Critic": "Because of Planner C1: two writers change my mind."},
    )

    def after(gate: asyncio.Event) -> Callable[[Asked], Awaitable[str]]:
        async def answer(asked: Asked) -> str:
            await gate.wait()
            name = asked.label.replace(":", " of ").lower()
            text = cast.written(asked).replace(f"{name} thesis", SAID.get(asked.role, ""))
            return text.replace(f"{name} advice", "measure it for two weeks.")

        return answer

    cast.says |= {"r1:*": after(first), "r2:*": after(second), "synthesis": CONCLUSION}
    return cast


async def at_thread(pages: Pages, table: Table, thread: Channel, *, dark: bool, width: int) -> Page:
    page = await pages.open(table.discord, dark=dark, width=width, height=844)
    await page.goto(f"{table.discord.url}/page/#/{thread.id}")
    await expect(page.locator(".card").first).to_be_visible()
    return page


async def shoot(page: Page, name: str, words: str) -> None:
    """The page from the message with these words on, if pictures are wanted."""
    shown = page.locator("#log > li", has_text=words).last
    await expect(shown).to_be_visible()
    await shown.evaluate(BEGIN_AT)
    await page.mouse.move(0, 0)
    if "ROUNDTABLE_PICTURES" in os.environ:
        GALLERY.mkdir(exist_ok=True)
        await page.screenshot(path=GALLERY / f"{name}.png")


async def others_vote(table: Table, thread: Channel, beginning: str, *, for_first: int) -> None:
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
    async with cast_table(tmp_path, held_back(first, second), sleep=bell.sleep) as table:
        await table.say(ASKED)
        thread = await table.thread()
        page = await at_thread(pages, table, thread, dark=False, width=1000)
        phone = await at_thread(pages, table, thread, dark=True, width=390)
        await page.get_by_role("button", name="SQLite").click()
        await expect(page.locator(".private")).to_contain_text("You voted for SQLite")
        await page.get_by_role("button", name="How sure are you?").click()
        await page.locator(".menu").get_by_text("80 %").click()
        await expect(page.locator(".private")).to_contain_text("and are 80 % sure")
        await shoot(page, "ballot-before", "Your vote, before")
        await others_vote(table, thread, "🗳️ **Your vote", for_first=4)
        first.set()
        await expect(page.locator("#log")).to_contain_text("Round 2", timeout=15_000)
        await page.locator("#view").evaluate("view => view.scrollTo(0, 0)")
        await shoot(page, "masked-run", "The panel is masked")
        await shoot(phone, "phone-masked-run-dark", "The panel is masked")
        second.set()
        await table.concluded(thread)
        await expect(page.locator("#log")).to_contain_text("Vote again")
        await others_vote(table, thread, "🗳️ **Vote again", for_first=7)
        await shoot(page, "masked-conclusion", "RECOMMENDATION")
        await shoot(page, "ballot-after", "Vote again")
        bell.rung.set()
        await table.session.app.council.people.settled()
        await expect(page.locator("#log")).to_contain_text("The masks come off")
        await shoot(page, "ballot-result-and-reveal", "The second vote is closed")
        await shoot(phone, "phone-ballot-result-and-reveal-dark", "The second vote is closed")
        await pages.close()
