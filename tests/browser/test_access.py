"""Access (issue 22, 12): axe-core, the tab order, and what a screen reader is told."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from bot.playground.model import Channel
from tests.browser.axe import violations
from tests.browser.conftest import Pages, PageWorld
from tests.browser.scripted_bot import Buttons, Layout, embed, files
from tests.browser.test_newcomer import ask
from tests.browser.test_reading import EVERYTHING
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"width": 1280, "height": 800, "dark": False},
    "dark": {"width": 1280, "height": 800, "dark": True},
    "phone": {"width": 390, "height": 844, "dark": False},
    "phone-dark": {"width": 390, "height": 844, "dark": True},
}
CONTROLS = "button, select, summary, textarea, input, .quoted, .post"
SMALL = f"""[...document.querySelectorAll("{CONTROLS}")]
    .map((node) => node.closest("label") ?? node)
    .filter((node) => node.checkVisibility())
    .filter((node) => node.offsetWidth < 24 || node.offsetHeight < 24)
    .map((node) => `${{node.outerHTML}} ${{node.offsetWidth}}x${{node.offsetHeight}}`)"""
STOPS = """[...new Set([...log.querySelectorAll("*")].filter((node) => node.tabIndex >= 0)
    .map((node) => node.closest("#log > li").id))]"""
LISTEN = """() => {
    window.heard = [];
    new MutationObserver(() => heard.push(spoken.textContent)).observe(spoken, { childList: true });
}"""
MARKS = ("**", "__", "`", "-#", "##", "](", "<", "http")


@pytest_asyncio.fixture(loop_scope="session")
async def table(tmp_path: Path, pages: Pages) -> AsyncIterator[PlaygroundHarness]:
    """The real bot, with faces uploaded as emojis as `make run` has them."""
    async with open_harness(tmp_path, upload_faces=True) as laid:
        yield laid
        await pages.close()


async def in_the_end(table: PlaygroundHarness, page: Page, example: str) -> Channel:
    """Play an example to its end, in the page."""
    await ask(page, example)
    thread = await table.concluded()
    await expect(page.locator(f"#m{table.said_in(thread)[-1].id}")).to_have_count(1)
    return thread


async def read_aloud(page: Page) -> list[dict[str, Any]]:
    """The nodes of Chromium's tree for screen readers, in order: role, name and description."""
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Accessibility.getFullAXTree")
    await session.detach()
    keys = ("role", "name", "description")
    told = [n for n in tree["nodes"] if not n["ignored"]]
    return [{key: n.get(key, {}).get("value", "") for key in keys} for n in told]


@pytest.mark.parametrize("look", LOOKS)
async def test_axe_finds_nothing_in_what_a_channel_can_show(
    page_world: PageWorld, pages: Pages, look: str
) -> None:
    general = page_world.bot.text_channel("general")
    first = await page_world.say("Jonas", EVERYTHING)
    await page_world.say("Ines", "an answer with ||a spoiler||", reply_to=first)
    await general.send("panel", view=Buttons(), embed=embed())
    laid = await general.send(view=Layout(), files=files())
    await laid.add_reaction("👍")
    await (await general.send("anchor", files=files())).create_thread(name="side talk")
    page = await pages.open(page_world.server, **LOOKS[look])
    await expect(page.locator(".thread")).to_be_visible()
    assert await violations(page) == []
    assert await page.evaluate(SMALL) == []
    await page.locator(".tools button").last.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".menu")).to_be_visible()
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Form", exact=True).click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    assert await violations(page) == []
    assert await page.evaluate(SMALL) == []


@pytest.mark.parametrize("look", LOOKS)
async def test_axe_finds_nothing_from_the_first_page_to_a_finished_thread(
    table: PlaygroundHarness, pages: Pages, look: str
) -> None:
    """Channel, thread, list and dialog, what `/` offers, and the side with its faults."""
    page = await pages.open(table.discord, **LOOKS[look])
    assert await violations(page) == []
    await in_the_end(table, page, "Vote")
    assert await violations(page) == []
    assert await page.evaluate(SMALL) == []
    await page.goto(f"{table.discord.url}/page/#/{table.discord.channel('general').id}")
    box = page.get_by_role("textbox", name="Message")
    await box.fill("roundtable list")
    await box.press("Enter")
    await expect(page.locator("#log .message").nth(2)).to_be_visible()
    assert await violations(page) == []
    await box.press_sequentially("/")
    await expect(page.get_by_role("listbox", name="Commands")).to_be_visible()
    assert await violations(page) == []
    await box.press_sequentially("roundtable start")
    await box.press("Enter")
    await expect(page.get_by_role("dialog", name="/roundtable start")).to_be_visible()
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    await page.evaluate("side.checkVisibility() || side.showPopover()")
    await page.locator("#faults > summary").click()
    await expect(page.get_by_role("button", name="Re-identify")).to_be_visible()
    assert await violations(page) == []
    assert await page.evaluate(SMALL) == []


async def test_axe_finds_nothing_in_a_forum(page_world: PageWorld) -> None:
    page = page_world.page
    await page.get_by_role("link", name="forum", exact=True).click()
    await page.get_by_role("button", name="New post").click()
    form = page.get_by_role("dialog", name="New post")
    assert await violations(page) == []
    await form.get_by_label("Title").fill("A plan")
    await form.get_by_label("Text").fill("It is **simple**.")
    await form.get_by_role("button", name="Submit").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("A plan")
    await page.get_by_role("link", name="forum", exact=True).click()
    await expect(page.locator(".post")).to_be_visible()
    assert await violations(page) == []
    assert await page.evaluate(SMALL) == []


async def test_a_thread_is_one_message_in_the_tab_order_and_arrows_lead_to_the_others(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    await in_the_end(table, page, "Vote")
    ids: list[str] = await page.evaluate("[...log.children].map(({ id }) => id)")
    assert await page.evaluate(STOPS) == ids[-1:]
    await page.get_by_role("link", name="Skip to the messages").press("Enter")
    await page.keyboard.press("Tab")
    focused = page.locator(":focus")
    await expect(focused).to_have_id(ids[-1])
    await expect(focused).to_have_css("outline-style", "solid")
    for wanted in reversed(ids[:-1]):
        await page.keyboard.press("ArrowUp")
        await expect(focused).to_have_id(wanted)
        await expect(focused).to_be_in_viewport()
    await page.keyboard.press("End")
    await expect(focused).to_have_id(ids[-1])
    await page.keyboard.press("Home")
    await expect(focused).to_have_id(ids[0])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await expect(page.locator(f"#{ids[1]} :focus")).to_have_count(1)
    await page.keyboard.press("ArrowDown")
    await expect(focused).to_have_id(ids[2])


async def test_a_screen_reader_hears_who_said_what_and_no_hashes(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    thread = await in_the_end(table, page, "Vote")
    assert await page.locator("img.emoji").count() > 0
    told = await read_aloud(page)
    assert "rt_" not in json.dumps(told)
    said = [m for m in table.said_in(thread) if not m.is_system]
    items = [n["name"] for n in told if n["role"] == "listitem" and n["name"]]
    assert [name.split()[0] for name in items[-len(said) :]] == [
        m.author.name.split()[0] for m in said
    ]
    pictures = [a["description"] for m in said for a in m.attachments if a["description"]]
    assert pictures
    assert set(pictures) <= {n["name"] for n in told if n["role"] == "image"}


async def test_buttons_say_whose_message_they_belong_to(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    thread = await in_the_end(table, page, "Vote")
    told = [n for n in await read_aloud(page) if n["role"] == "button"]
    for name in {m.author.name for m in table.said_in(thread)}:
        assert {f"React to {name}", f"More on {name}'s message"} <= {n["name"] for n in told}
    pressed = [n for n in told if n["name"] in {"Postgres", "SQLite", "Minutes"}]
    assert {n["description"] for n in pressed} == {"in Roundtable's message"}
    assert [n["name"] for n in told if "Read here" in n["name"]] == [
        "Read here: minutes-postgres-or-sqlite-for-our-queue.md"
    ]


async def test_announcements_are_short_and_without_marks(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    await page.evaluate(LISTEN)
    thread = await in_the_end(table, page, "Debate")
    heard: list[str] = await page.evaluate("heard")
    voices = {m.author.name for m in table.said_in(thread)}
    assert {text.partition(":")[0] for text in heard} == voices
    assert max(map(len, heard)) <= 120
    assert [text for text in heard if any(mark in text for mark in MARKS)] == []
    assert [text for text in heard if "A scripted example" in text] == []


async def test_an_answer_that_took_a_moment_is_announced(page_world: PageWorld) -> None:
    page = page_world.page
    await page.evaluate(LISTEN)
    await page_world.write("/table ready")
    await expect(page.locator(".private")).to_contain_text("it is laid")
    assert (await page.evaluate("heard"))[-1] == "Roundtable: it is laid"
