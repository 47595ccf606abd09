"""The gallery of what people see: docs/gallery, made with ROUNDTABLE_PICTURES=1 and looked at."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.panels import PanelsConfig
from bot.playground.model import Channel
from tests.browser.conftest import Pages
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    Plan,
    ReceivedPrompt,
    ScriptedModels,
    quick_timeouts,
    scripted_playground,
)

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
ASKED = "roundtable --debate Should our team move from pip to uv this quarter?"
BEGIN_AT = """node => {
    view.scrollTop += node.getBoundingClientRect().top - view.getBoundingClientRect().top - 8;
}"""
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1000, "height": 900}

pytestmark = pytest.mark.skipif(
    "ROUNDTABLE_PICTURES" not in os.environ, reason="Pictures were not asked for."
)

THESES = {
    "Planner": "Moving now pays off within a month, because every build waits for the resolver.",
    "Critic": "A move in the middle of a release quarter trades a known cost for an unknown one.",
    "Strategist": "Two writers at once decide it: only a server takes them.",
    "Skeptic": "A file needs nobody to look after it, and we have one writer.",
    "User's Voice": "People notice when it is slow, and never which one it is.",
    "Judge": "One team should try it first; the numbers decide about the others.",
}
CONCLUSION = (
    "🎯 Try uv with one team, then decide\n"
    "📊 CONSENSUS\n- Locking is the slowest step of every build\n- Somebody must own the move\n"
    "⚡ DIVERGENCES\n- Planner wants to begin now, Critic after the release\n"
    "🔍 BLIND SPOTS\n- Nobody asked what the build images cost to change\n"
    "🏆 RECOMMENDATION\nMove one team to uv this month and measure build times for two weeks. "
    "Decide about the others when the numbers are there.\n"
    '💡 OUTLIER\nCritic: "The cheapest build is the one we do not run."\n'
    "⚠️ RED FLAGS\n- Two lock files at once: keep one in charge\n"
    "📈 ACTION PLAN\nNext 24h:\n- Pick the team and an owner\nNext 7d:\n- Measure twenty builds\n"
    "🔧 META\nnothing"
)


FOR_POSTGRES = (
    "🎯 Postgres, because two workers write\n"
    "📊 CONSENSUS\n- The queue has two writers from spring on\n"
    "⚡ DIVERGENCES\n- Whether a server is worth looking after today\n"
    "🏆 RECOMMENDATION\nPut the queue into Postgres, and keep the file for tests.\n"
    "⚠️ RED FLAGS\n- Nobody owns the server yet: name somebody\n"
    "📈 ACTION PLAN\nNext 24h:\n- Name an owner\nNext 7d:\n- Move the queue\n"
    "🔧 META\nnothing"
)


class Stages(ScriptedModels):
    """A cast that waits before each stage until its picture was taken."""

    def __init__(self, *held: str, **changes: Any) -> None:
        super().__init__(**changes)
        self.gates = {label: asyncio.Event() for label in held}
        for label in held:
            self.says[label] = self._after(self.gates[label], self.says.get(label, self.written))

    def _after(self, gate: asyncio.Event, then: Any) -> Callable[[ReceivedPrompt], Awaitable[str]]:
        async def answer(asked: ReceivedPrompt) -> str:
            await gate.wait()
            return await self._answer(asked, then)

        return answer

    def written(self, asked: ReceivedPrompt) -> str:
        """What the cast writes anyway, with theses that could be real."""
        thesis = THESES.get(asked.role, "It depends.")
        return (
            CONCLUSION
            if asked.label == "synthesis"
            else super()
            .written(asked)
            .replace(f"{asked.label.replace(':', ' of ').lower()} thesis", thesis)
        )


def two_sides(**changes: Any) -> dict[str, Any]:
    """A panel where one seat changes its mind and one does not."""
    return {
        "plan": Plan(),
        "stances": {
            "Planner": "AGREE",
            "r1:Judge": "NEUTRAL",
            "r2:Judge": "AGREE",
            "Critic": "DISAGREE",
        },
        "revisions": {"Judge": "Because of Planner C1: the resolver is in every build."},
        "scores": {"Critic": {"Planner": "2/5", "Judge": "3/5"}, "Judge": {"Planner": "5/5"}},
        "points": {
            "consensus": [{"point": "builds are slow", "roles": ["Planner", "Judge"]}],
            "disagreement": [{"point": "when to begin", "roles": ["Planner", "Critic"]}],
        },
        **changes,
    }


async def at_thread(
    pages: Pages, table: PlaygroundHarness, thread: Channel, *, dark: bool, **size: int
) -> Page:
    """A page that shows the thread."""
    page = await pages.open(table.discord, dark=dark, **(size or DESK))
    await page.goto(f"{table.discord.url}/page/#/{thread.id}")
    await expect(page.locator(".card").first).to_be_visible()
    return page


async def card_says(page: Page, text: str) -> None:
    await expect(page.locator(".card, .embed").first).to_contain_text(text, timeout=20_000)


async def to_the_card(page: Page) -> None:
    await page.locator("#view").evaluate("view => view.scrollTo(0, 0)")
    await page.mouse.move(0, 0)


async def shoot_card(page: Page, name: str, part: str = ".card") -> None:
    """The card, or the part of the page that holds it."""
    await to_the_card(page)
    # A card that is being edited is drawn anew all the time, so no element is held on to.
    box = await page.locator(part).first.bounding_box()
    await page.screenshot(path=GALLERY / f"{name}.png", clip=box)


async def shoot(page: Page, name: str, last: str) -> None:
    """The page, scrolled so that the message with these words begins at the top."""
    shown = page.locator("#log > li", has_text=last).last
    await shown.evaluate(BEGIN_AT)
    await page.mouse.move(0, 0)
    await page.screenshot(path=GALLERY / f"{name}.png")


@pytest.fixture(autouse=True)
def _folder() -> None:
    GALLERY.mkdir(exist_ok=True)


async def test_a_meeting_from_its_opening_to_its_conclusion(tmp_path: Path, pages: Pages) -> None:
    """Issue 8: the card at each stage, the conclusion, the picture; dark, light and on a phone."""
    cast = Stages("meta:A", "r2:Critic", "synthesis", **two_sides())
    async with scripted_playground(tmp_path, cast, upload_faces=True) as table:
        await table.say(ASKED)
        thread = await table.thread()
        light = await at_thread(pages, table, thread, dark=False)
        dark = await at_thread(pages, table, thread, dark=True)
        await card_says(light, "the meta-panel is designing")
        await shoot_card(light, "card-designing")
        cast.gates["meta:A"].set()
        await card_says(light, "Round 2")
        await card_says(light, "thinking")
        await shoot_card(light, "card-round-2")
        await card_says(dark, "Round 2")
        await shoot_card(dark, "card-round-2-dark")
        phone = await at_thread(pages, table, thread, dark=True, **PHONE)
        await to_the_card(phone)
        await phone.screenshot(path=GALLERY / "phone-round-2-dark.png")
        cast.gates["r2:Critic"].set()
        await card_says(light, "writing the conclusion")
        await shoot_card(light, "card-concluding")
        cast.gates["synthesis"].set()
        await table.concluded(thread)
        for page, name in ((light, "light"), (dark, "dark")):
            await card_says(page, "Concluded")
            await shoot_card(page, f"card-concluded-{name}")
            await shoot(page, f"conclusion-{name}", "CONSENSUS")
            await page.locator(".message img[src*='agreement']").scroll_into_view_if_needed()
            await page.screenshot(path=GALLERY / f"agreement-{name}.png")
        await shoot(phone, "phone-conclusion-dark", "CONSENSUS")
        small = await at_thread(pages, table, thread, dark=False, **PHONE)
        await shoot(small, "phone-conclusion-light", "CONSENSUS")
        await pages.close()


async def test_a_bad_day(tmp_path: Path, pages: Pages) -> None:
    """Issue 8: a stand-in, a silent seat, the degraded conclusion."""
    cast = Stages("r2:Critic", **two_sides(says={"*@claude-opus": FAIL, "r1:Judge": HANG}))
    async with scripted_playground(
        tmp_path, cast, adjust=quick_timeouts(round=5.0), upload_faces=True
    ) as table:
        await table.say(ASKED)
        thread = await table.thread()
        page = await at_thread(pages, table, thread, dark=False)
        await card_says(page, "Round 2")
        await shoot_card(page, "card-stand-in-and-silent-seat")
        cast.gates["r2:Critic"].set()
        await table.concluded(thread)
        await card_says(page, "Concluded")
        await shoot(page, "conclusion-degraded", "CONSENSUS")
        await pages.close()


async def test_a_failure(tmp_path: Path, pages: Pages) -> None:
    """Issue 8: the card that offers Retry."""
    async with scripted_playground(
        tmp_path, ScriptedModels(says={"r1:*": FAIL}), upload_faces=True
    ) as table:
        await table.say(ASKED)
        thread = await table.concluded()
        page = await at_thread(pages, table, thread, dark=False)
        await shoot_card(page, "card-failed")
        await pages.close()


async def test_words_so_far_and_the_plain_card(tmp_path: Path, pages: Pages) -> None:
    """Issue 8: panelists who are writing, as a card and as an embed."""

    def plain(config: PanelsConfig) -> PanelsConfig:
        output = config.output.model_copy(update={"plain": True})
        return config.model_copy(update={"output": output})

    for adjust, name in ((lambda config: config, "card-thinking"), (plain, "card-plain")):
        home = tmp_path / name
        home.mkdir()
        async with open_harness(
            home, adjust=adjust, seconds_per_answer=4, upload_faces=True
        ) as table:
            await table.say(ASKED)
            thread = await table.thread()
            page = await pages.open(table.discord, dark=False, **DESK)
            await page.goto(f"{table.discord.url}/page/#/{thread.id}")
            await card_says(page, "words so far")
            await shoot_card(page, name, "#log > li:has(.card, .embed)")
            await pages.close()


async def test_a_masked_vote_and_its_reveal(tmp_path: Path, pages: Pages) -> None:
    """Issue 8: the ballots before and after, masked panelists, the result and who was who."""
    closing = asyncio.Event()

    async def until_closing(_: float) -> None:
        await closing.wait()

    ballots = {"Strategist": "Postgres", "Skeptic": "SQLite", "User's Voice": "Postgres"}
    cast = Stages("r1:Skeptic", ballots=ballots, says={"synthesis": FOR_POSTGRES})
    async with scripted_playground(tmp_path, cast, upload_faces=True, sleep=until_closing) as table:
        await table.say("roundtable --quick --masked --vote Postgres or SQLite for the queue?")
        thread = await table.thread()
        page = await at_thread(pages, table, thread, dark=False)
        await page.get_by_role("button", name="Postgres").first.click()
        await expect(page.locator(".private")).to_contain_text("You voted", timeout=20_000)
        await card_says(page, "Round 1")
        await to_the_card(page)
        await page.screenshot(path=GALLERY / "ballot-before-masked.png")
        cast.gates["r1:Skeptic"].set()
        await table.concluded(thread)
        await expect(page.locator("#log")).to_contain_text("Vote again", timeout=20_000)
        await shoot_card(page, "card-masked")
        await shoot(page, "conclusion-vote-masked", "Postgres wins")
        await page.get_by_role("button", name="SQLite", exact=True).last.click()
        await expect(page.locator(".private")).to_have_count(2, timeout=20_000)
        await shoot(page, "ballot-after", "Vote again")
        closing.set()
        await expect(page.locator("#log")).to_contain_text("Panelists revealed", timeout=20_000)
        await shoot(page, "vote-result-and-reveal", "People")
        await pages.close()
