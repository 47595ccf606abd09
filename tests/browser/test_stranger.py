"""Issue 22: a stranger types `make run`, clicks each example, asks back and votes."""

from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Pages
from tests.browser.stranger import stranger_at
from tests.e2e.test_command_line import home

__all__ = ["home"]

EXAMPLES = {
    "Vote": (
        ("Skeptic", "What if our disk is a network volume?"),
        ("User's Voice", "How do we back up the queue?"),
    ),
    "Debate": (
        ("Advocate", "Which day should be off?"),
        ("Devil's Advocate", "What would you do instead?"),
    ),
    "Red team": (
        ("Defender", "How should recovery work?"),
        ("Analyst", "How serious is SIM swapping?"),
    ),
}


async def test_a_stranger_watches_each_example_asks_back_twice_and_votes(
    home: Path, pages: Pages
) -> None:
    async with stranger_at(home, pages) as stranger:
        page = stranger.page
        for example, questions in EXAMPLES.items():
            await stranger.ask(example)
            await stranger.concluded()
            await expect(page.locator(".card").first).to_contain_text("Concluded")
            for panelist, question in questions:
                answer = await stranger.ask_back(panelist, question)
                await expect(answer).to_contain_text("A scripted example: no model is speaking")
            if example == "Vote":
                await page.get_by_role("button", name="SQLite", exact=True).click()
                await expect(page.locator(".private")).to_contain_text("You voted for SQLite")
            await stranger.back()
