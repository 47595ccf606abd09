"""Helpers for tests in which people talk with the panel of a roundtable that is over."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import discord

from bot.playground import _messages
from bot.playground.model import Channel, Message, User
from tests.e2e.playground_harness import EditPanels, PlaygroundHarness
from tests.e2e.scripted_models import ReceivedPrompt, ScriptedModels

QUICK = "roundtable --quick --debate is it so?"
PANEL = ("Advocate", "Devil's Advocate", "Analyst")


def answers(table: PlaygroundHarness, thread: Channel) -> list[Message]:
    """What panelists said after the rounds: every message of theirs that quotes something."""
    return [m for m in table.said_in(thread) if m.webhook_id and "\n> **" in m.content]


async def answered(table: PlaygroundHarness, thread: Channel, count: int = 1) -> list[Message]:
    """Wait for so many answers, and until nothing more happens."""
    await table.discord.until(lambda: len(answers(table, thread)) >= count)
    await table.talked()
    return answers(table, thread)


def voice_of(table: PlaygroundHarness, thread: Channel, role: str) -> Message:
    """A panelist's first message."""
    return next(m for m in table.said_in(thread) if m.webhook_id and m.author.name == role)


def ping(table: PlaygroundHarness) -> str:
    return f"<@{table.discord.bot_user_id}>"


async def heard_by_all(table: PlaygroundHarness) -> None:
    """Everything said before has been taken in, and nothing is on its way."""
    await table.ask_for_help()
    await table.talked()


def settings(**sections: Mapping[str, Any]) -> EditPanels:
    """Other settings in some sections of panels.json."""

    def edit(panels: dict[str, Any]) -> None:
        for name, values in sections.items():
            panels[name] |= values

    return edit


def post_as_webhook(
    table: PlaygroundHarness, channel: Channel, webhook_id: int, text: str
) -> Message:
    """A message of a webhook that belongs to another application."""
    marks = {"webhook_id": str(webhook_id), "application_id": str(webhook_id + 1)}
    user = User(webhook_id, "Proxied", bot=True)
    sender = _messages.Sender(user, discord.Permissions.all().value, _messages.PING_USERS, marks)
    assert table.discord.world is channel.world
    return _messages.post(channel, sender, {"content": text})


async def eventually(check: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that no message in Discord announces."""
    async with asyncio.timeout(10):
        while not await check():  # noqa: ASYNC110 (nobody could set an event)
            await asyncio.sleep(0.01)


async def until_asked(cast: ScriptedModels, label: str, count: int = 1) -> None:
    """Wait until a panelist's model was asked so often."""

    async def asked() -> bool:
        return len(cast.asked(label)) >= count

    await eventually(asked)


def typing_now() -> list[str]:
    """The tasks that keep "is typing" alive."""
    running = (str(task.get_coro()) for task in asyncio.all_tasks() if not task.done())
    return [coroutine for coroutine in running if "_keep_typing" in coroutine]


def on_call(cast: ScriptedModels, event: asyncio.Event) -> Any:
    """An answer that is given only when something has happened."""

    async def answer(asked: ReceivedPrompt) -> str:
        await event.wait()
        return cast.written(asked)

    return answer
