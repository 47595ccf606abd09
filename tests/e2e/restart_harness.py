"""A bench for tests that stop the bot and start it again on the same store and Discord."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.app import App, Options, open_app
from bot.front.live import connected
from bot.front.session import for_the_playground
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.settings import Settings, load_settings
from bot.types import Sleep
from tests.e2e.playground_harness import Adjust, EditPanels, unchanged
from tests.e2e.scripted_models import ScriptedModels, served_by
from tests.panels.panels_data import ALONE, alone
from tests.support.model_server import ModelServer, Script
from tests.support.time_travel import set_clock


@dataclass(frozen=True, slots=True)
class RestartHarness:
    """One Discord and one home; the bot on them comes and goes."""

    discord: EmbeddedDiscord
    settings: Settings
    adjust: Adjust

    @asynccontextmanager
    async def bot(
        self, sleep: Sleep = asyncio.sleep, *, seconds_later: float = 0.0
    ) -> AsyncIterator[App]:
        """The bot, connected, for as long as the block lasts; by its clock it was away a while."""
        options = Options(
            guild_ready_timeout=0.05,
            card_pace=0.02,
            adjust=lambda config: self.adjust(for_the_playground(config, self.discord)),
            sleep=sleep,
        )
        async with open_app(self.settings, options) as app:
            if seconds_later:
                set_clock(app.store, lambda: time.time() + seconds_later)
            async with connected(app, self.discord.token):
                yield app

    @property
    def guild_id(self) -> int:
        """The one server there is."""
        return next(iter(self.discord.world.guilds))

    async def asked(self, text: str, person: str = "Jonas") -> Channel:
        """Ask for a roundtable in #general and return its thread."""
        known = {thread.id for thread in self.discord.threads()}
        channel = self.discord.channel("general")
        await self.discord.say(self.discord.person(person).id, channel.id, text)
        found = await self.discord.until(
            lambda: next((t for t in self.discord.threads() if t.id not in known), None)
        )
        assert found
        return found

    async def press(self, thread: Channel, words: str, action: str, person: str) -> Message:
        """Press a button of the newest post that says this; returns what the person is told."""
        found = [m for m in self.discord.messages(thread.id) if words in m.content]
        wanted = next(name for name in found[-1].custom_ids if name.endswith(f":{action}"))
        who = self.discord.person(person).id
        return await (await self.discord.press(who, found[-1].id, wanted)).message()

    async def write_in(self, thread: Channel, text: str, person: str = "Jonas") -> Message:
        """Say something in a thread, whether or not the bot listens."""
        return await self.discord.say(self.discord.person(person).id, thread.id, text)

    def shown(self, thread: Channel, words: str) -> bool:
        """Whether somebody can read these words in the thread now."""
        return any(words in message.text for message in self.discord.messages(thread.id))

    def count(self, thread: Channel, words: str) -> int:
        """How many messages of the thread say this."""
        return sum(words in message.text for message in self.discord.messages(thread.id))


@asynccontextmanager
async def restart_harness(
    home: Path,
    cast: ScriptedModels,
    adjust: Adjust = lambda config: config,
    edit_panels: EditPanels = unchanged,
) -> AsyncIterator[RestartHarness]:
    """A Discord, a model server that the cast plays, and a home for the store."""
    async with ModelServer(cast) as server, EmbeddedDiscord() as discord:
        server.script(None, Script(whole=True, cost=0.001))
        panels = alone()
        served_by(panels, server)
        edit_panels(panels)
        file = home / "panels.json"
        file.write_text(json.dumps(panels), encoding="utf-8")
        settings = load_settings(
            None, ALONE | {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)}
        )
        with discord.redirected():
            yield RestartHarness(discord, settings, adjust)
        assert discord.unknown_routes == []
