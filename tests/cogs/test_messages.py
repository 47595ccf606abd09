"""Text in, text out, through dpytest: help, usage errors and refusals need no thread."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import discord
import discord.ext.test as dpytest
import pytest

from bot.app import Options, open_app
from bot.panels import PanelsConfig
from bot.settings import load_settings
from cogs.messages import MessagesCog
from cogs.turn_arbiter import TurnArbiterCog
from tests.panels.panels_data import ALONE, alone


async def start(home: Path, adjust: Any = lambda config: config) -> AsyncIterator[None]:
    file = home / "panels.json"
    file.write_text(json.dumps(alone()), encoding="utf-8")
    settings = load_settings(
        None, ALONE | {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)}
    )
    async with open_app(settings, Options(adjust=adjust)) as app:
        bot = app.bot
        await bot._async_setup_hook()
        await bot.add_cog(MessagesCog(bot, bot.services, TurnArbiterCog(bot, bot.services).hear))
        # dpytest finds its people only in a member cache, which needs an intent we do not use.
        bot._connection._intents = discord.Intents.all()
        bot._connection.member_cache_flags = discord.MemberCacheFlags.all()
        dpytest.configure(bot)
        try:
            yield
        finally:
            await dpytest.empty_queue()
            # Its pretended websocket cannot be closed.
            bot.ws = None  # type: ignore[assignment]


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[None]:
    async for _ in start(tmp_path):
        yield


def reply() -> str:
    message: discord.Message = dpytest.get_message()
    return message.content


async def test_help_is_answered_with_the_help_text(bot: None) -> None:
    await dpytest.message("roundtable help")
    said = reply()
    assert said.startswith("**Roundtable** lets a panel of language models debate your question")
    assert said.endswith("`/roundtable start` without options opens a form.")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("roundtable --vote --build x", "A roundtable has only one mode"),
        ("roundtable --debatte x", "did you mean `--debate`?"),
        ("roundtable --panel", "`--panel` needs a value"),
        ("roundtable --panel nobody x", "Unknown model `nobody`"),
        ("roundtable " + "y" * 10_000, "10,000 characters and the limit is 4,000"),
    ],
)
async def test_a_usage_error_is_one_sentence(bot: None, text: str, sentence: str) -> None:
    await dpytest.message(text)
    answer = reply()
    assert sentence in answer
    assert "\n" not in answer


async def test_ordinary_talk_gets_no_answer(bot: None) -> None:
    await dpytest.message("nice roundtable yesterday")
    assert dpytest.verify().message().nothing()


async def test_a_private_message_is_sent_to_the_servers(bot: None) -> None:
    await dpytest.message("roundtable tea or coffee?", channel=await _private_channel())
    assert reply() == (
        "Roundtables only work in server channels: type `roundtable` and your question in a "
        "channel of a server we share."
    )


async def test_people_without_the_role_are_told_whom_to_ask(tmp_path: Path) -> None:
    def only_role_7(config: PanelsConfig) -> PanelsConfig:
        trigger = config.trigger.model_copy(update={"allowed_role_ids": (7,)})
        return config.model_copy(update={"trigger": trigger})

    async for _ in start(tmp_path, only_role_7):
        await dpytest.message("roundtable tea or coffee?")
        assert reply() == "Only <@&7> can start a roundtable here: ask one of them."


async def _private_channel() -> discord.DMChannel:
    return await dpytest.get_config().members[0].create_dm()
