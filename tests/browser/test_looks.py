"""How the page looks and how it is reached: themes, a phone, the keyboard, its size."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

import bot.playground.web
from bot.playground.server import EmbeddedDiscord
from tests.browser.conftest import Pages, PageWorld

FOLDER = Path(bot.playground.web.__file__).with_name("page")
MOST_BYTES = 57_000
LONGEST_LINE = 100


async def background(page: Page) -> str:
    return str(await page.evaluate("getComputedStyle(document.body).backgroundColor"))


async def test_the_theme_follows_the_system_until_it_is_chosen(
    page_world: PageWorld, pages: Pages
) -> None:
    light = await background(page_world.page)
    page = await pages.open(page_world.server, dark=True)
    assert await background(page) != light
    await page.get_by_role("button", name="Light or dark").click()
    assert await background(page) == light
    await page.reload()
    await expect(page.locator("#channels a").first).to_be_visible()
    assert await background(page) == light


async def test_on_a_phone_the_channels_are_a_drawer(page_world: PageWorld, pages: Pages) -> None:
    page = await pages.open(page_world.server, width=390, height=844)
    channel = page.get_by_role("link", name="decisions")
    await expect(channel).to_have_count(0)
    await page.get_by_role("button", name="Channels").click()
    await channel.click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("#decisions")
    await expect(channel).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [320, 390, 640, 1280])
async def test_nothing_sticks_out(page_world: PageWorld, pages: Pages, width: int) -> None:
    """On a phone, and when 1280 pixels are zoomed to 200 and 400 %."""
    await page_world.say("Jonas", f"{'w' * 300}\n```\n{'c' * 300}\n```\nhttps://x.y/{'u' * 300}")
    page = await pages.open(page_world.server, width=width, height=400 if width == 640 else 800)
    await expect(page.locator(".message")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await page.evaluate("view.scrollWidth - view.clientWidth") <= 0


async def test_everything_is_reached_with_the_keyboard(page_world: PageWorld) -> None:
    page = page_world.page
    await page_world.say("Jonas", "hello")
    await page.get_by_role("link", name="Skip to the message box").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Shift+Tab")
    await expect(page.get_by_role("button", name="More")).to_be_focused()
    await expect(page.locator(".tools")).to_have_css("opacity", "1")
    await page.get_by_role("link", name="decisions").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("#decisions")


async def test_every_control_has_a_name_and_every_region_a_landmark(page_world: PageWorld) -> None:
    page = page_world.page
    await page_world.say("Jonas", "hello")
    await expect(page.locator(".message")).to_be_visible()
    unnamed = """[...document.querySelectorAll("button, input, select, textarea, a")]
        .filter((node) => !node.hidden && !node.ariaLabel && !node.textContent.trim() &&
            !node.labels?.length).map((node) => node.outerHTML)"""
    assert await page.evaluate(unnamed) == []
    for role in ("navigation", "main"):
        await expect(page.locator("nav" if role == "navigation" else role)).to_have_count(1)
    await expect(page.get_by_role("region", name="Messages")).to_be_visible()


async def test_a_newcomer_is_told_what_this_is(pages: Pages) -> None:
    async with EmbeddedDiscord() as server:
        server.world.about = {"note": "No model is speaking here."}
        page = await pages.open(server)
        welcome = page.locator(".welcome")
        await expect(welcome).to_contain_text(
            "Roundtable lets a panel of language models debate your question in a thread."
        )
        await expect(welcome).to_contain_text("No model is speaking here")
        await expect(welcome.get_by_role("button")).to_have_count(3)
        await page.get_by_role("link", name="decisions").click()
        await expect(welcome).to_have_count(0)
        await pages.close()


def test_the_page_is_small_and_readable() -> None:
    files = list(FOLDER.iterdir())
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    assert max(map(len, lines)) <= LONGEST_LINE
