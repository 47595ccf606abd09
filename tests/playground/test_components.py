"""Components V2: cards, their limits, and the files they show."""

import io
from typing import Any

import aiohttp
import discord
import pytest
from discord import ui

from bot.playground._basics import Flag
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot


def card(*texts: str) -> ui.LayoutView:
    """A card with texts in a container and a button."""
    view = ui.LayoutView(timeout=None)
    container: ui.Container[Any] = ui.Container(*(ui.TextDisplay(text) for text in texts))
    container.add_item(ui.ActionRow(ui.Button(label="Stop", custom_id="rt:stop")))
    view.add_item(container)
    return view


async def test_a_card_shows_its_text_and_buttons(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """examples.md 24"""
    await bot.text_channel("general").send(view=card("Round 1", "Ada is thinking"))
    kept = server.messages(server.channel("general").id)[0]
    assert kept["flags"] & Flag.COMPONENTS_V2
    assert (kept.text, kept.custom_ids) == ("Round 1\nAda is thinking", ["rt:stop"])


async def test_a_card_is_edited_in_place(server: EmbeddedDiscord, bot: SmallBot) -> None:
    sent = await bot.text_channel("general").send(view=card("Round 1"))
    await sent.edit(view=card("Round 2"))
    assert server.messages(server.channel("general").id)[0].text == "Round 2"


async def test_a_button_on_a_card_can_be_pressed(server: EmbeddedDiscord, bot: SmallBot) -> None:
    sent = await bot.text_channel("general").send(view=card("Round 1"))
    await server.press(server.person("Mara").id, sent.id, "rt:stop")
    (interaction,) = await bot.hear("interaction")
    assert interaction.data["custom_id"] == "rt:stop"
    assert interaction.message.id == sent.id


async def test_text_on_a_card_pings_like_any_text(server: EmbeddedDiscord, bot: SmallBot) -> None:
    mara = server.person("Mara").id
    await bot.text_channel("general").send(view=card(f"asked by <@{mara}>"))
    assert server.messages(server.channel("general").id)[0].pings.users == {mara}


async def test_a_card_shows_a_file(server: EmbeddedDiscord, bot: SmallBot) -> None:
    view = card("Done")
    view.add_item(ui.File("attachment://minutes.md"))
    view.add_item(ui.MediaGallery(discord.MediaGalleryItem("attachment://agreement.png")))
    files = [discord.File(io.BytesIO(b"x"), name) for name in ("minutes.md", "agreement.png")]
    await bot.text_channel("general").send(view=view, files=files)
    kept = server.messages(server.channel("general").id)[0]
    shown = kept.components[1]
    assert (shown["name"], shown["file"]["url"]) == ("minutes.md", kept.attachments[0]["url"])
    assert kept.components[2]["items"][0]["media"]["url"] == kept.attachments[1]["url"]


def crowd(count: int) -> ui.LayoutView:
    view = ui.LayoutView(timeout=None)
    for _ in range(count):
        view.add_item(ui.TextDisplay("x"))
    return view


async def refused(bot: SmallBot, **body: Any) -> int:
    """The code with which a raw message is refused."""
    flags: dict[str, Any] = {"flags": int(Flag.COMPONENTS_V2)}
    route = discord.http.Route(
        "POST", "/channels/{channel_id}/messages", channel_id=bot.text_channel("general").id
    )
    with pytest.raises(discord.HTTPException) as caught:
        await bot.http.request(route, json=flags | body)
    return caught.value.code


def text(content: str) -> dict[str, Any]:
    return {"type": 10, "content": content}


@pytest.mark.parametrize(
    "body",
    [
        {"components": [text("a")], "content": "both"},
        {"components": [text("a")], "embeds": [{"title": "both"}]},
        {"components": [text("a")] * 41},
        {"components": [text("a" * 2001)] * 2},
        {"components": [{"type": 13, "file": {"url": "attachment://none.md"}}]},
        {"components": [text("a")], "flags": 0},
        {"components": [{"type": 1, "components": [{"type": 2, "custom_id": "x" * 101}]}]},
        {"components": [{"type": 1, "components": [{"type": 2, "custom_id": "x"}] * 2}]},
        {"components": [{"type": 1, "components": [{"type": 2, "label": "x" * 81}]}]},
        {"components": [{"type": 1, "components": []}]},
    ],
)
async def test_a_card_that_breaks_a_rule_is_refused(bot: SmallBot, body: dict[str, Any]) -> None:
    """discord.md 2.2"""
    assert await refused(bot, **body) == 50035


async def test_too_many_bytes_make_a_server_error(server: EmbeddedDiscord) -> None:
    """discord.md 2.2: above about 10,170 bytes Discord answers 500."""
    url = f"{server.api_url}/channels/{server.channel('general').id}/messages"
    body = {"flags": int(Flag.COMPONENTS_V2), "components": [text("語" * 3400)]}
    headers = {"Authorization": f"Bot {server.token}"}
    async with (
        aiohttp.ClientSession() as http,
        http.post(url, json=body, headers=headers) as answer,
    ):
        assert answer.status == 500
