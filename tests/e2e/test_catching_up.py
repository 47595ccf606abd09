"""What people say while the bot is away is heard once, through the same door as live words."""

import asyncio
from pathlib import Path

import pytest

from bot.app import App
from bot.playground.faults import EventFault
from bot.playground.model import Channel
from bot.store import InboundKind, Phase
from bot.store.repositories.inbound import InboundRepository
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import ReceivedPrompt, ScriptedModels, scripted_playground

pytestmark = pytest.mark.heavy

ASKED = "roundtable --debate is it so?"
HEARD = "👂"


def held_up(cast: ScriptedModels, label: str) -> asyncio.Event:
    """Let a seat wait with its answer until the event is set."""
    go = asyncio.Event()

    async def answer(asked: ReceivedPrompt) -> str:
        await go.wait()
        return cast.written(asked)

    cast.says[label] = answer
    return go


async def at_once(*_: object, **__: object) -> None:
    """Identify without the five seconds that discord.py waits for the sake of Discord's limits."""


async def two_have_spoken(bench: RestartHarness) -> Channel:
    """Ask, and wait until everybody but the Judge has spoken in round 1."""
    thread = await bench.asked(ASKED)
    await bench.discord.until(
        lambda: sum(bool(m.webhook_id) for m in bench.discord.messages(thread.id)) == 2
    )
    return thread


async def concluded(bench: RestartHarness, app: App) -> Channel:
    """Hold a short debate to its end."""
    thread = await bench.asked("roundtable --quick --debate is it so?")
    await bench.discord.until(lambda: bench.shown(thread, "🔧 META"))
    await app.run_service.idle()
    return thread


async def floor_notes(app: App, thread: Channel) -> list[str]:
    run = await app.run_service.last_in(thread.id)
    assert run
    heard = await app.store.read(
        lambda conn: InboundRepository(conn).of_run(run.id, InboundKind.FLOOR)
    )
    return [message.content for message in heard]


async def test_words_said_during_a_restart_reach_the_next_round_once(tmp_path: Path) -> None:
    """2.2#37, 2.3: before, during and after the absence; the order is kept, nothing is doubled."""
    cast = ScriptedModels()
    go = held_up(cast, "r1:Judge")
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            thread = await two_have_spoken(bench)
            before = await bench.write_in(thread, "Heard before.")
            await bench.discord.until(lambda: before.reactions.get(HEARD))
        away = await bench.write_in(thread, "Said while you were away.", person="Ines")
        topic = await bench.write_in(thread, "roundtable --quick another topic")
        async with bench.bot() as app:
            await bench.discord.until(lambda: away.reactions.get(HEARD))
            notes = await floor_notes(app, thread)
            go.set()
            await bench.discord.until(lambda: bench.shown(thread, "🔧 META"))
            await app.run_service.idle()
    assert notes == ["Heard before.", "Said while you were away."]
    floors = {asked.values["FLOOR"] for asked in cast.asked("r2:*")}
    assert floors == {"Person 1:\n  Heard before.\n\nPerson 2:\n  Said while you were away."}
    replies = [m for m in bench.discord.messages(thread.id) if m.reply_to == topic.id]
    assert [m.content for m in replies] == [
        (
            "I was offline when you sent this, and I do not start roundtables late: please send it "
            "again."
        )
    ]
    assert len(bench.discord.threads()) == 1


async def test_a_stop_typed_while_the_bot_was_away_is_obeyed(tmp_path: Path) -> None:
    """B50 2.2#29: the meeting does not go on, and a moderator's word counts as it would have."""
    cast = ScriptedModels()
    held_up(cast, "r1:Judge")
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot():
            thread = await two_have_spoken(bench)
        asked = len(cast.heard)
        stop = await bench.write_in(thread, "roundtable stop", person="Mara")
        async with bench.bot() as app:
            await bench.discord.until(lambda: bench.shown(thread, "Stopped. Everything said"))
            run = await app.run_service.last_in(thread.id)
    assert run
    assert (run.phase, run.status_reason) == (Phase.FAILED, "stopped by a person")
    assert len(cast.heard) == asked
    assert bench.count(thread, "it continues now") == 0
    assert bench.count(thread, "⏹️ Stopped by <@") == 1
    (reply,) = [m for m in bench.discord.messages(thread.id) if m.reply_to == stop.id]
    assert reply.content == "Stopped. Everything said stays in the thread."


async def test_a_new_identification_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    """2.2#37 [discord.md 1.3]: events are lost with the session, and doubled after a resume."""
    cast = ScriptedModels()
    go = held_up(cast, "r1:Judge")
    async with scripted_playground(tmp_path, cast) as table:
        table.session.app.bot.before_identify_hook = at_once  # type: ignore[method-assign]
        await table.say(ASKED)
        thread = await table.thread()
        await table.discord.until(
            lambda: sum(bool(m.webhook_id) for m in table.said_in(thread)) == 2
        )
        table.discord.faults.add(EventFault("drop", "MESSAGE_CREATE"))
        lost = await table.write_in(thread, "This event is lost.")
        await table.discord.gateway.invalidate_sessions()
        await table.discord.until(lambda: lost.reactions.get(HEARD))
        table.discord.faults.add(EventFault("double", "MESSAGE_CREATE"))
        doubled = await table.write_in(thread, "This one comes twice.", person="Ines")
        await table.discord.until(lambda: doubled.reactions.get(HEARD))
        await table.discord.gateway.drop_connections()
        later = await table.write_in(thread, "This one is replayed.")
        await table.discord.until(lambda: later.reactions.get(HEARD))
        notes = await floor_notes(table.session.app, thread)
        go.set()
        held = await table.held(await table.concluded(thread))
    assert notes == ["This event is lost.", "This one comes twice.", "This one is replayed."]
    assert held.export["ending"] == "concluded"
    (floor,) = {asked.values["FLOOR"] for asked in cast.asked("r2:*")}
    assert [floor.count(note) for note in notes] == [1, 1, 1]


async def test_a_question_to_a_panelist_while_away_is_answered_once(tmp_path: Path) -> None:
    """2.2#38, 2.3: after the conclusion, over two restarts; plain talk wakes nobody then either."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            thread = await concluded(bench, app)
        await bench.write_in(thread, "Analyst: and in winter?")
        await bench.write_in(thread, "Good morning, everybody.", person="Ines")
        async with bench.bot() as app:
            await bench.discord.until(lambda: bench.shown(thread, "say to that: "))
            await app.talk.idle()
        async with bench.bot() as app:
            said = await bench.write_in(thread, "roundtable help")
            await bench.discord.until(
                lambda: any(m.reply_to == said.id for m in bench.discord.messages(thread.id))
            )
            await app.talk.idle()
    (asked,) = cast.asked("ask:*")
    assert asked.role == "Analyst"
    assert bench.count(thread, "I, Analyst, say to that") == 1


async def test_a_command_typed_in_a_channel_while_away_starts_nothing_late(tmp_path: Path) -> None:
    """2.3: whoever typed it has seen no answer, and must not be charged for it hours later."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            await concluded(bench, app)
        general = bench.discord.channel("general")
        jonas = bench.discord.person("Jonas")
        await bench.discord.say(jonas.id, general.id, "roundtable --quick --debate are zebras so?")
        async with bench.bot(seconds_later=600) as app:
            said = await bench.discord.say(jonas.id, general.id, "roundtable help")
            await bench.discord.until(
                lambda: any(m.reply_to == said.id for m in bench.discord.messages(general.id))
            )
            await app.run_service.idle()
    assert len(bench.discord.threads()) == 1
    assert not any("zebras" in asked.text for asked in cast.heard)
