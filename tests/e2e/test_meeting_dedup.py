"""The same topic twice: one thread, a way to it, and two ways to have it again."""

import asyncio
import time
from pathlib import Path

from discord import Thread
from sqlalchemy import Connection, update

from bot.playground.model import Message
from bot.playground.server import EmbeddedDiscord
from bot.store.tables import runs
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.scripted_models import FAIL, ScriptedModels, scripted_playground

DUPLICATE = "♻️ Duplicate topic detected — reusing existing thread."
ASKED = "roundtable --quick --debate Should we   adopt uv?"
AGAIN = "roundtable --debate should WE adopt uv!!"
DAY = 24 * 3600.0


async def asked_again(table: PlaygroundHarness, text: str = AGAIN, person: str = "Ines") -> Message:
    return await table.reply_to(await table.say(text, person=person))


async def press(table: PlaygroundHarness, message: Message, how: str) -> str:
    """Press one of the buttons below the notice and return what its person is told."""
    (custom_id,) = [name for name in message.custom_ids if name.endswith(how)]
    ines = table.discord.person("Ines").id
    pressed = await table.discord.press(ines, message.id, custom_id)
    return (await pressed.message()).content


async def test_a_finished_topic_is_shown_again_and_asks_no_model(tmp_path: Path) -> None:
    """E23 E25 E26 2.2#12: case, spaces and punctuation do not matter within a day."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        before = len(cast.heard)
        notice = await asked_again(table)
        assert len(table.discord.threads()) == 1
    assert notice.content.startswith(f"{DUPLICATE}\n✅ A title")
    assert str(held.thread.id) in str(notice.components)
    assert len(cast.heard) == before


async def test_another_mode_is_another_roundtable(table: PlaygroundHarness) -> None:
    """E27."""
    await table.hold(ASKED)
    other = await table.hold("roundtable --quick --redteam should we adopt uv?")
    assert other.thread.name.endswith("[[REDTEAM]]")


async def test_an_archived_thread_does_not_count(table: PlaygroundHarness) -> None:
    """E27."""
    held = await table.hold(ASKED)
    thread = await table.session.app.bot.fetch_channel(held.thread.id)
    assert isinstance(thread, Thread)
    await thread.edit(archived=True)
    again = await table.hold(AGAIN)
    assert again.thread.id != held.thread.id


async def test_after_a_day_the_topic_is_fresh(tmp_path: Path) -> None:
    """E25 E27: both the store and the thread are older than 24 hours."""
    behind = [DAY + 60.0]
    discord = EmbeddedDiscord(clock=lambda: time.time() - behind[0])
    async with open_harness(tmp_path, discord=discord) as table:
        held = await table.hold(ASKED)
        behind[0] = 0.0
        await moved_back(table, held.record.run_id, DAY + 60.0)
        again = await table.hold(AGAIN)
    assert again.thread.id != held.thread.id


async def test_within_the_day_an_hour_changes_nothing(table: PlaygroundHarness) -> None:
    """E25."""
    held = await table.hold(ASKED)
    await moved_back(table, held.record.run_id, DAY - 3600.0)
    assert (await asked_again(table)).content.startswith(DUPLICATE)


async def moved_back(table: PlaygroundHarness, run_id: str, seconds: float) -> None:
    """Let a run have begun earlier than it did."""

    def work(conn: Connection) -> None:
        earlier = runs.c.created_at - seconds
        conn.execute(update(runs).where(runs.c.id == run_id).values(created_at=earlier))

    await table.session.app.store.write(work)


async def test_a_thread_the_store_does_not_know_counts_by_its_title(
    table: PlaygroundHarness,
) -> None:
    """E24 E25 2.2#12: there is nothing to challenge, but a way to the thread."""
    ines, general = table.discord.person("Ines"), table.discord.channel("general")
    name = "🎯 should we adopt uv? [[DEBATE]]"
    thread = await table.discord.open_thread(ines.id, general.id, name)
    notice = await asked_again(table, "roundtable --debate should we adopt uv?")
    assert notice.content == DUPLICATE
    assert str(thread.id) in str(notice.components)
    assert notice.custom_ids == []


async def test_two_people_in_the_same_instant_share_one_roundtable(
    table: PlaygroundHarness,
) -> None:
    """2.2#13: one thread; the loser gets the notice with the link."""
    said = await asyncio.gather(table.say(ASKED, person="Jonas"), table.say(AGAIN, person="Ines"))
    thread = await table.thread()
    replies = await table.discord.until(
        lambda: [
            m for m in table.discord.messages(said[0].channel_id) if m.content.startswith(DUPLICATE)
        ]
    )
    await table.concluded(thread)
    assert len(replies) == 1
    assert str(thread.id) in str(replies[0].components)
    assert [channel.id for channel in table.discord.threads()] == [thread.id]
    assert len(table.exports()) == 1


async def test_a_failed_run_is_no_answer(tmp_path: Path) -> None:
    """2.2#13: who asks again gets a new run."""
    cast = ScriptedModels(says={"r1:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        failed = await table.hold(ASKED)
        cast.says.clear()
        again = await table.hold(AGAIN)
    assert again.export["ending"] == "concluded"
    assert again.thread.id != failed.thread.id


async def test_run_it_anyway_holds_the_topic_again(tmp_path: Path) -> None:
    """2.2#13 2.2#46: the next generation, its own files, and then that one is on the table."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        told = await press(table, await asked_again(table), "again")
        again = await table.held(await table.concluded(await table.thread(2)))
        notice = await asked_again(table)
    assert str(again.thread.id) in told
    assert again.record.topic == held.record.topic
    assert again.record.starter_id != held.record.starter_id
    assert "PRIOR ROUNDTABLE CONTEXT" not in cast.heard[-1].text
    assert str(again.thread.id) in str(notice.components)
    stems = sorted(path.stem for path in (tmp_path / "memory" / "roundtables").glob("*.json"))
    assert stems[1] == f"{stems[0]}-2"
    assert stems[0].endswith("-should-we-adopt-uv")


async def test_a_challenge_argues_against_the_old_conclusion(tmp_path: Path) -> None:
    """E18 2.2#13."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold(ASKED)
        cast.heard.clear()
        await press(table, await asked_again(table), "challenge")
        await table.concluded(await table.thread(2))
    context = cast.asked("r1:Analyst")[0].values["CURRENT_CONTEXT"]
    assert context.startswith("PRIOR ROUNDTABLE CONTEXT: ")
    assert "Do it. Then rest." in context


async def test_the_buttons_work_after_a_restart(tmp_path: Path) -> None:
    """2.2#13: what a button means is in its id."""
    discord = EmbeddedDiscord()
    async with open_harness(tmp_path, discord=discord) as table:
        held = await table.hold(ASKED)
        notice = await asked_again(table)
    async with open_harness(tmp_path, discord=discord) as table:
        await press(table, notice, "again")
        again = await table.held(await table.concluded(await table.thread(2)))
    assert again.record.topic == held.record.topic
    assert again.export["ending"] == "concluded"
