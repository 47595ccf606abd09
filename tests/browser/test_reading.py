"""What one reads in the page."""

import io
import time

import discord
from playwright.async_api import expect

from tests.browser.conftest import Pages, PageWorld
from tests.browser.scripted_bot import PIXEL, files

EVERYTHING = """\
# Head
## Second
### Third
-# small print
plain **bold** *italic* _also_ __under__ ~~gone~~ `code` snake_case_name \\*not italic\\*
> quoted **text**
- one
- two
  - nested
1. first
2. second
```py
print("<b>")
```
[a page](https://example.org/x) <https://example.org/y> https://example.org/z. <:wave:123>"""


async def test_markdown_is_shown_as_discord_shows_it(page_world: PageWorld) -> None:
    await page_world.say("Jonas", EVERYTHING)
    text = page_world.page.locator(".message .text")
    for tag, content in (
        ("h3", "Head"),
        ("h4", "Second"),
        ("h5", "Third"),
        ("small", "small print"),
        ("strong >> nth=0", "bold"),
        ("em >> nth=0", "italic"),
        ("em >> nth=1", "also"),
        ("u", "under"),
        ("s", "gone"),
        ("code >> nth=0", "code"),
        ("blockquote", "quoted text"),
        ("ul ul li", "nested"),
        ("ol li >> nth=1", "second"),
        ("pre code", 'print("<b>")'),
        ("pre .language", "py"),
    ):
        await expect(text.locator(tag)).to_have_text(content)
    assert await text.locator("em").count() == 2
    await expect(text).to_contain_text("snake_case_name *not italic*")
    await expect(text).to_contain_text(":wave:")


async def test_links_say_where_they_go(page_world: PageWorld) -> None:
    await page_world.say("Jonas", EVERYTHING)
    links = page_world.page.locator(".message .text a")
    await expect(links).to_have_count(3)
    addresses = [await links.nth(n).get_attribute("href") for n in range(await links.count())]
    assert addresses == [f"https://example.org/{x}" for x in "xyz"]
    await expect(page_world.page.locator(".message .text")).to_contain_text("a page (example.org)")


async def test_mentions_are_names_and_pings_are_told(page_world: PageWorld) -> None:
    jonas, decisions = (
        page_world.server.person("Jonas").id,
        page_world.server.channel("decisions").id,
    )
    await page_world.say("Mara", f"hi <@{jonas}>, see <#{decisions}> @everyone")
    message = page_world.page.locator(".message")
    await expect(message).to_contain_text("hi @Jonas, see #decisions @everyone")
    await expect(message.locator(".note")).to_have_text("would have pinged: everyone, Jonas")


async def test_a_spoiler_is_revealed_with_the_keyboard(page_world: PageWorld) -> None:
    await page_world.say("Jonas", "it was ||the butler||")
    await page_world.page.get_by_role("button", name="Spoiler").press("Enter")
    await expect(page_world.page.locator(".revealed")).to_have_text("the butler")


async def test_relative_times_are_told_in_words(page_world: PageWorld) -> None:
    await page_world.say("Jonas", f"due <t:{int(time.time()) + 7230}:R>, since <t:0:D>")
    await expect(page_world.page.locator(".text")).to_have_text(
        "due in 2 hours, since 1 January 1970"
    )


async def test_runs_of_one_author_are_grouped_and_bots_have_badges(page_world: PageWorld) -> None:
    general = page_world.bot.text_channel("general")
    await page_world.say("Jonas", "one")
    await page_world.say("Jonas", "two")
    await general.send("three")
    hook = await general.create_webhook(name="table")
    await hook.send("four", username="Ada", wait=True)
    authors = page_world.page.locator("header:has(.author)")
    await expect(authors).to_contain_text(["Jonas", "Roundtablebot", "Adapanelist"])
    await expect(page_world.page.locator(".message")).to_have_count(4)


async def test_a_reply_shows_its_quote_and_leads_to_the_original(page_world: PageWorld) -> None:
    first = await page_world.say("Jonas", "the **first** word")
    for n in range(30):
        await page_world.say("Ines", f"filler {n}")
    await page_world.say("Mara", "an answer", reply_to=first)
    quote = page_world.page.locator("a.quoted")
    await expect(quote).to_have_text("Jonasthe first word")
    await quote.click()
    await expect(page_world.page.locator(f"#m{first}")).to_be_focused()
    await expect(page_world.page.locator(f"#m{first}")).to_be_in_viewport()


async def test_a_quote_does_not_give_a_spoiler_away(page_world: PageWorld) -> None:
    first = await page_world.say("Jonas", "it was ||the butler||")
    await page_world.say("Mara", "no!", reply_to=first)
    await expect(page_world.page.locator("a.quoted")).to_have_text("Jonasit was ▒▒▒")


async def test_a_link_to_a_message_jumps_inside_the_page(page_world: PageWorld) -> None:
    server, bot = page_world.server, page_world.bot
    sent = await bot.text_channel("decisions").send("settled")
    await page_world.say("Jonas", f"see {sent.jump_url}")
    await page_world.page.get_by_role("link", name="#decisions ›").click()
    await expect(page_world.page.get_by_role("heading", level=1)).to_have_text("#decisions")
    await expect(page_world.page.locator(f"#m{sent.id}")).to_be_focused()
    assert server.messages(sent.channel.id)


async def test_a_link_to_a_tall_message_shows_its_first_line(page_world: PageWorld) -> None:
    tall = "# First line\n" + "and another\n" * 80
    sent = await page_world.bot.text_channel("decisions").send(tall)
    await page_world.say("Jonas", f"see {sent.jump_url}")
    await page_world.page.get_by_role("link", name="#decisions ›").click()
    await expect(page_world.page.locator("#log h3")).to_be_in_viewport()


async def test_edits_and_deletions_are_seen_at_once(page_world: PageWorld) -> None:
    sent = await page_world.bot.text_channel("general").send("tpyo")
    await expect(page_world.page.locator(".message")).to_contain_text("tpyo")
    await sent.edit(content="typo")
    await expect(page_world.page.locator(".message")).to_contain_text("typoedited")
    await sent.delete()
    await expect(page_world.page.locator(".message")).to_have_count(0)


async def test_pictures_are_shown_and_texts_can_be_read_in_place(page_world: PageWorld) -> None:
    await page_world.bot.text_channel("general").send("look", files=files())
    page = page_world.page
    await expect(page.locator(".picture img")).to_have_js_property("naturalWidth", 1)
    await expect(page.get_by_role("link", name="plan.md")).to_have_attribute("target", "_blank")
    await page.get_by_role("button", name="Read here").click()
    await expect(page.locator(".file h3")).to_have_text("The plan")


async def test_older_messages_come_on_request(page_world: PageWorld, pages: Pages) -> None:
    for n in range(60):
        await page_world.say("Jonas", f"number {n}.")
    page = await pages.open(page_world.server)
    await expect(page.get_by_text("number 5.", exact=True)).to_have_count(0)
    await page.get_by_role("button", name="Show older messages").click()
    await expect(page.get_by_text("number 5.", exact=True)).to_have_count(1)


async def test_a_thread_is_nested_under_its_channel_and_marked_unread(
    page_world: PageWorld,
) -> None:
    sent = await page_world.bot.text_channel("general").send("anchor")
    thread = await sent.create_thread(name="side talk")
    await thread.send("inside")
    page = page_world.page
    entry = page.locator("#channels li li a")
    await expect(entry).to_have_text("side talk1")
    await expect(page.locator("a.thread")).to_contain_text("1 message")
    await entry.click()
    await expect(page.locator("#topic")).to_have_text("in #general")
    await expect(entry).to_have_text("side talk")


async def test_somebody_who_writes_is_named(page_world: PageWorld) -> None:
    await page_world.bot.text_channel("general").typing()
    await expect(page_world.page.locator("#typing")).to_have_text("Roundtable is writing…")
    await page_world.bot.text_channel("general").send("done")
    await expect(page_world.page.locator("#typing")).to_be_empty()


async def test_new_messages_are_read_to_those_who_listen(page_world: PageWorld) -> None:
    await page_world.say("Jonas", "a **new** word")
    await expect(page_world.page.locator("#spoken")).to_have_text("Jonas: a new word")


async def test_the_newest_message_stays_in_view(page_world: PageWorld) -> None:
    for n in range(40):
        await page_world.say("Jonas", f"line {n}")
    await expect(page_world.page.get_by_text("line 39", exact=True)).to_be_in_viewport()


async def test_a_picture_from_elsewhere_is_only_linked(page_world: PageWorld) -> None:
    shown = discord.Embed(title="far").set_image(url="https://example.org/spy.png")
    await page_world.bot.text_channel("general").send(embed=shown)
    await expect(page_world.page.locator(".card a")).to_have_attribute(
        "href", "https://example.org/spy.png"
    )
    assert await page_world.page.locator(".card img").count() == 0


async def test_a_file_of_an_unknown_kind_is_a_link(page_world: PageWorld) -> None:
    file = discord.File(io.BytesIO(PIXEL), "a.bin")
    await page_world.bot.text_channel("general").send(file=file)
    await expect(page_world.page.get_by_role("link", name="a.bin")).to_be_visible()
    assert await page_world.page.get_by_role("button", name="Read here").count() == 0
