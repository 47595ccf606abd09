"""Slash commands, and stopping a roundtable while it runs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.stage.port import button_id
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

SLOW = 600.0


@pytest.fixture
async def slow_table(tmp_path: Path) -> AsyncIterator[PlaygroundHarness]:
    """A panel that is still thinking when somebody stops it."""
    async with open_harness(tmp_path, seconds_per_answer=SLOW) as laid:
        yield laid


async def test_a_slash_command_holds_a_roundtable(table: PlaygroundHarness) -> None:
    ines, general = table.discord.person("Ines"), table.discord.channel("general")
    pressed = await table.discord.slash(
        ines.id,
        general.id,
        "roundtable start",
        {"topic": "tea or coffee?", "mode": "vote", "quick": True},
    )
    answer = await pressed.message()
    thread = await table.concluded()
    assert answer.only_for == ines.id
    assert f"<#{thread.id}>" in answer.content
    assert table.exports()[0]["mode"] == "vote"
    assert len(table.exports()[0]["stages"]) == 3


async def test_help_fits_one_screen(table: PlaygroundHarness) -> None:
    ines, general = table.discord.person("Ines"), table.discord.channel("general")
    pressed = await table.discord.slash(ines.id, general.id, "roundtable help")
    shown = await pressed.message()
    assert shown.only_for == ines.id
    assert len(shown.content.splitlines()) <= 20


async def running_card(table: PlaygroundHarness) -> tuple[int, str]:
    """The card's message id and the run's id, once the panel is thinking."""
    await table.say("roundtable --quick --debate should we adopt uv?")
    thread = await table.thread()
    await table.discord.until(
        lambda: any("thinking" in m.text for m in table.said_in(thread)), timeout=20
    )
    card = table.card(thread)
    return card.id, card.custom_ids[0].split(":")[1]


async def test_the_starter_stops_it_with_the_button_and_what_was_said_stays(
    slow_table: PlaygroundHarness,
) -> None:
    """A35: minutes are written on every ending."""
    message_id, run_id = await running_card(slow_table)
    jonas = slow_table.discord.person("Jonas")
    pressed = await slow_table.discord.press(jonas.id, message_id, button_id(run_id, "stop"))
    assert "Stopped" in (await pressed.message()).content
    thread = await slow_table.thread()
    assert slow_table.said_in(thread)[-1].content.startswith(f"⏹️ Stopped by <@{jonas.id}>")
    card = slow_table.card(thread)
    assert "Stopped" in card.text
    assert button_id(run_id, "stop") not in card.custom_ids
    assert slow_table.exports()[0]["ending"] == "stopped"
    assert list((slow_table.home / "memory" / "roundtables").glob("*.md"))


async def test_a_stranger_may_not_stop_it(slow_table: PlaygroundHarness) -> None:
    message_id, run_id = await running_card(slow_table)
    ines = slow_table.discord.person("Ines")
    pressed = await slow_table.discord.press(ines.id, message_id, button_id(run_id, "stop"))
    refusal = await pressed.message()
    assert refusal.only_for == ines.id
    assert "Only the person who started it or a moderator" in refusal.content
    assert slow_table.exports() == []


async def test_a_moderator_stops_it_with_words_in_the_thread(slow_table: PlaygroundHarness) -> None:
    await running_card(slow_table)
    thread = await slow_table.thread()
    mara = slow_table.discord.person("Mara")
    said = await slow_table.discord.say(mara.id, thread.id, "roundtable stop")
    reply = await slow_table.discord.until(
        lambda: next((m for m in slow_table.said_in(thread) if m.reply_to == said.id), None)
    )
    assert reply
    assert "Stopped" in reply.content
    assert slow_table.exports()[0]["ending"] == "stopped"


async def test_whoever_opened_the_thread_stops_what_others_hold_in_it(
    slow_table: PlaygroundHarness,
) -> None:
    """Design 11."""
    ines, general = slow_table.discord.person("Ines"), slow_table.discord.channel("general")
    thread = await slow_table.discord.open_thread(ines.id, general.id, "our talk")
    await slow_table.write_in(thread, "roundtable --quick --debate is it tea?")
    await slow_table.discord.until(
        lambda: any("thinking" in m.text for m in slow_table.said_in(thread)), timeout=20
    )
    pressed = await slow_table.discord.slash(ines.id, thread.id, "roundtable stop")
    assert "Stopped" in (await pressed.message()).content


async def test_a_run_that_is_over_cannot_be_stopped(table: PlaygroundHarness) -> None:
    await table.say("roundtable --quick --debate tea")
    await table.concluded()
    run_id = table.exports()[0]["id"]
    reply = await table.reply_after(await table.say(f"roundtable stop {run_id}"))
    assert "already ended" in reply.content


async def test_the_same_topic_at_the_same_time_is_one_roundtable(
    slow_table: PlaygroundHarness,
) -> None:
    """2.2#13: the loser gets the message and the link."""
    await running_card(slow_table)
    thread = await slow_table.thread()
    reply = await slow_table.reply_after(
        await slow_table.say("roundtable --quick --debate Should we   adopt uv", person="Ines")
    )
    assert reply.content.startswith("♻️ Duplicate topic detected — reusing existing thread.\n⏳")
    assert str(thread.id) in str(reply.components)
    assert len(slow_table.discord.threads()) == 1
