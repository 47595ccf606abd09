"""Faces: uploaded once as emojis, shown beside every voice and on the card; never in the way."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.panels import PanelsConfig
from bot.playground.faults import Fault
from bot.playground.model import Channel
from bot.playground.server import EmbeddedDiscord
from bot.stage.personas import emoji_name
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.support.time_travel import fast_time

pytestmark = pytest.mark.heavy

ASKED = "roundtable --quick --debate tea"


def avatars(table: PlaygroundHarness, thread: Channel) -> dict[str, str]:
    """The picture beside every voice."""
    return {m.author.name: m.avatar_url for m in table.said_in(thread) if m.webhook_id}


async def test_a_face_is_uploaded_once_and_serves_every_roundtable(tmp_path: Path) -> None:
    """Issue 8, 6: the avatar of the voice and the emoji on its row are the same picture."""
    discord = EmbeddedDiscord()
    async with open_harness(tmp_path, discord=discord, upload_faces=True) as table:
        first = await table.hold(ASKED)
        second = await table.hold(f"{ASKED} again")
        names = [emoji["name"] for emoji in discord.world.emojis]
        roles = [seat.role for seat in first.record.seats]
        assert sorted(names) == sorted(map(emoji_name, roles))
        (advocate,) = (e for e in discord.world.emojis if e["name"] == emoji_name("Advocate"))
        assert f"<:{advocate['name']}:{advocate['id']}> [Advocate](" in second.card
        url = f"{discord.cdn_url}/emojis/{advocate['id']}.png"
        async with aiohttp.ClientSession() as http, http.get(url) as answer:
            assert (await answer.read()).startswith(b"\x89PNG")
        assert avatars(table, first.thread)["Advocate"] == url


async def test_without_the_right_to_upload_panelists_still_speak(tmp_path: Path) -> None:
    """Issue 8, 6: tried once, not once per voice."""
    discord = EmbeddedDiscord()
    discord.faults.add(Fault("status", "POST", "applications/*/emojis", status=403, times=-1))
    async with open_harness(tmp_path, discord=discord, upload_faces=True) as table:
        held = await table.hold(ASKED)
        assert len(held.voices) == 3
        assert len(discord.faults.struck) == 1


async def test_nobodys_words_wait_for_a_face(tmp_path: Path) -> None:
    """Issue 8, 6: Discord makes uploads wait; a role that has its face by then shows it."""
    discord = EmbeddedDiscord()
    slow = Fault("delay", "POST", "applications/*/emojis", seconds=300, times=-1)
    discord.faults.add(slow)
    async with (
        open_harness(tmp_path, discord=discord, upload_faces=True) as table,
        fast_time(3),
    ):
        held = await table.hold(ASKED)
        assert len(held.voices) == 3
        assert set(avatars(table, held.thread).values()) == {""}


async def test_an_agent_may_have_a_picture_of_its_own(tmp_path: Path) -> None:
    """Issue 8, 6."""
    own = "https://example.org/advocate.png"

    def edit(panels: dict[str, Any]) -> None:
        agents = panels["panels"]["debate"]["agents"]
        next(agent for agent in agents if agent["role"] == "Advocate")["avatar"] = own

    async with open_harness(tmp_path, edit_panels=edit) as table:
        held = await table.hold(ASKED)
        shown = avatars(table, held.thread)
    assert shown["Advocate"] == own
    assert shown["Analyst"].endswith("/cdn/faces/Analyst")


async def test_a_server_may_do_without_faces(tmp_path: Path) -> None:
    """Issue 8, 6."""

    def faceless(config: PanelsConfig) -> PanelsConfig:
        output = config.output.model_copy(update={"faces": False})
        return config.model_copy(update={"output": output})

    discord = EmbeddedDiscord()
    async with open_harness(tmp_path, discord=discord, adjust=faceless, upload_faces=True) as table:
        held = await table.hold(ASKED)
        assert len(held.voices) == 3
        assert discord.world.emojis == []
