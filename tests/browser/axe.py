"""axe-core on a page: which rules of accessibility it breaks, and where."""

from importlib.resources import files

from playwright.async_api import Page

# The package is only a carrier of axe.min.js (MPL-2.0), so that pip pins it like everything else.
_SOURCE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
_RUN = """async () => {
    const options = { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } };
    const { violations } = await axe.run(document, options);
    return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
}"""


async def violations(page: Page) -> list[str]:
    """What axe-core finds in the page as it is now, with the rule for the size of targets."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_SOURCE)
    found: list[str] = await page.evaluate(_RUN)
    return found
