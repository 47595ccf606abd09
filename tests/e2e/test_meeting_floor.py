"""Who speaks when, and how people in the thread are heard by the panel."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.reports.minutes import minutes_text
from tests.e2e.playground_harness import EditPanels, PlaygroundHarness
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import ReceivedPrompt, ScriptedModels, after, scripted_playground

SIX = "opus,codex,gemini,grok,sonnet,mistral"
QUICK = "roundtable --quick --debate is it so?"
PANEL = ("Advocate", "Devil's Advocate", "Analyst")


def order(name: str, **priorities: int) -> EditPanels:
    def edit(panels: dict[str, Any]) -> None:
        panels["panels"]["debate"]["speechOrder"] = name
        for agent in panels["panels"]["debate"]["agents"]:
            agent["priority"] = priorities.get(agent["role"], 0)

    return edit


def shown(table: PlaygroundHarness) -> str:
    """Everything that can be read in the threads now."""
    return "".join(m.text for t in table.discord.threads() for m in table.said_in(t))


def spoken(table: PlaygroundHarness) -> list[str]:
    return [
        m.author.name for t in table.discord.threads() for m in table.said_in(t) if m.webhook_id
    ]


async def test_in_fixed_order_a_slow_first_seat_still_speaks_first(tmp_path: Path) -> None:
    """2.2#10: the others are ready and wait for their turn."""
    cast, others_are_asked = ScriptedModels(), asyncio.Event()
    cast.says["r1:Advocate"] = after(cast, others_are_asked)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(QUICK)
        thread = await table.thread()
        await table.discord.until(lambda: shown(table).count("✍️") == 2)
        assert spoken(table) == []
        others_are_asked.set()
        held = await table.held(await table.concluded(thread))
    assert held.voices == PANEL


async def test_in_free_order_each_speaks_when_ready(tmp_path: Path) -> None:
    """E60 2.2#10: all are asked at once; the first is posted last, as it waits for the others."""
    cast, others_spoke = ScriptedModels(), asyncio.Event()
    cast.says["r1:Advocate"] = after(cast, others_spoke)
    async with scripted_playground(tmp_path, cast, edit_panels=order("free")) as table:
        await table.say(QUICK)
        await table.discord.until(lambda: len(spoken(table)) == 2)
        others_spoke.set()
        held = await table.held(await table.concluded())
    assert set(held.voices[:2]) == {"Devil's Advocate", "Analyst"}
    assert held.voices[2] == "Advocate"


async def test_in_order_of_priority_the_highest_speaks_first(tmp_path: Path) -> None:
    """2.2#10."""
    edit = order("priority", Analyst=5, Advocate=1)
    async with scripted_playground(tmp_path, ScriptedModels(), edit_panels=edit) as table:
        held = await table.hold(QUICK)
    assert held.voices == ("Analyst", "Advocate", "Devil's Advocate")


async def test_a_random_order_is_drawn_anew_for_every_round(tmp_path: Path) -> None:
    """2.2#10: everybody speaks once a round, and the draw is repeatable from the run's seed."""
    async with scripted_playground(
        tmp_path, ScriptedModels(), edit_panels=order("random")
    ) as table:
        held = await table.hold(f"roundtable --panel {SIX} --debate is it so?")
    panel = [seat.role for seat in held.record.seats]
    first, second = list(held.voices[:6]), list(held.voices[6:])
    assert sorted(first) == sorted(second) == sorted(panel)
    assert (first, second) != (panel, panel)


async def test_what_people_say_during_a_round_reaches_every_seat_in_the_next(
    tmp_path: Path,
) -> None:
    """2.2#37: heard, marked, unnamed, for all seats alike; the round itself is not disturbed."""
    cast, people_spoke = ScriptedModels(), asyncio.Event()
    cast.says["r1:Judge"] = after(cast, people_spoke)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --debate is it so?")
        thread = await table.thread()
        await table.discord.until(lambda: len(spoken(table)) == 2)
        said = [
            await table.write_in(thread, "Think of the winter!", person="Ines"),
            await table.write_in(thread, "And of the price.", person="Jonas"),
        ]
        await table.say("Nobody at the table hears this.", person="Ines")
        await table.discord.until(lambda: all(m.reactions.get("👂") for m in said))
        people_spoke.set()
        held = await table.held(await table.concluded(thread))
    assert not any("winter" in asked.text for asked in cast.asked("r1:*"))
    floors = {asked.values["FLOOR"] for asked in cast.asked("r2:*")}
    assert len(cast.asked("r2:*")) == 3
    assert floors == {"Person 1:\n  Think of the winter!\n\nPerson 2:\n  And of the price."}
    assert "From the floor" in cast.asked("r2:Judge")[0].text
    assert "Think of the winter!" in cast.asked("synthesis")[0].values["FLOOR"]
    assert "Nobody at the table" not in "".join(asked.text for asked in cast.heard)
    assert held.voices == ("Planner", "Critic", "Judge") * 2


async def test_after_the_conclusion_nobody_listens_for_the_next_round(tmp_path: Path) -> None:
    """2.2#37: plain talk after a roundtable is not marked as heard."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        said = await table.write_in(held.thread, "Thank you all.")
        await table.ask_for_help()
        assert not said.reactions


class FailsWhenSending(logging.Filter):
    """Lets the arbiter fail at the first answer that is about to be posted, as a bug would."""

    failed = False

    def filter(self, record: logging.LogRecord) -> bool:
        if not self.failed and "Sending:" in record.getMessage():
            self.failed = True
            raise RuntimeError("lost")
        return True


def failing(*, fail_open: bool) -> EditPanels:
    def edit(panels: dict[str, Any]) -> None:
        panels["arbiter"] |= {"failOpen": fail_open, "debug": True}

    return edit


@contextmanager
def an_arbiter_that_fails(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.set_level(logging.INFO, logger="bot.threads.threads")
    log, fault = logging.getLogger("bot.threads.threads"), FailsWhenSending()
    log.addFilter(fault)
    try:
        yield
    finally:
        log.removeFilter(fault)
    assert fault.failed


@pytest.mark.parametrize("fail_open", [True, False])
async def test_an_arbiter_that_fails_in_a_round_obeys_fail_open(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, fail_open: bool
) -> None:
    """D18: held back or posted anyway; what was said counts, and the minutes have it."""
    edit = failing(fail_open=fail_open)
    with an_arbiter_that_fails(caplog):
        async with scripted_playground(tmp_path, ScriptedModels(), edit_panels=edit) as table:
            held = await table.hold(QUICK)
    assert held.voices == (PANEL if fail_open else ())
    told = "Analyst: the answer was not posted, because the turn arbiter failed" in held.card
    assert told is not fail_open
    assert held.export["ending"] == "concluded"
    minutes = minutes_text(held.record)
    assert all(f"r1 of {role.lower()} thesis" in minutes.lower() for role in PANEL)


async def test_what_was_held_back_stays_so_after_a_restart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """D18 D21: it would stand below the answers of the next round."""
    cast, never, second = ScriptedModels(), asyncio.Event(), asyncio.Event()

    async def hangs(_: ReceivedPrompt) -> str:
        second.set()
        await never.wait()
        return ""

    cast.says["r2:Advocate"] = hangs
    edit = failing(fail_open=False)
    async with restart_harness(tmp_path, cast, edit_panels=edit) as table:
        with an_arbiter_that_fails(caplog):
            async with table.bot():
                thread = await table.asked("roundtable --panel opus,grok,gemini --debate so?")
                await second.wait()
        del cast.says["r2:Advocate"]
        async with table.bot() as app:
            await table.discord.until(lambda: table.shown(thread, "META"))
            await app.run_service.idle()
        voices = [m for m in table.discord.messages(thread.id) if m.webhook_id]
        assert [m.text for m in voices if "r1 of" in m.text] == []
        assert sum("r2 of" in m.text for m in voices) == 3
