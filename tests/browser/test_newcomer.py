"""A newcomer's first minutes with the real bot, and the pictures of them."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.conftest import Pages
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SHOTS = (
    ("playground-light", 1280, 800, False),
    ("playground-dark", 1280, 800, True),
    ("playground-phone", 390, 844, False),
    ("playground-phone-dark", 390, 844, True),
)


@pytest_asyncio.fixture(loop_scope="session")
async def table(tmp_path: Path, pages: Pages) -> AsyncIterator[PlaygroundHarness]:
    """The real bot with a panel that takes a moment to think."""
    async with open_harness(tmp_path, seconds_per_answer=0.3) as laid:
        yield laid
        await pages.close()


async def ask(page: Page, example: str) -> None:
    """Click an example and follow it into its thread."""
    await page.get_by_role("button", name=example).click()
    await expect(page.locator("#topic")).to_have_text("in #general", timeout=15_000)


async def conclusion(page: Page) -> None:
    """Wait for the end of the meeting in the thread that is open."""
    await expect(page.locator("#log")).to_contain_text("META", timeout=30_000)


async def test_an_example_is_argued_to_its_conclusion(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    await ask(page, "Vote")
    await conclusion(page)
    await expect(page.locator(".panelist").first).to_be_visible()
    await expect(page.locator(".card")).to_contain_text("Concluded")
    await page.get_by_role("button", name="Read here").click()
    await expect(page.locator(".file .text")).to_contain_text("Postgres")


async def test_one_example_can_be_tried_after_the_other(
    table: PlaygroundHarness, pages: Pages
) -> None:
    """The examples stay above what was said, and the first page says that they are scripted."""
    page = await pages.open(table.discord)
    await expect(page.locator(".welcome .note")).to_contain_text("the three examples are scripted")
    for kind in ("Debate", "Red team"):
        await ask(page, kind)
        await expect(page.locator(".card")).to_contain_text("A scripted example: no model")
        await page.get_by_role("link", name="general", exact=True).click()
        await expect(page.locator(".welcome").get_by_role("button")).to_have_count(3)


async def test_the_outcome_is_in_view_at_the_end_and_when_the_thread_is_opened_again(
    table: PlaygroundHarness, pages: Pages
) -> None:
    """Issue 22, 2: the picture and the ballot come below it and do not move it."""
    page = await pages.open(table.discord)
    await ask(page, "Vote")
    await conclusion(page)
    outcome = page.locator("#log h4")
    await expect(page.get_by_role("button", name="Details").last).to_be_visible()
    await expect(page.locator('#log img[src*="agreement"]')).to_have_count(1)
    await expect(outcome).to_be_in_viewport()
    await page.get_by_role("link", name="general").first.click()
    read = page.get_by_role("link", name="read", exact=True)
    await expect(read).to_have_count(1)
    await page.locator("#channels ul ul a").first.click()
    await expect(page.locator("#topic")).to_have_text("in #general")
    await expect(outcome).to_be_in_viewport()
    await expect(page.locator(".card")).not_to_be_in_viewport()


async def test_a_reply_to_a_panelist_is_shown_with_its_quote(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    await ask(page, "Vote")
    await conclusion(page)
    said = page.locator("#log > li", has=page.locator(".panelist")).first
    name = await said.locator(".author").inner_text()
    await said.hover()
    await said.get_by_role("button", name="More").click()
    await page.locator(".menu").get_by_role("button", name="Reply").click()
    await page.keyboard.type("Why?")
    await page.keyboard.press("Enter")
    await expect(page.locator("a.quoted b")).to_have_text(name)


async def test_a_running_meeting_is_stopped_with_its_button(tmp_path: Path, pages: Pages) -> None:
    async with open_harness(tmp_path, seconds_per_answer=600) as table:
        page = await pages.open(table.discord)
        await ask(page, "Debate")
        await page.get_by_role("button", name="Stop").click(timeout=15_000)
        await expect(page.locator(".private")).to_contain_text("Stopped", timeout=15_000)
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
        await pages.close()


async def test_a_meeting_is_started_with_a_slash_command_and_seen_by_another(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    await page.get_by_role("textbox", name="Message").press_sequentially("/roundtable start")
    await page.keyboard.press("Enter")
    form = page.get_by_role("dialog", name="/roundtable start")
    await form.get_by_label("topic").fill("tea or coffee?")
    await form.get_by_label("What kind of meeting").select_option("vote")
    await form.get_by_label("quick").check()
    await form.get_by_role("button", name="Submit").click()
    await page.locator(".private").get_by_role("link").click(timeout=15_000)
    await expect(page.get_by_role("heading", level=1)).to_contain_text("tea or coffee?")
    await page.get_by_role("radio", name="Jonas").check()
    await expect(page.get_by_role("link", name="off-limits")).to_have_count(0)
    await conclusion(page)


@pytest.mark.skipif("ROUNDTABLE_PICTURES" not in os.environ, reason="Pictures were not asked for.")
@pytest.mark.parametrize(("name", "width", "height", "dark"), SHOTS)
async def test_pictures(
    table: PlaygroundHarness, pages: Pages, name: str, width: int, height: int, dark: bool
) -> None:
    page = await pages.open(table.discord, width=width, height=height, dark=dark)
    await ask(page, "Vote")
    await conclusion(page)
    await expect(page.locator(".card").first).to_contain_text("Concluded")
    await page.locator("#view").evaluate("view => view.scrollTo(0, 0)")
    await page.mouse.move(0, 0)
    await page.screenshot(path=PICTURES / f"{name}.png")


async def test_commands_begin_with_start_and_none_that_destroys_is_preselected(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    box, offered = page.get_by_role("textbox", name="Message"), page.locator("[role=option]")
    await box.fill("/")
    await expect(offered.first).to_contain_text("/roundtable start")
    await expect(offered.first).to_have_attribute("aria-selected", "true")
    await box.fill("/roundtable fo")
    await expect(offered).to_have_count(1)
    await expect(offered.first).to_have_attribute("aria-selected", "false")
    await box.press("Enter")
    await expect(box).to_have_value("/roundtable fo")
    await box.press("ArrowDown")
    await expect(offered.first).to_have_attribute("aria-selected", "true")


async def test_typing_errors_are_answered_with_a_button_and_no_thread(
    table: PlaygroundHarness, pages: Pages
) -> None:
    page = await pages.open(table.discord)
    box = page.get_by_role("textbox", name="Message")
    for typed in ("statsu", "stpo", "hlep", "tea", "hello there"):
        await box.fill(f"roundtable {typed}")
        await box.press("Enter")
        await expect(box).to_have_value("")
    await expect(page.get_by_role("button", name="Start a roundtable on it")).to_have_count(5)
    assert table.discord.threads() == []
