"""The card: what it tells at every stage, its buttons, its pace, and how it grows old."""

import asyncio
import re
from pathlib import Path
from typing import Any

from bot.playground.faults import Fault
from bot.playground.model import Message
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    ReceivedPrompt,
    ScriptedModels,
    conclusion,
    quick_timeouts,
    scripted_playground,
)
from tests.e2e.talk_steps import on_call
from tests.support.time_travel import set_clock

ASKED = "roundtable --debate is it so?"


def labels(card: Message) -> list[str]:
    """The buttons on a card, by their labels."""
    return re.findall(r"'label': '([^']+)'", str(card.components))


def button(card: Message, action: str) -> str:
    """The custom id of a button on a card."""
    return next(found for found in card.custom_ids if found.endswith(f":{action}"))


async def test_the_card_tells_at_a_glance_where_the_meeting_is(tmp_path: Path) -> None:
    """Issue 8, 1: rows per seat and round, links, substitutes, time, money, agreement, buttons."""
    seen: list[tuple[str, list[str]]] = []
    cast = ScriptedModels(
        stances={"Planner": "AGREE", "Critic": "DISAGREE"},
        says={"*@claude-opus": FAIL, "r1:Judge": HANG},
    )

    async def look(asked: ReceivedPrompt) -> str:
        thread = await table.thread()
        await table.discord.until(lambda: "**Round 1** · ✅" in table.card(thread).text)
        seen.append((table.card(thread).text, labels(table.card(thread))))
        return cast.written(asked)

    def priced(panels: dict[str, Any]) -> None:
        for model in panels["models"].values():
            model["price"] = {"inputPerMillion": 1.0, "outputPerMillion": 5.0}

    cast.says["r2:Critic"] = look
    timeouts = quick_timeouts(round=1.0)
    async with scripted_playground(tmp_path, cast, edit_panels=priced, adjust=timeouts) as table:
        held = await table.hold(ASKED)
        ended = table.card(held.thread)
    text, offered = seen[0]
    past = next(line for line in text.splitlines() if line.startswith("**Round 1**"))
    assert re.search(r"✅ \[Critic\]\(https://discord.com/channels/\d+/\d+/\d+\)", past)
    assert "⌛ Judge (timeout after 1 s)" in past
    assert re.search(
        r"-# 🕑 started <t:\d+:R> · expected to end <t:\d+:R> · 💰 \$0.0\d+ of an estimated \$",
        text,
    )
    assert "🤝 **The panel is divided:** 1 agree, 1 disagree, 0 neutral, 1 did not answer" in text
    assert "💭 **Critic** · gpt · thinking" in text
    assert offered == ["Conclude now", "Stop", "Ask …", "Minutes"]
    assert re.search(r"✅ \[\w+\]\(\S+\) \(substitute: \S+\)", ended.text)
    assert "Concluded after" in ended.text
    assert "started" not in ended.text
    assert labels(ended) == ["Ask …", "Minutes", "Details"]


async def test_the_opening_says_the_mode_and_what_is_done_then_panel_and_rounds(
    tmp_path: Path,
) -> None:
    """E30 2.2#11: first that it is being designed, then who sits, for how many rounds, and why."""
    cast, designed, spoken = ScriptedModels(), asyncio.Event(), asyncio.Event()
    cast.says |= {"meta:*": on_call(cast, designed), "r1:*": on_call(cast, spoken)}
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await table.discord.until(
            lambda: any("designing" in message.text for message in table.said_in(thread))
        )
        first = table.card(thread)
        assert [message.id for message in table.said_in(thread)] == [first.id]
        anchor = table.said_in(table.discord.channel("general"))[-1]
        designed.set()
        await table.discord.until(lambda: "round 1 of 2" in table.card(thread).text)
        second = table.card(thread)
        spoken.set()
        await table.concluded(thread)
    assert first.text.startswith("### 🎯 is it so?\n")
    assert "**debate** · the meta-panel is designing the meeting …" in first.text
    assert "Planner" not in first.text
    assert re.fullmatch(
        r"🎯 \*\*Roundtable\*\* · debate · asked by <@\d+>\nis it so\?", anchor.text
    )
    assert second.id == first.id
    assert "**debate** · round 1 of 2: the panel is thinking …" in second.text
    lines = second.text.splitlines()
    start = lines.index("**Round 1**")
    assert lines[start + 1 : start + 4] == [
        "💭 **Planner** · claude-opus · thinking",
        "💭 **Critic** · gpt · thinking",
        "💭 **Judge** · gemini-pro · thinking",
    ]
    assert "Panel: claude-opus, gpt, gemini-pro. Synthesis: mistral-large." in second.text


async def test_the_buttons_of_a_card_outlive_a_restart(tmp_path: Path) -> None:
    """Issue 8, 1: Minutes hands the file to one person; Retry takes the run up again."""
    cast = ScriptedModels(says={"synthesis": FAIL, "synthesis:orchestrator": FAIL})
    async with restart_harness(tmp_path, cast) as bench:
        jonas = bench.discord.person("Jonas").id
        async with bench.bot() as app:
            thread = await bench.asked("roundtable --debate --quick is it so?")
            await app.run_service.idle()
        cast.says.clear()
        async with bench.bot() as app:
            (card,) = [m for m in bench.discord.messages(thread.id) if m.text.startswith("### 🎯")]
            assert labels(card) == ["Retry", "Ask …", "Minutes"]
            pressed = await bench.discord.press(jonas, card.id, button(card, "minutes"))
            answer = await pressed.message()
            assert [file["filename"] for file in answer.attachments] == ["minutes-is-it-so.md"]
            assert answer.only_for == jonas
            again = await bench.discord.press(jonas, card.id, button(card, "retry"))
            assert "continues" in (await again.message()).content
            await app.run_service.idle()
            (card,) = [m for m in bench.discord.messages(thread.id) if m.id == card.id]
    assert "Concluded after" in card.text


async def test_a_card_that_grows_old_goes_on_further_down(tmp_path: Path) -> None:
    """Issue 8, 1: Discord allows few edits of a message that is older than an hour."""
    cast = ScriptedModels()

    async def an_hour_later(_: ReceivedPrompt) -> str:
        store = table.session.app.store
        now = store.now() + 3600
        set_clock(store, lambda: now)
        return conclusion("A title")

    cast.says["synthesis"] = an_hour_later
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        old, new = (m for m in table.said_in(held.thread) if m.text.startswith("### 🎯"))
    assert "this card continues [further down](https://discord.com/channels/" in old.text
    assert f"/{new.id})" in old.text
    assert labels(old) == []
    assert "Concluded after" in new.text
    assert "**Round 1** · " in new.text


async def test_a_card_under_fire_ends_in_the_right_state(tmp_path: Path) -> None:
    """Issue 8: every other edit is refused for a moment; tests/stage measures how far behind."""
    limited = Fault("status", "PATCH", "channels/*/messages/*", 429, 0.05, times=-1, chance=0.5)
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        table.discord.faults.add(limited)
        held = await table.hold(ASKED)
        assert len(table.discord.faults.struck) > 1
    assert "Concluded after" in held.card
    assert "**Round 1** · ✅" in held.card
