"""What people wait for: life at once, a search beside the thread, no slow seat before others."""

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest

from bot.meeting.rounds import TURN_SECONDS
from bot.playground.faults import Fault
from bot.playground.model import Change, Channel
from bot.types import Sleep
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import (
    ScriptedModels,
    on_stored,
    scripted_playground,
)
from tests.e2e.talk_steps import eventually, on_call
from tests.e2e.test_money import priced
from tests.search.search_server import Reply, SearchServer

pytestmark = pytest.mark.heavy

ASKED = "roundtable --redteam is it so?"


def hurried() -> Sleep:
    """Sleeps of the bot, of which the first one for a slow seat's turn is over at once."""
    turns = itertools.count()

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0 if seconds == TURN_SECONDS and not next(turns) else seconds)

    return sleep


def speakers(table: PlaygroundHarness) -> list[str]:
    return [
        m.author.name for t in table.discord.threads() for m in table.said_in(t) if m.webhook_id
    ]


def shown(table: PlaygroundHarness, thread: Channel) -> str:
    """Everything that can be read in a thread."""
    return "\n".join(message.text for message in table.said_in(thread))


async def test_a_seat_waited_for_too_long_lets_those_that_are_ready_go_first(
    tmp_path: Path,
) -> None:
    """A31 2.2#10: the order is kept where nobody is slow, and in the next round again."""
    cast, released = ScriptedModels(), asyncio.Event()
    cast.says["r1:Planner"] = on_call(cast, released)
    async with scripted_playground(tmp_path, cast, sleep=hurried()) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await table.discord.until(lambda: len(speakers(table)) == 2)
        ready = speakers(table)
        assert sorted(ready) == ["Critic", "Judge"]
        released.set()
        held = await table.held(await table.concluded(thread))
    assert held.voices == (*ready, "Planner", "Planner", "Critic", "Judge")


async def test_a_strict_order_waits_and_the_card_names_who_is_ready(tmp_path: Path) -> None:
    """2.2#10: with strictOrder nobody speaks before the slow first seat."""

    def strict(panels: dict[str, Any]) -> None:
        panels["panels"]["redteam"]["strictOrder"] = True

    cast, released = ScriptedModels(), asyncio.Event()
    cast.says["r1:Planner"] = on_call(cast, released)
    async with scripted_playground(tmp_path, cast, sleep=hurried(), edit_panels=strict) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await table.discord.until(lambda: shown(table, thread).count("ready") == 2)
        assert speakers(table) == []
        released.set()
        held = await table.held(await table.concluded(thread))
    assert held.voices == ("Planner", "Critic", "Judge") * 2


async def test_the_search_begins_while_the_thread_is_being_opened(tmp_path: Path) -> None:
    """E33 2.2#11: the thread still comes first for people; nobody waits for both in turn."""

    def searxng(panels: dict[str, Any]) -> None:
        panels["search"] = {"provider": "searxng", "count": 5}

    async with SearchServer() as server:
        server.reply = Reply(json={"results": []})
        async with scripted_playground(
            tmp_path, ScriptedModels(), edit_panels=searxng, environ={"SEARXNG_URL": server.url}
        ) as table:
            table.discord.faults.add(
                Fault("delay", "POST", "channels/*/messages/*/threads", seconds=3.0)
            )
            await table.say(ASKED)

            async def searched() -> bool:
                return bool(server.calls)

            await eventually(searched)
            assert table.discord.threads() == []
            held = await table.held(await table.concluded())
    assert held.export["ending"] == "concluded"
    assert len(server.calls) == 1


async def test_an_expensive_run_searches_only_after_its_starter_agreed(tmp_path: Path) -> None:
    """2.2#32: nothing is paid before, not even a search."""

    def dear(panels: dict[str, Any]) -> None:
        panels["search"] = {"provider": "searxng", "count": 5}
        priced(20.0, confirmAboveUsd=0.05, perRunUsd=9.0)(panels)

    async with SearchServer() as server:
        server.reply = Reply(json={"results": []})
        async with scripted_playground(
            tmp_path, ScriptedModels(), edit_panels=dear, environ={"SEARXNG_URL": server.url}
        ) as table:
            await table.say(ASKED)
            thread = await table.thread()
            await table.discord.until(lambda: "press Start or Cancel" in shown(table, thread))
            assert server.calls == []


async def test_typing_is_shown_as_soon_as_a_topic_is_read(tmp_path: Path) -> None:
    """People see at once that the bot has seen them, before there is a thread."""
    events: list[str] = []

    def watch(change: Change) -> None:
        if change.name in ("TYPING_START", "THREAD_CREATE"):
            events.append(change.name)

    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        table.discord.world.listeners.append(watch)
        await table.hold(ASKED)
    assert events == ["TYPING_START", "THREAD_CREATE"]


async def test_dissenters_are_asked_while_the_draft_is_checked(tmp_path: Path) -> None:
    """E78 2.2#28: the dissent is there before the last validator has answered."""
    cast = ScriptedModels(stances={"Planner": "AGREE", "Critic": "AGREE", "Judge": "DISAGREE"})
    async with scripted_playground(tmp_path, cast) as table:
        stored = on_stored(table.session.app.store, cast, "dissent:judge")
        cast.says["validate:Planner"] = stored
        held = await table.hold(f"{ASKED} --validate")
    assert [dissent.role for dissent in held.record.dissents] == ["Judge"]
    assert held.record.validated == "yes"
