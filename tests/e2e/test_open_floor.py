"""The open floor, and everything that must not open it."""

import asyncio
from pathlib import Path

from bot.store import EventType
from bot.store.log import events
from tests.e2e.scripted_models import ReceivedPrompt, ScriptedModels, scripted_playground
from tests.e2e.talk_steps import (
    PANEL,
    QUICK,
    answered,
    answers,
    heard_by_all,
    on_call,
    ping,
    post_as_webhook,
    settings,
    until_asked,
    voice_of,
)

PROXY = 4_242_424_242_424_242_424


def reacting(cast: ScriptedModels, times: int) -> None:
    """Each panelist speaks so often and then passes, in whatever spelling."""
    spoken: dict[str, int] = {}

    def answer(asked: ReceivedPrompt) -> str:
        spoken[asked.role] = spoken.get(asked.role, 0) + 1
        if spoken[asked.role] > times:
            return " no_reply\n"
        return f"{asked.role} speaks for the {spoken[asked.role]}. time."

    cast.says["ask:*"] = answer


async def test_a_mention_opens_the_floor_and_each_reacts_until_nobody_has_more_to_say(
    tmp_path: Path,
) -> None:
    """2.2#38 D1 D2 D4: one after the other, each to what became visible; NO_REPLY is not shown."""
    cast = ScriptedModels()
    reacting(cast, 1)
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        await table.write_in(held.thread, f"{ping(table)} what now?", person="Ines")
        said = await answered(table, held.thread, 3)
        everything = "".join(m.text for m in table.said_in(held.thread))
        closed = await table.stored(
            lambda c: events.history(c, held.record.run_id, EventType.FOLLOWUP_CLOSED)
        )
    assert tuple(m.author.name for m in said) == PANEL
    assert "> **Ines:** what now?" in said[0].content
    assert "> **Advocate:** Advocate speaks for the 1. time." in said[1].content
    second = cast.asked("ask:Devil's Advocate")[0].values
    assert "what now?" in second["TALK"]
    assert "Advocate speaks" in second["QUESTION"]
    assert second["OPEN_FLOOR"] == "yes"
    assert "no_reply" not in everything.casefold()
    assert [event.payload["reason"] for event in closed] == ["all_agents_declined"]


async def test_limits_end_the_talk_with_a_reason_until_a_person_speaks(tmp_path: Path) -> None:
    """D16 and the call budget: hops are counted, the line says why, a person lifts it."""
    cast = ScriptedModels()
    reacting(cast, 99)
    edit = settings(arbiter={"maxBotHops": 4}, followups={"maxCallsPerEpoch": 6})
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        held = await table.hold(QUICK)
        await table.write_in(held.thread, f"{ping(table)} what now?")
        assert len(await answered(table, held.thread, 4)) == 4
        assert "pauses after 4 turns without a person" in table.said_in(held.thread)[-1].content
        await table.write_in(held.thread, f"{ping(table)} go on")
        assert len(await answered(table, held.thread, 8)) == 8
        cast.says["ask:*"] = "NO_REPLY"
        await table.write_in(held.thread, f"{ping(table)} and?")
        await table.discord.until(
            lambda: "anything to add" in table.said_in(held.thread)[-1].content
        )


async def test_a_person_pre_empts_and_what_was_being_thought_is_never_seen(
    tmp_path: Path,
) -> None:
    """D6: hidden generation goes on or not, but only the newest exchange becomes visible."""
    cast, late = ScriptedModels(), asyncio.Event()
    cast.says["ask:Advocate"] = on_call(cast, late)
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        await table.write_in(held.thread, "Advocate, first thought?", person="Ines")
        await until_asked(cast, "ask:Advocate")
        await table.write_in(held.thread, "Advocate, I mean the second one", person="Ines")
        await until_asked(cast, "ask:Advocate", 2)
        late.set()
        (answer,) = await answered(table, held.thread)
    assert "first thought?" in answer.content
    assert "I mean the second one" in answer.content


async def test_quiet_and_stop_silence_the_panel_until_somebody_speaks(tmp_path: Path) -> None:
    """2.4: what is being thought is not said any more, what was said stays."""
    cast, never = ScriptedModels(), asyncio.Event()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        cast.says["ask:*"] = on_call(cast, never)
        for number, command in enumerate(("roundtable quiet", "roundtable stop"), 1):
            await table.write_in(held.thread, "Analyst, why?")
            await until_asked(cast, "ask:Analyst", number)
            told = await table.reply_to(await table.write_in(held.thread, command))
            assert "until somebody writes" in told.content
            await table.talked()
        never.set()
        assert answers(table, held.thread) == []
        pressed = await table.discord.slash(
            table.discord.person("Ines").id, held.thread.id, "roundtable quiet"
        )
        assert "quiet until somebody writes" in (await pressed.message()).content
        await table.write_in(held.thread, "Analyst, and now?")
        (answer,) = await answered(table, held.thread)
    assert "and now?" in answer.content


async def test_nothing_but_a_person_wakes_a_panelist(tmp_path: Path) -> None:
    """Part 4: talk between people, bots, foreign webhooks, edits, quotes and code open nothing."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        thread, bot = held.thread, ping(table)
        old = await table.write_in(thread, "Thank you all.")
        await table.write_in(thread, "The analyst said so, didn't she?")
        await table.write_in(thread, f"> {bot} what now?\nThat was a good question.")
        await table.write_in(thread, f"Type `{bot} hello` to open the floor.")
        await table.write_in(thread, "Well done.", reply_to=table.said_in(thread)[-5].id)
        await table.write_in(thread, "Analyst, why?", person="Echo")
        post_as_webhook(table, thread, PROXY, "Analyst, why?")
        await table.discord.edit(table.discord.person("Jonas").id, old.id, "Analyst, why?")
        await table.say("Analyst, why?")
        await heard_by_all(table)
        assert cast.asked("ask:*") == []


async def test_proxied_people_are_heard_where_they_are_allowed(tmp_path: Path) -> None:
    """Issue 6: people on PluralKit speak through a webhook, which is allowed by its id.

    What was answered when the person wrote it is not answered again when the proxy repeats it.
    """
    cast = ScriptedModels()
    edit = settings(trigger={"proxyBotIds": [str(PROXY)]})
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        held = await table.hold(QUICK)
        post_as_webhook(table, held.thread, PROXY, "Analyst, why?")
        (answer,) = await answered(table, held.thread)
        await table.write_in(held.thread, "Analyst, and so?")
        await answered(table, held.thread, 2)
        post_as_webhook(table, held.thread, PROXY, "Analyst, and so?")
        await heard_by_all(table)
        assert len(answers(table, held.thread)) == 2
    assert "> **Proxied:** Analyst, why?" in answer.content


async def test_where_the_floor_is_always_open_every_word_is_for_all(tmp_path: Path) -> None:
    """2.2#38: `openFloor` is `always`."""
    cast = ScriptedModels()
    reacting(cast, 1)
    edit = settings(followups={"openFloor": "always"})
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        held = await table.hold(QUICK)
        await table.write_in(held.thread, "It rains.")
        assert len(await answered(table, held.thread, 3)) == 3


async def test_switched_off_everybody_addressed_answers_at_once(tmp_path: Path) -> None:
    """D10: without the arbiter rounds keep their order, and people get answers all the same."""
    cast = ScriptedModels()
    edit = settings(arbiter={"enabled": False})
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        held = await table.hold(QUICK)
        assert held.voices == PANEL
        await table.write_in(
            held.thread, "Why?", reply_to=voice_of(table, held.thread, "Analyst").id
        )
        (answer,) = await answered(table, held.thread)
    assert answer.author.name == "Analyst"


async def test_switched_off_stop_still_ends_what_is_being_thought(tmp_path: Path) -> None:
    """D10 2.4: nothing is posted after it, and the question is closed as stopped."""
    cast, never = ScriptedModels(), asyncio.Event()
    edit = settings(arbiter={"enabled": False})
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        held = await table.hold(QUICK)
        cast.says["ask:*"] = on_call(cast, never)
        await table.write_in(held.thread, "Analyst, why?")
        await until_asked(cast, "ask:Analyst")
        told = await table.reply_to(await table.write_in(held.thread, "roundtable stop"))
        await table.talked()
        never.set()
        closed = await table.stored(
            lambda c: events.history(c, held.record.run_id, EventType.FOLLOWUP_CLOSED)
        )
        assert answers(table, held.thread) == []
    assert "until somebody writes" in told.content
    assert [event.payload["reason"] for event in closed] == ["stopped"]
