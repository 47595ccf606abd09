"""Somebody who has just typed `make run` and knows nothing else: a process and a page."""

import asyncio
import re
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import Pages
from tests.e2e.test_command_line import start

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_READY_WITHIN = 60
CONCLUDED_WITHIN = 60_000


@dataclass(frozen=True, slots=True)
class Stranger:
    """A person at the page of a playground that runs in a process of its own."""

    page: Page
    home: Path

    async def ask(self, example: str) -> None:
        """Click an example of the first page and arrive in its thread."""
        await self.page.get_by_role("button", name=example).click()
        await expect(self.page.locator("#topic")).to_have_text("in #general", timeout=15_000)

    async def back(self) -> None:
        """Return to the first page."""
        await self.page.locator("#channels > ul > li > a").first.click()
        await expect(self.page.get_by_role("heading", level=1)).to_have_text("#general")

    async def write(self, text: str) -> None:
        """Type into the message box and press Enter."""
        box = self.page.get_by_role("textbox", name="Message")
        await box.fill(text)
        await box.press("Enter")
        await expect(box).to_have_value("")

    async def concluded(self) -> Locator:
        """Wait for the headline of the conclusion, in the thread that is open, and its picture."""
        outcome = self.page.locator("#log h4")
        await expect(outcome).to_have_count(1, timeout=CONCLUDED_WITHIN)
        picture = self.page.locator('#log img[src*="agreement"]')
        await expect(picture).to_have_count(1, timeout=CONCLUDED_WITHIN)
        return outcome

    async def ask_back(self, panelist: str, question: str) -> Locator:
        """Ask a panelist something by name; the answer quotes the question."""
        await self.write(f"{panelist}, {question}")
        answer = self.page.locator("#log > li", has=self.page.locator("blockquote")).filter(
            has_text=question
        )
        await expect(answer).to_contain_text(panelist, timeout=CONCLUDED_WITHIN)
        return answer

    def model_calls(self) -> int:
        """How often a model was called, by the bot's own books."""
        with closing(sqlite3.connect(self.home / "roundtable.db")) as books:
            (count,) = books.execute("SELECT COUNT(*) FROM calls").fetchone()
        return int(count)


@asynccontextmanager
async def stranger_at(home: Path, pages: Pages) -> AsyncIterator[Stranger]:
    """What `make run` starts, in a folder whose stand-ins speak at once, and its page."""
    process = await start(home, "run")
    assert process.stdout
    try:
        async with asyncio.timeout(_READY_WITHIN):
            found = None
            while found is None:
                found = _ADDRESS.search((await process.stdout.readline()).decode())
        yield Stranger(await pages.open_at(found[0]), home)
        await pages.close()
    finally:
        process.send_signal(signal.SIGTERM)
        await process.communicate()
