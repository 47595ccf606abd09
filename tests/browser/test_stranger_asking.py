"""Issue 22: a stranger reads the outcome at once, mistypes, and votes in other languages."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Pages
from tests.browser.stranger import CONCLUDED_WITHIN, stranger_at
from tests.browser.test_stranger import EXAMPLES
from tests.e2e.test_command_line import home

__all__ = ["home"]

ERRORS = ("statsu", "stpo", "-h", "--help", "post #decisions")
VOTES = {
    "German": ("Tee oder Kaffee im Büro?", "Tee", "Kaffee"),
    "Japanese": ("紅茶それともコーヒー？", "紅茶", "コーヒー"),
    "Arabic": ("الشاي أم القهوة؟", "الشاي", "القهوة"),
}


async def test_the_outcome_of_each_example_is_read_without_scrolling(
    home: Path, pages: Pages
) -> None:
    """When it is there, in the list of the channel, and when the thread is opened again."""
    async with stranger_at(home, pages) as stranger:
        page = stranger.page
        for number, example in enumerate(EXAMPLES, 1):
            await stranger.ask(example)
            outcome = await stranger.concluded()
            await expect(outcome).to_be_in_viewport()
            await stranger.back()
            posts = page.locator("#log").get_by_role("link", name="read", exact=True)
            await expect(posts).to_have_count(number)
            await posts.last.click()
            await expect(page.locator("#topic")).to_have_text("in #general")
            await expect(outcome).to_be_in_viewport()
            await stranger.back()
            await page.locator("#channels ul ul a").first.click()
            await expect(outcome).to_be_in_viewport()
            await stranger.back()


async def test_five_typing_errors_call_no_model(home: Path, pages: Pages) -> None:
    async with stranger_at(home, pages) as stranger:
        page = stranger.page
        for number, typed in enumerate(ERRORS, 1):
            await stranger.write(f"roundtable {typed}")
            await expect(page.locator("#log .message", has=page.locator(".bot"))).to_have_count(
                number
            )
        await expect(page.locator("#channels ul ul a")).to_have_count(0)
        await expect(page.get_by_role("button", name="roundtable status")).to_be_visible()
        await expect(page.get_by_role("button", name="roundtable stop")).to_be_visible()
        assert stranger.model_calls() == 0


@pytest.mark.parametrize("language", VOTES)
async def test_a_vote_in_another_language_is_about_what_was_asked(
    home: Path, pages: Pages, language: str
) -> None:
    topic, *options = VOTES[language]
    async with stranger_at(home, pages) as stranger:
        page = stranger.page
        await stranger.write(f"roundtable --vote {topic}")
        await page.locator("#channels ul ul a").first.click(timeout=15_000)
        await stranger.concluded()
        ballot = page.locator("#log .row").last
        for option in options:
            await expect(ballot.get_by_role("button", name=option, exact=True)).to_be_enabled()
        await ballot.get_by_role("button", name=options[1], exact=True).click()
        await expect(page.locator(".private")).to_contain_text(options[1], timeout=CONCLUDED_WITHIN)
        await expect(page.locator(".card").first).to_contain_text(topic)
