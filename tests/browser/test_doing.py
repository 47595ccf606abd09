"""What one does in the page: write, answer, react, post, switch people."""

from playwright.async_api import Page, expect

from bot.playground.server import EmbeddedDiscord
from tests.browser.conftest import Complaints, Pages, PageWorld
from tests.browser.scripted_bot import scripted
from tests.playground.conftest import connected


async def act(page: Page, message: str, action: str) -> None:
    """Use the menu of a message."""
    item = page.locator("#log > li", has_text=message)
    await item.hover()
    await item.get_by_role("button", name="More").click()
    await page.locator(".menu").get_by_role("button", name=action).click()


async def test_enter_sends_and_shift_enter_makes_a_line(page_world: PageWorld) -> None:
    box = page_world.page.get_by_role("textbox", name="Message")
    await box.press_sequentially("one")
    await box.press("Shift+Enter")
    await box.press_sequentially("two")
    await box.press("Enter")
    await page_world.said("one\ntwo")
    await expect(box).to_have_value("")


async def test_a_name_becomes_a_mention(page_world: PageWorld) -> None:
    await page_world.write("hello @Jonas")
    await page_world.said(f"hello <@{page_world.server.person('Jonas').id}>")
    await expect(page_world.page.locator(".mention")).to_have_text("@Jonas")


async def test_a_channel_becomes_a_mention_where_its_name_ends(page_world: PageWorld) -> None:
    channel = page_world.server.channel("general").id
    await page_world.write("post #general, not #generally or a#general")
    await page_world.said(f"post <#{channel}>, not #generally or a#general")
    await expect(page_world.page.locator(".mention")).to_have_text("#general")


async def test_up_edits_the_last_message_of_ones_own(page_world: PageWorld) -> None:
    await page_world.write("tpyo")
    await page_world.said("tpyo")
    box = page_world.page.get_by_role("textbox", name="Message")
    await expect(box).to_have_value("")
    await expect(page_world.page.locator(".message")).to_have_count(1)
    await box.press("ArrowUp")
    await expect(box).to_have_value("tpyo")
    await page_world.write("typo")
    await page_world.said("typo")
    assert len(page_world.server.messages(page_world.server.channel("general").id)) == 1


async def test_a_reply_is_sent_with_its_reference(page_world: PageWorld) -> None:
    first = await page_world.say("Jonas", "a question")
    await act(page_world.page, "a question", "Reply")
    await expect(page_world.page.locator("#note")).to_contain_text("Replying to Jonas.")
    await page_world.write("an answer")
    await page_world.said("an answer")
    general = page_world.server.channel("general").id
    assert page_world.server.messages(general)[-1].reply_to == first


async def test_escape_cancels_a_reply_and_keeps_the_text(page_world: PageWorld) -> None:
    await page_world.say("Jonas", "a question")
    await act(page_world.page, "a question", "Reply")
    await page_world.page.keyboard.type("still here")
    await page_world.page.keyboard.press("Escape")
    await expect(page_world.page.locator("#note")).to_be_hidden()
    box = page_world.page.get_by_role("textbox", name="Message")
    await expect(box).to_have_value("still here")


async def test_reactions_are_added_from_the_palette_and_toggled(page_world: PageWorld) -> None:
    await page_world.say("Jonas", "good?")
    page = page_world.page
    await page.locator("#log > li", has_text="good?").hover()
    await page.get_by_role("button", name="React").click()
    await page.locator(".menu").get_by_text("🎉").click()
    await page.get_by_role("button", name="🎉 1", pressed=True).click()
    await expect(page.get_by_role("button", name="🎉")).to_have_count(0)


async def test_one_deletes_ones_own_and_copies_a_link(page_world: PageWorld) -> None:
    sent = await page_world.say("Mara", "mine")
    await act(page_world.page, "mine", "Copy link")
    link = await page_world.page.evaluate("navigator.clipboard.readText()")
    general = page_world.server.channel("general")
    assert link == f"https://discord.com/channels/{general.guild_id}/{general.id}/{sent}"
    await act(page_world.page, "mine", "Delete")
    await expect(page_world.page.locator(".message")).to_have_count(0)


async def test_the_menu_opens_with_the_context_menu_key(page_world: PageWorld) -> None:
    sent = await page_world.say("Jonas", "here")
    item = page_world.page.locator(f"#m{sent}")
    await item.focus()
    await item.dispatch_event("contextmenu")
    menu = page_world.page.get_by_role("group", name="Message")
    await expect(menu.get_by_role("button", name="Reply")).to_be_focused()
    await page_world.page.keyboard.press("Tab")
    await expect(menu.get_by_role("button", name="React")).to_be_focused()
    await page_world.page.keyboard.press("Escape")
    await expect(menu).to_have_count(0)
    await expect(item).to_be_focused()


async def test_a_file_is_attached(page_world: PageWorld) -> None:
    page = page_world.page
    await page.locator("#picked").set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"remember"}
    )
    await expect(page.locator("#files")).to_have_text("notes.txt")
    await page_world.write("see")
    await page.get_by_role("button", name="Read here").click()
    await expect(page.locator(".file .text")).to_have_text("remember")


async def test_ones_own_typing_is_told(page_world: PageWorld, pages: Pages) -> None:
    other = await pages.open(page_world.server)
    await other.get_by_role("radio", name="Jonas").check()
    await expect(other.get_by_label("off-limits")).to_have_count(0)
    await expect(other.get_by_role("link", name="off-limits")).to_have_count(0)
    await page_world.page.get_by_role("textbox", name="Message").press_sequentially("hm")
    await expect(other.locator("#typing")).to_have_text("Mara is writing…")


async def test_switching_people_changes_what_is_visible(page_world: PageWorld) -> None:
    page = page_world.page
    hidden = page.get_by_role("link", name="off-limits")
    await expect(hidden).to_be_visible()
    await page.get_by_role("radio", name="Ines").check()
    await expect(hidden).to_have_count(0)
    await page_world.write("Ines speaking")
    await page_world.said("Ines speaking")
    await expect(page.locator(".author")).to_have_text("Ines")
    await page.reload()
    await expect(page.get_by_role("radio", name="Ines")).to_be_checked()


async def test_a_forum_post_is_made_with_a_title_and_a_tag(page_world: PageWorld) -> None:
    page = page_world.page
    await page.get_by_role("link", name="forum", exact=True).click()
    await page.get_by_role("button", name="New post").click()
    await page.get_by_label("Title").fill("Which one?")
    await page.get_by_label("Text").fill("This one?")
    await page.get_by_label("Tags").select_option("open")
    await page.get_by_role("button", name="Submit").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Which one?")
    await page.get_by_role("link", name="forum", exact=True).click()
    await expect(page.locator("a.post")).to_contain_text("Which one?openMara: This one?")


async def test_a_refusal_is_shown_and_the_text_kept(
    page_world: PageWorld, complaints: Complaints
) -> None:
    complaints.expected += ("/page/send",)
    box = page_world.page.get_by_role("textbox", name="Message")
    await box.evaluate("box => box.removeAttribute('maxlength')")
    await page_world.write("x" * 2001)
    await expect(page_world.page.get_by_role("alert")).to_contain_text("2000")
    await expect(box).to_have_value("x" * 2001)


async def test_faults_are_ordered_and_listed(page_world: PageWorld, complaints: Complaints) -> None:
    page, faults = page_world.page, page_world.server.faults
    await page.get_by_text("Faults").click()
    await page.get_by_label("Route").fill("channels/*/typing")
    await page.get_by_label("Kind").select_option("delay")
    await page.get_by_role("button", name="Add").click()
    await page.get_by_role("button", name="Resume").click()
    await page_world.bot.hear("resumed")
    faults.http[0].seconds = 0
    await page_world.bot.text_channel("general").typing()
    await page.get_by_role("button", name="Clear").click()
    await expect(page.locator("#struck li")).to_contain_text("delay POST channels/")
    assert faults.http == []


async def test_a_lost_server_is_told_and_a_fresh_view_follows(
    pages: Pages, complaints: Complaints
) -> None:
    complaints.expected += ("/page/people", "/page/live", "")
    server = EmbeddedDiscord()
    await server.start()
    page = await pages.open(server)
    port = server.port
    await server.close()
    await expect(page.get_by_role("status")).to_be_visible()
    again = EmbeddedDiscord()
    await again.start(port)
    try:
        await again.say(again.person("Jonas").id, again.channel("general").id, "we are back")
        await expect(page.locator(".message")).to_contain_text("we are back")
        await expect(page.get_by_role("status")).to_be_hidden()
        await pages.close()
    finally:
        await again.close()


async def test_a_bot_that_comes_later_brings_its_commands(pages: Pages) -> None:
    async with EmbeddedDiscord() as server:
        page = await pages.open(server)
        async with connected(server, scripted()):
            await page.get_by_role("textbox", name="Message").fill("/table")
            await expect(page.locator("[role=option]")).to_have_count(3)
        await pages.close()
