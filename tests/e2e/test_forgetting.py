"""A person is forgotten, a deleted message too, and servers that were left after 30 days."""

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.errors import AwayError
from bot.library.rebuild import export_everything
from bot.playground.model import Message
from bot.store.repositories.servers import ServerRepository
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground
from tests.e2e.talk_steps import answered
from tests.support.time_travel import set_clock

pytestmark = pytest.mark.heavy

DAY = 86_400.0
DAYS_AFTER_LEAVING = 30

TOPIC = "should zebrawood or bamboozle floors go into the quixotic kitchen?"
NOTE = "my grandmother Frodeline slipped on wobbegong tiles in Kvikkjokk last winter"
MINE = re.compile("zebrawood|bamboozle|quixotic|frodeline|wobbegong|kvikkjokk", re.IGNORECASE)


def stored(home: Path) -> Iterator[str]:
    """Every value of every table, and every file with its name, as `place: text`."""
    with sqlite3.connect(f"file:{home / 'roundtable.db'}?mode=ro", uri=True) as database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in names:
            for row in database.execute(f"SELECT * FROM {table}"):
                yield from (f"{table}: {value}" for value in row if isinstance(value, str))
    for path in (home / "memory").rglob("*"):
        yield f"name: {path.name}"
        if path.is_file():
            yield f"{path.name}: {path.read_bytes().decode(errors='replace')}"


def traces(home: Path) -> list[str]:
    return [text[:300] for text in stored(home) if MINE.search(text)]


async def press_forget(table: PlaygroundHarness, shown: Message, person: str = "Jonas") -> str:
    (button,) = shown.custom_ids
    pressed = await table.discord.press(table.discord.person(person).id, shown.id, button)
    return (await pressed.message()).content


def parrots() -> ScriptedModels:
    """A panel that quotes whatever it is told, as real models like to."""
    cast = ScriptedModels()
    cast.says["r2:*"] = lambda asked: f"You said: {asked.text}\n[STANCE: AGREE]"
    cast.says["ask:*"] = lambda asked: f"You said: {asked.text}"
    return cast


async def test_nothing_a_person_wrote_is_left_anywhere(tmp_path: Path) -> None:
    """Design 4: the log holds nobody's words, so forgetting does not break it."""
    async with scripted_playground(tmp_path, parrots()) as table:
        await table.hold(f"roundtable --debate {TOPIC}")
        await table.hold(f"roundtable --vote {TOPIC}")
        built = f"roundtable --debate --context-from {slug(table)} which rug then?"
        await table.hold(built, person="Ines")
        other = await table.hold("roundtable --debate which lamp then?", person="Ines")
        await table.write_in(other.thread, f"Planner, {NOTE}")
        await answered(table, other.thread, 1)
        await table.write_in(other.thread, "Judge, what does that say about lamps?")
        await answered(table, other.thread, 2)
        assert len(traces(tmp_path)) > 20
        shown = await table.reply_after(await table.say("roundtable forget"))
        assert "2 roundtables you started" in shown.content
        assert "2 others" in shown.content
        assert "Only the person" in await press_forget(table, shown, "Ines")
        assert len(traces(tmp_path)) > 20
        assert "Removed" in await press_forget(table, shown)
        assert traces(tmp_path) == []
        kept = [text for text in stored(tmp_path) if "which lamp then" in text]
        assert any(text.startswith("runs:") for text in kept)
        assert any(".md:" in text for text in kept)
        await table.write_in(other.thread, "Planner, what was said?", person="Ines")
        said = await answered(table, other.thread, 3)
        assert "what was said" in said[-1].content
        assert not MINE.search(said[-1].content)
        assert traces(tmp_path) == []
        lines = (tmp_path / "memory/roundtables/scorecard.jsonl").read_text().splitlines()
        assert len(lines) == 4
    assert await export_everything(tmp_path) == 2
    assert traces(tmp_path) == []


def slug(table: PlaygroundHarness) -> str:
    folder = table.home / "memory" / "roundtables"
    return min(path.stem for path in folder.glob("*.json"))


async def test_a_running_roundtable_of_the_person_is_stopped_and_forgotten(tmp_path: Path) -> None:
    async with open_harness(tmp_path, seconds_per_answer=600) as table:
        jonas, general = table.discord.person("Jonas"), table.discord.channel("general")
        empty = await table.discord.slash(jonas.id, general.id, "roundtable forget")
        assert (await empty.message()).content == "I have nothing stored that you wrote."
        await table.say(f"roundtable --quick --debate {TOPIC}")
        thread = await table.thread()
        await table.discord.until(
            lambda: any("the coordinator is phrasing" in m.text for m in table.said_in(thread))
        )
        run = await table.session.app.run_service.last_in(thread.id)
        assert run
        asked = await table.discord.slash(jonas.id, general.id, "roundtable forget")
        shown = await asked.message()
        assert shown.only_for == jonas.id
        assert "Removed" in await press_forget(table, shown)
        assert traces(tmp_path) == []
        for command in ("show", "read", "status", "retry"):
            gone = await table.reply_to(await table.say(f"roundtable {command} {run.id}"))
            assert gone.content.startswith("Roundtable not found")
        await table.discord.slash(jonas.id, general.id, "roundtable forget")
        await press_forget(table, shown)
        again = await table.discord.slash(jonas.id, general.id, "roundtable forget")
        assert (await again.message()).content == "I have nothing stored that you wrote."


@pytest.mark.parametrize("outages", [0, 1])
async def test_a_deleted_message_leaves_the_store_and_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outages: int
) -> None:
    """Discord says only once that it is gone: a database that is away is waited for."""
    async with scripted_playground(tmp_path, parrots()) as table:
        held = await table.hold("roundtable --debate which lamp then?", person="Ines")
        said = await table.write_in(held.thread, f"Planner, {NOTE}")
        await answered(table, held.thread)
        await table.session.app.talk.idle()
        assert traces(tmp_path)
        store, left = table.session.app.store, [AwayError("away")] * outages
        write = store.write

        async def may_fail(work: Callable[[Connection], Any]) -> Any:
            if left:
                raise left.pop()
            return await write(work)

        monkeypatch.setattr(store, "write", may_fail)
        await table.discord.delete(table.discord.person("Jonas").id, said.id)
        async with asyncio.timeout(5):
            while traces(tmp_path):  # noqa: ASYNC110 (a file gives no sign when it is written)
                await asyncio.sleep(0.02)


async def test_a_server_that_was_left_is_purged_after_thirty_days_unless_it_is_joined_again(
    tmp_path: Path,
) -> None:
    async with open_harness(tmp_path) as table:
        await table.hold(f"roundtable --quick --debate {TOPIC}")
        app, guild_id = table.session.app, table.discord.channel("general").guild_id or 0
        began = app.store.now()

        async def after(days: float) -> None:
            set_clock(app.store, lambda: began + days * DAY)
            await app.forgetting.tidy()

        await app.forgetting.compare(frozenset())
        await after(DAYS_AFTER_LEAVING - 1)
        assert traces(tmp_path)
        await app.forgetting.compare(frozenset({guild_id}))
        await after(DAYS_AFTER_LEAVING + 1)
        assert traces(tmp_path)
        await app.forgetting.left(guild_id)
        await app.forgetting.left(guild_id)  # told twice, counted from the first time
        await after(2 * DAYS_AFTER_LEAVING + 2)
        assert traces(tmp_path) == []
        assert await table.stored(lambda conn: ServerRepository(conn).get(guild_id).left_at) is None


async def test_the_retention_forgets_what_is_too_old_and_nothing_else(
    tmp_path: Path,
) -> None:
    def keep_a_week(data: dict[str, Any]) -> None:
        data["privacy"]["retentionDays"] = 7

    async with open_harness(tmp_path, edit_panels=keep_a_week) as table:
        await table.hold(f"roundtable --quick --debate {TOPIC}")
        app = table.session.app
        began = app.store.now()
        await app.forgetting.tidy()
        assert traces(tmp_path)
        set_clock(app.store, lambda: began + 8 * DAY)
        new = await table.hold("roundtable --quick --debate which lamp then?")
        await app.forgetting.tidy()
        assert traces(tmp_path) == []
        (kept,) = table.exports()
        assert kept == json.loads(json.dumps(new.export))
