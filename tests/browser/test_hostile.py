"""Whatever models and people write stays text: nothing runs, nothing foreign is loaded."""

import discord
from playwright.async_api import Page, expect

from tests.browser.conftest import PageWorld

SCRIPT = "<script>window.hit=1</script>"
IMAGE = "<img src=x onerror=window.hit=1>"
SVG = "<svg onload=window.hit=1>"
TEXTS = (
    f"{SCRIPT} {IMAGE} {SVG}",
    f"**{IMAGE}** ||{SCRIPT}|| `{SVG}` > {IMAGE}",
    f"```{IMAGE}\n{SCRIPT}```",
    f"```html\n{SCRIPT}{IMAGE}\n```",
    f"# {IMAGE}\n-# {SVG}\n- {SCRIPT}\n1. {IMAGE}\n> {SVG}",
    "[click](javascript:window.hit=1) <javascript:window.hit=1> javascript:window.hit=1",
    "[click](data:text/html,<script>window.hit=1</script>) [x](JaVaScRiPt:window.hit=1)",
    '[a" onmouseover="window.hit=1](https://example.org/"onmouseover="window.hit=1)',
    'https://example.org/<script>window.hit=1</script> <https://example.org/"onclick=hit>',
    '<@1> <@&1> <#1> <t:999999999999:R> <t:-99999999999:F> <:x"onload=1:1>',
    "https://discord.com/channels/1/2/javascript:window.hit=1",
    "".join(("||", "**") * 200),
    "> " * 400 + "deep",
    "*" * 1500 + "_" * 400,
    "[" * 900 + "](https://x" * 50,
)


async def nothing_ran(page: Page) -> None:
    """No script ran, and nothing in the page could run one."""
    assert await page.evaluate("window.hit === undefined")
    armed = """[...document.querySelectorAll("main *, dialog *, .menu *")].flatMap((node) =>
        [...node.attributes].filter(({ name, value }) => name.startsWith("on") ||
            name === "style" && value.includes("url") || /^(javascript|data):/i.test(value))
        .map(({ name, value }) => `${node.localName} ${name}=${value}`))"""
    assert await page.evaluate(armed) == []
    assert await page.locator("main script, main svg, main iframe, dialog script").count() == 0
    assert await page.locator("main img:not(.face):not(.picture img)").count() == 0


async def test_hostile_text_stays_text(page_world: PageWorld) -> None:
    for text in TEXTS:
        await page_world.say("Jonas", text[:2000])
    await expect(page_world.page.locator(".message")).to_have_count(len(TEXTS))
    await expect(page_world.page.locator(".message").first).to_contain_text(SCRIPT)
    await nothing_ran(page_world.page)


async def test_only_web_addresses_become_links(page_world: PageWorld) -> None:
    for text in TEXTS:
        await page_world.say("Jonas", text[:2000])
    await expect(page_world.page.locator(".message")).to_have_count(len(TEXTS))
    links = "[...document.querySelectorAll('.text a')].map((link) => link.protocol)"
    assert set(await page_world.page.evaluate(links)) == {"https:"}


async def test_hostile_names_stay_text(page_world: PageWorld) -> None:
    hook = await page_world.bot.text_channel("general").create_webhook(name="table")
    await hook.send("hello", username=f"{IMAGE}/../..", wait=True)
    thread = await (await page_world.bot.text_channel("general").send("x")).create_thread(
        name=SCRIPT
    )
    await thread.send(f"{IMAGE}")
    await expect(page_world.page.locator(".author").first).to_have_text(f"{IMAGE}/../..")
    await expect(page_world.page.locator("#channels li li")).to_contain_text(SCRIPT)
    await page_world.page.locator("#channels li li a").click()
    await expect(page_world.page.get_by_role("heading", level=1)).to_have_text(SCRIPT)
    await nothing_ran(page_world.page)


async def test_hostile_embeds_and_components_stay_text(page_world: PageWorld) -> None:
    shown = discord.Embed(title=IMAGE, description=SCRIPT, url="https://example.org/<b>")
    shown.add_field(name=SVG, value=f"[x](javascript:window.hit=1) {IMAGE}")
    shown.set_footer(text=SCRIPT)
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label=IMAGE, custom_id='a"] onclick=window.hit=1'))
    view.add_item(
        discord.ui.Select(
            custom_id="s",
            placeholder=SCRIPT,
            options=[discord.SelectOption(label=IMAGE, description=SVG)],
        )
    )
    await page_world.bot.text_channel("general").send(embed=shown, view=view)
    page = page_world.page
    await expect(page.locator(".card")).to_contain_text(SCRIPT)
    await page.get_by_role("button", name=SCRIPT).click()
    await expect(page.locator(".menu")).to_contain_text(f"{IMAGE} {SVG}")
    await nothing_ran(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name=IMAGE)).to_have_count(1)


ODD = """async () => {
    const { messageNode } = await import("/page/message.js");
    const bad = "javascript:window.hit=1";
    const armed = { onclick: bad, style: "background:url(https://example.org/spy)" };
    const link = { type: 2, style: 5, label: "go", url: bad };
    const odd = { title: armed, url: bad, image: { url: bad }, color: "red;--x:url(//x)" };
    document.getElementById("log").append(messageNode({
        id: "1", type: 0, flags: 0, content: "odd", timestamp: "never", reactions: [],
        author: { id: "1", username: "<script>window.hit=1</script>" },
        attachments: [{ url: bad, filename: "a.md", content_type: "image/png" }],
        embeds: [odd], components: [{ type: 1, components: [link] }, { type: 99 }],
    }, false));
}"""


async def test_what_a_message_should_not_hold_does_no_harm(page_world: PageWorld) -> None:
    """A bot that is not ours could send other types and addresses than discord.py would."""
    page = page_world.page
    await page.evaluate(ODD)
    await expect(page.locator(".author")).to_have_text(SCRIPT)
    assert await page.locator("#log a[href]").count() == 0
    await nothing_ran(page)


async def test_hostile_choices_stay_text(page_world: PageWorld) -> None:
    page = page_world.page
    await page_world.write("/table start")
    await page.get_by_label("topic").press_sequentially("x")
    await expect(page.locator("[role=option]").last).to_have_text("<img src=x onerror=alert(1)> x")
    await nothing_ran(page)


async def test_the_page_may_not_run_or_load_anything_foreign(page_world: PageWorld) -> None:
    answer = await page_world.page.request.get(f"{page_world.server.url}/page/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    text = await answer.text()
    assert "<style" not in text
    assert " style=" not in text
    assert "onclick" not in text
    assert "https://" not in text
