"""Buttons, selects, cards, embeds, forms, commands."""

from playwright.async_api import Page, expect

from tests.browser.conftest import PageWorld
from tests.browser.scripted_bot import Buttons, Layout, embed, files
from tests.browser.test_doing import act


async def with_buttons(world: PageWorld) -> Page:
    await world.bot.text_channel("general").send("panel", view=Buttons())
    await expect(world.page.get_by_role("button", name="Whisper")).to_be_visible()
    return world.page


async def test_an_answer_only_for_one_is_marked_and_can_be_dismissed(
    page_world: PageWorld,
) -> None:
    page = await with_buttons(page_world)
    await page.get_by_role("button", name="Whisper").click()
    answer = page.locator("#log > li", has_text="psst")
    await expect(answer).to_contain_text("Only you can see this.")
    await act(page, "psst", "Delete")
    await expect(answer).to_have_count(0)


async def test_a_button_that_changes_its_message_keeps_the_focus(page_world: PageWorld) -> None:
    page = await with_buttons(page_world)
    button = page.get_by_role("button", name="Change")
    await button.press("Enter")
    await expect(page.locator(".message")).to_contain_text("changed")
    await expect(button).to_be_focused()


async def test_buttons_that_are_off_or_lead_away_say_so(page_world: PageWorld) -> None:
    page = await with_buttons(page_world)
    await expect(page.get_by_role("button", name="Off")).to_be_disabled()
    away = page.get_by_role("link", name="Elsewhere")
    await expect(away).to_have_attribute("href", "https://example.org/there")
    await expect(away).to_have_attribute("rel", "noopener noreferrer")


async def test_a_select_is_used_with_the_keyboard(page_world: PageWorld) -> None:
    page = await with_buttons(page_world)
    await page.get_by_role("button", name="Pick a tea").press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.locator(".private")).to_contain_text("chose ['black']")


async def test_several_values_and_people_can_be_selected(page_world: PageWorld) -> None:
    page = await with_buttons(page_world)
    await page.get_by_role("button", name="Pick cups").click()
    await page.get_by_role("dialog").get_by_role("listbox").select_option(["blue", "red"])
    await page.get_by_role("button", name="Submit").click()
    await expect(page.locator(".private")).to_contain_text("took ['blue', 'red']")
    await page.get_by_role("button", name="Pick a person").click()
    await page.locator(".menu").get_by_text("Ines").click()
    await expect(page.locator(".private").last).to_contain_text("met Ines")


async def test_a_card_of_version_two_shows_all_its_parts(page_world: PageWorld) -> None:
    await page_world.bot.text_channel("general").send(view=Layout(), files=files())
    card = page_world.page.locator(".card")
    await expect(card.locator("h4")).to_have_text("The card")
    await expect(card.locator(".section strong")).to_have_text("section")
    await expect(card.locator("img")).to_have_attribute("alt", "A dot")
    await expect(card.get_by_role("link", name="plan.md")).to_be_visible()
    await expect(card.get_by_role("separator")).to_have_count(1)
    await expect(card).to_have_css("border-left-color", "rgb(180, 83, 42)")
    await expect(page_world.page.locator(".file")).to_have_count(1)
    await card.get_by_role("button", name="Ask").click()
    await expect(page_world.page.locator(".private")).to_contain_text("psst")


async def test_an_embed_shows_all_its_parts(page_world: PageWorld) -> None:
    await page_world.bot.text_channel("general").send(embed=embed())
    card = page_world.page.locator(".card")
    await expect(card).to_contain_text("ResultcloseFor3Against2counted twice")
    await expect(card.locator("em")).to_have_text("close")


async def test_a_form_is_filled_in_and_sent(page_world: PageWorld) -> None:
    page = await with_buttons(page_world)
    await page.get_by_role("button", name="Form").click()
    form = page.get_by_role("dialog", name="Found a table")
    await expect(form.get_by_label("Name")).to_be_focused()
    await form.get_by_label("Name").fill("The Oak")
    await form.get_by_label("Panel").select_option("budget")
    await form.get_by_label("Loud").check()
    await form.get_by_role("button", name="Submit").click()
    await page_world.said("founded The Oak, budget, True")
    await expect(form).to_have_count(0)


async def test_escape_closes_a_form_and_gives_the_focus_back(page_world: PageWorld) -> None:
    page = await with_buttons(page_world)
    button = page.get_by_role("button", name="Form")
    await button.press("Enter")
    form = page.get_by_role("dialog")
    await expect(form.get_by_label("Name")).to_be_focused()
    for _ in range(12):
        await page.keyboard.press("Tab")
        outside = "document.activeElement.closest('main, nav') !== null"
        assert not await page.evaluate(outside)
    await page.keyboard.press("Escape")
    await expect(form).to_have_count(0)
    await expect(button).to_be_focused()


async def test_a_form_that_lacks_something_is_not_sent(page_world: PageWorld) -> None:
    page = await with_buttons(page_world)
    await page.get_by_role("button", name="Form").click()
    await page.get_by_role("button", name="Submit").click()
    assert await page.get_by_label("Name").evaluate("field => field.validity.valueMissing")
    await expect(page.get_by_role("dialog")).to_be_visible()


async def test_a_command_is_picked_and_filled_in_with_the_keyboard(page_world: PageWorld) -> None:
    page = page_world.page
    await page.get_by_role("textbox", name="Message").press_sequentially("/")
    options = page.locator("[role=option]")
    await expect(options).to_have_text(
        [
            "/table start Hold a meeting",
            "/table ready Ask whether it is laid",
            "/table silence Get no answer",
        ]
    )
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Tab")
    form = page.get_by_role("dialog", name="/table start")
    await form.get_by_label("topic").fill("tea")
    await expect(options.last).to_contain_text("onerror")
    await page.keyboard.press("Escape")
    await form.get_by_label("mode").select_option("vote")
    await form.get_by_label("rounds").fill("3")
    await form.get_by_label("quick").check()
    await form.get_by_label("guest").select_option("Ines")
    await form.get_by_label("rounds").press("Enter")
    await expect(page.locator(".private")).to_contain_text("tea / vote / 3 / True / Ines")


async def test_a_required_option_is_asked_for(page_world: PageWorld) -> None:
    page = page_world.page
    await page_world.write("/table start")
    await page.get_by_role("button", name="Submit").click()
    assert await page.get_by_label("topic").evaluate("field => field.validity.valueMissing")


async def test_choices_are_completed_while_one_types(page_world: PageWorld) -> None:
    page = page_world.page
    await page_world.write("/table start")
    await page.get_by_label("topic").press_sequentially("tea")
    await expect(page.locator("[role=option]").first).to_have_text("tea or coffee")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("topic")).to_have_value("tea or coffee")
    await page.keyboard.press("Enter")
    await expect(page.locator(".private")).to_contain_text("tea or coffee! / None / 2 / False")


async def test_a_deferred_answer_comes_after_the_dots(page_world: PageWorld) -> None:
    await page_world.write("/table ready")
    await expect(page_world.page.locator(".private")).to_contain_text("it is laid")


async def test_a_silent_application_is_told(page_world: PageWorld) -> None:
    await page_world.write("/table silence")
    await expect(page_world.page.get_by_role("alert")).to_have_text(
        "The application did not respond."
    )


async def test_the_applications_own_message_command_is_in_the_menu(page_world: PageWorld) -> None:
    await page_world.say("Jonas", "a claim")
    await act(page_world.page, "a claim", "Who said this?")
    await expect(page_world.page.locator(".private")).to_contain_text("it was Jonas")
