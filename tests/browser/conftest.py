"""Chromium on the page of an embedded Discord; console errors and foreign requests fail a test."""

import inspect
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    async_playwright,
)

from bot.playground.server import EmbeddedDiscord
from tests.browser.scripted_bot import scripted
from tests.playground.conftest import SmallBot, connected

_HERE = Path(__file__).parent
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_TIMEOUT = 8000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is a browser test, and all of them share one loop and one browser."""
    for item in items:
        if not item.path.is_relative_to(_HERE) or not isinstance(item, pytest.Function):
            continue
        item.add_marker(pytest.mark.browser)
        if inspect.iscoroutinefunction(item.function):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@dataclass
class Chromium:
    """The browser, and one page of the usual size that tests use one after the other."""

    browser: Browser
    spare: Page | None = None

    async def new_page(self, width: int, height: int, *, dark: bool) -> Page:
        context = await self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            locale="en-GB",
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(_TIMEOUT)
        return await context.new_page()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Chromium]:
    """The system's Chromium."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("There is no Chromium on this machine.")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, headless=True, args=_ARGUMENTS
        )
        yield Chromium(browser)
        await browser.close()


@dataclass
class Complaints:
    """What must not happen in a page."""

    heard: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", self._request)

    def leave(self, page: Page) -> None:
        page.remove_listener("console", self._console)
        page.remove_listener("pageerror", self._error)
        page.remove_listener("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not where.endswith(self.expected):
            self.heard.append(f"{message.text} ({where})")

    def _error(self, error: Error) -> None:
        self.heard.append(str(error))

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.hostname not in (
            "127.0.0.1",
            "localhost",
        ):
            self.heard.append(f"a foreign request: {request.url}")


_USUAL = (1280, 800, False)


@dataclass
class Pages:
    """Opens pages on servers of their own origin, and closes them before their server goes."""

    chromium: Chromium
    complaints: Complaints
    opened: list[tuple[Page, bool]] = field(default_factory=list)

    async def open(
        self, server: EmbeddedDiscord, *, width: int = 1280, height: int = 800, dark: bool = False
    ) -> Page:
        """A page on an embedded Discord of this process."""
        return await self.open_at(server.url, width=width, height=height, dark=dark)

    async def open_at(
        self, url: str, *, width: int = 1280, height: int = 800, dark: bool = False
    ) -> Page:
        """A page on whatever serves it at this address."""
        usual = (width, height, dark) == _USUAL
        page = self.chromium.spare if usual else None
        page = page or await self.chromium.new_page(width, height, dark=dark)
        self.chromium.spare = None if usual else self.chromium.spare
        self.opened.append((page, usual))
        self.complaints.watch(page)
        await page.goto(f"{url}/page/")
        await page.locator("#log > li").first.wait_for()
        return page

    async def close(self) -> None:
        while self.opened:
            page, usual = self.opened.pop()
            self.complaints.leave(page)
            if usual and self.chromium.spare is None:
                await page.goto("about:blank")
                self.chromium.spare = page
            else:
                await page.context.close()


@pytest.fixture
def complaints() -> Complaints:
    """What the pages of this test complained about; a test may expect some."""
    # Without a known panel, whether it rehearses is not told; the page takes it for a rehearsal.
    return Complaints()


@pytest_asyncio.fixture(loop_scope="session")
async def pages(chromium: Chromium, complaints: Complaints) -> AsyncIterator[Pages]:
    """Opens pages; at the end none may have complained."""
    opened = Pages(chromium, complaints)
    yield opened
    await opened.close()
    assert complaints.heard == []


@dataclass(frozen=True, slots=True)
class PageWorld:
    """An embedded Discord with the scripted bot, and a page open as Mara in #general."""

    server: EmbeddedDiscord
    bot: SmallBot
    page: Page

    async def say(self, person: str, text: str, reply_to: int | None = None) -> int:
        """Somebody says something in #general."""
        who, where = self.server.person(person).id, self.server.channel("general").id
        return (await self.server.say(who, where, text, reply_to=reply_to)).id

    async def write(self, text: str) -> None:
        """Type into the message box and press Enter."""
        await self.page.get_by_role("textbox", name="Message").fill(text)
        await self.page.keyboard.press("Enter")

    async def said(self, text: str, channel: str = "general") -> None:
        """Wait until the server has a message."""
        where = self.server.channel(channel).id
        await self.server.until(
            lambda: any(text in m.text for m in self.server.messages(where)), timeout=8
        )


@pytest_asyncio.fixture(loop_scope="session")
async def page_world(pages: Pages) -> AsyncIterator[PageWorld]:
    """See PageWorld."""
    async with EmbeddedDiscord() as server, connected(server, scripted()) as bot:
        yield PageWorld(server, bot, await pages.open(server))
        await pages.close()
    assert server.unknown_routes == []
