"""After the conclusion people ask panelists back, through every door, and get one answer."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.app import Options, open_app
from bot.front.live import connected
from bot.front.session import for_the_playground
from bot.playground import _threads as threads
from bot.playground.faults import Fault
from bot.playground.server import EmbeddedDiscord
from bot.settings import load_settings
from bot.stage.port import button_id
from bot.store import TurnVoice
from bot.store.repositories.turns import TurnRepository
from bot.talk.session import OWN_CHARS
from bot.threads.driver import LoopClock
from tests.e2e.playground_harness import FLOOR_PACE
from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    ScriptedModels,
    quick_timeouts,
    scripted_playground,
    served_by,
)
from tests.e2e.talk_steps import (
    QUICK,
    answered,
    answers,
    eventually,
    heard_by_all,
    on_call,
    typing_now,
    until_asked,
    voice_of,
)
from tests.panels.panels_data import ALONE, alone
from tests.support.model_server import ModelServer, Script

pytestmark = pytest.mark.heavy


async def test_a_reply_and_a_name_reach_that_panelist_alone_which_remembers(
    tmp_path: Path,
) -> None:
    """2.2#38 E5 D9: it quotes the question, names its model, and knows what was said before."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        asked = await table.write_in(
            held.thread, "Why so?", reply_to=voice_of(table, held.thread, "Advocate").id
        )
        (first,) = await answered(table, held.thread)
        second_asked = await table.write_in(held.thread, "advocate, ARE you sure?", person="Ines")
        second = (await answered(table, held.thread, 2))[-1]
        await table.write_in(held.thread, "Analyst: and you?", reply_to=asked.id)
        third = (await answered(table, held.thread, 3))[-1]
        heard = await table.stored(
            lambda c: TurnRepository(c).session(held.record.run_id, "advocate")
        )
    assert [m.author.name for m in (first, second, third)] == ["Advocate", "Advocate", "Analyst"]
    assert first.content.startswith("-# claude-opus\n> **Jonas:** Why so? [↗](<https://discord")
    assert f"{asked.id}>)\nI, Advocate, say to that: Why so?" in first.content
    assert f"{second_asked.id}>)" in second.content
    again = cast.asked("ask:Advocate")[1]
    assert "I, Advocate, say to that: Why so?" in again.values["OWN_TURNS"]
    assert "r1 of advocate thesis" in again.values["OWN_TURNS"]
    assert "🏆 RECOMMENDATION" in again.values["CONCLUSION"]
    assert again.values["ASKED_BY"] == "Ines"
    assert "say to that" in cast.asked("ask:Analyst")[0].values["TALK"]
    assert len(cast.asked("ask:*")) == 3
    assert [t.voice for t in heard] == [TurnVoice.HEARD, TurnVoice.SAID] * 2


async def test_a_reply_reaches_the_panelist_before_discord_has_confirmed_its_message(
    tmp_path: Path,
) -> None:
    """2.2#38: people see a message, and may answer it, before the bot is told that it is out."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        table.discord.faults.add(Fault("delay", "POST", "webhooks/*", seconds=1.0, after=True))
        await table.write_in(held.thread, "Analyst: and you?")
        await table.discord.until(lambda: len(answers(table, held.thread)) == 1)
        (first,) = answers(table, held.thread)
        await table.write_in(held.thread, "Really?", person="Ines", reply_to=first.id)
        second = (await answered(table, held.thread, 2))[-1]
    assert second.author.name == "Analyst"
    assert "> **Ines:** Really?" in second.content
    assert len(cast.asked("ask:*")) == 2


async def test_the_button_and_the_menu_lead_to_the_same_answer(tmp_path: Path) -> None:
    """2.2#38: a form asks whom and what; the answer in the thread quotes what nobody else saw."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        ines, discord = table.discord.person("Ines"), table.discord
        closing = table.said_in(held.thread)[-2]
        opened = await discord.press(ines.id, closing.id, button_id(held.record.run_id, "ask"))
        assert (await opened.answer()).kind == "modal"
        analyst = [seat.role for seat in held.record.seats].index("Analyst")
        sent = await discord.submit(opened, {"seat": [str(analyst)], "question": "How much?"})
        assert "Analyst answers" in (await sent.message()).content
        (first,) = await answered(table, held.thread)
        menu = await discord.menu(ines.id, first.id, "Ask this panelist")
        assert (await menu.answer()).data["title"] == "Ask Analyst"
        await discord.submit(menu, {"question": "Really?"})
        second = (await answered(table, held.thread, 2))[-1]
        wrong = await discord.menu(ines.id, closing.id, "Ask this panelist")
        assert "choose a panelist's message" in (await wrong.message()).content
    assert [m.author.name for m in (first, second)] == ["Analyst", "Analyst"]
    assert "> **Ines:** How much?\nI, Analyst, say to that: How much?" in first.content
    assert "How much?" in cast.asked("ask:Analyst")[1].values["OWN_TURNS"]


async def test_a_question_during_a_round_waits_for_the_end_of_the_rounds(tmp_path: Path) -> None:
    """2.2#37: marked at once, heard by all in the next round, answered by that seat after it."""
    cast, asked_all = ScriptedModels(), asyncio.Event()
    cast.says["r1:Judge"] = on_call(cast, asked_all)
    cast.says["synthesis"] = on_call(cast, answers_there := asyncio.Event())
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --debate is it so?")
        thread = await table.thread()
        await table.discord.until(
            lambda: len([m for m in table.said_in(thread) if m.webhook_id]) == 2
        )
        said = [
            await table.write_in(thread, "Critic, what of the winter?", person="Ines"),
            await table.write_in(thread, "Critic, and of the spring?", person="Ines"),
        ]
        await table.discord.until(lambda: all(m.reactions.get("⏳") for m in said))
        assert answers(table, thread) == []
        asked_all.set()
        await table.discord.until(lambda: answers(table, thread))
        answers_there.set()
        held = await table.held(await table.concluded(thread))
        (answer,) = answers(table, thread)
    assert cast.asked("ask:Critic")[0].values["QUESTION"].count("Critic, ") == 2
    assert answer.author.name == "Critic"
    assert held.voices == (*("Planner", "Critic", "Judge") * 2, "Critic")
    assert all("of the winter?" in asked.values["FLOOR"] for asked in cast.asked("r2:*"))


async def test_a_seat_that_cannot_answer_says_so_and_stops_typing(tmp_path: Path) -> None:
    """Part 4: which seat, why, and what to do; the next question is answered."""
    cast = ScriptedModels()
    cast.says["ask:Advocate"] = FAIL
    cast.says["ask:Analyst"] = HANG
    adjust = quick_timeouts(followup=0.2)
    async with scripted_playground(tmp_path, cast, adjust=adjust) as table:
        held = await table.hold(QUICK)
        for text, told in (
            ("Advocate, why?", "⚠️ **Advocate** could not answer: not authorised"),
            ("Analyst, why?", "⚠️ **Analyst** could not answer: timeout after 0.2 s"),
        ):
            await table.write_in(held.thread, text)
            line = await table.discord.until(
                lambda told=told: next(  # type: ignore[misc]
                    (m for m in table.said_in(held.thread) if m.content.startswith(told)), None
                )
            )
            assert line
            assert line.content.endswith("Ask again, or ask another panelist.")
            await table.talked()
            assert typing_now() == []
        del cast.says["ask:Advocate"]
        await table.write_in(held.thread, "Advocate, why not?")
        (answer,) = await answered(table, held.thread)
    assert answer.author.name == "Advocate"


async def test_a_later_part_is_known_after_a_restart_and_what_was_asked_is_answered(
    tmp_path: Path,
) -> None:
    """D21 E5: the arbiter forgets, the sessions do not; a question is answered once."""
    cast, discord = ScriptedModels(), EmbeddedDiscord()
    cast.says["r1:Analyst"] = lambda asked: cast.written(asked).replace("seen", "seen. " * 600)
    held_back = asyncio.Event()
    cast.says["ask:Advocate"] = on_call(cast, held_back)
    async with discord, ModelServer(cast) as server:
        server.script(None, Script(whole=True))
        panels = alone()
        served_by(panels, server)
        (tmp_path / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
        home = {"ROUNDTABLE_HOME": str(tmp_path), "ROUNDTABLE_PANELS": f"{tmp_path}/panels.json"}
        options = Options(
            guild_ready_timeout=0.05,
            card_pace=0.02,
            adjust=lambda config: for_the_playground(config, discord),
            floor_clock=LoopClock(FLOOR_PACE),
        )
        settings = load_settings(None, ALONE | home)
        jonas = discord.person("Jonas").id
        with discord.redirected():
            async with open_app(settings, options) as app, connected(app, discord.token):
                await discord.say(jonas, discord.channel("general").id, QUICK)
                (thread,) = await discord.until(discord.threads)
                await discord.until(
                    lambda: any("META" in m.content for m in discord.messages(thread.id))
                )
                await app.run_service.idle()
                await discord.say(jonas, thread.id, "Advocate, why?")
                await server.called(len(server.calls) + 1)
            held_back.set()
            async with open_app(settings, options) as app, connected(app, discord.token):
                parts = [m for m in discord.messages(thread.id) if m.author.name == "Analyst"]
                await discord.say(jonas, thread.id, "And this?", reply_to=parts[1].id)
                await discord.until(lambda: len(_quoting(discord, thread.id)) == 2)
                await app.talk.idle()
    assert len(parts) > 1
    assert sorted(_quoting(discord, thread.id)) == ["Advocate", "Analyst"]


def _quoting(discord: EmbeddedDiscord, thread_id: int) -> list[str]:
    said = discord.messages(thread_id)
    return [m.author.name for m in said if m.webhook_id and "\n> **" in m.content]


async def test_a_deleted_thread_is_forgotten_and_an_archived_one_wakes_again(
    tmp_path: Path,
) -> None:
    """Part 4: archiving ends the talk and keeps the sessions; deleting erases what people said."""
    cast, thinking = ScriptedModels(), asyncio.Event()
    cast.says["ask:Advocate"] = on_call(cast, thinking)
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        world, run_id = table.discord.world, held.record.run_id
        await table.write_in(held.thread, "Advocate, why?")
        await until_asked(cast, "ask:Advocate")
        threads.change(held.thread, {"archived": True})
        await heard_by_all(table)
        thinking.set()
        await table.write_in(held.thread, "Analyst, why?")
        (answer,) = await answered(table, held.thread)
        assert answer.author.name == "Analyst"
        world.announce_channel("THREAD_DELETE", held.thread)
        del world.channels[held.thread.id]

        async def forgotten() -> bool:
            kept = await table.stored(lambda c: TurnRepository(c).session(run_id, "analyst"))
            return [turn.text for turn in kept] == ["", ""]

        await eventually(forgotten)


async def test_however_long_a_thread_gets_the_prompt_stays_short(tmp_path: Path) -> None:
    """E5: old turns are summed up once, the newest stay as they were said."""
    cast = ScriptedModels()
    cast.says["ask:Analyst"] = lambda asked: f"To {asked.values['QUESTION']}: " + "words " * 250
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        before = len(cast.asked("summary:1"))
        for number in range(18):
            await table.write_in(held.thread, f"Analyst, what of number {number}?")
            await answered(table, held.thread, number + 1)
    prompts = cast.asked("ask:Analyst")
    assert len(cast.asked("summary:1")) == before + 1
    assert "number 0?" in cast.asked("summary:1")[-1].values["ROUND_ANSWERS"]
    assert max(len(prompt.values["OWN_TURNS"]) for prompt in prompts) <= OWN_CHARS
    last = prompts[-1].values["OWN_TURNS"]
    assert "summary:1 sums up" in last
    (*_, summing_up) = cast.asked("summary:1")
    summed_up = [n for n in range(18) if f" {n}?" in summing_up.values["ROUND_ANSWERS"]]
    assert [n for n in summed_up if f"what of number {n}?" in last] == []
    assert "To Analyst, what of number 16?" in last
