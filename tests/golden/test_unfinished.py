"""A database of the day the golden files were made opens, and its meeting goes on."""

from pathlib import Path

from bot.record.loader import read_record
from bot.record.record import RunRecord
from bot.store import DATABASE, Store
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run
from tests.golden.unfinished import RUN_ID, TOPIC, bench, restore


async def opened(home: Path) -> tuple[tuple[Run, ...], RunRecord]:
    """The unfinished meetings, and the record of the one in the file."""
    store = await Store.open(home / DATABASE)
    try:
        return await store.read(
            lambda conn: RunListRepository(conn).unfinished()
        ), await read_record(store, RUN_ID)
    finally:
        await store.close()


async def test_the_meeting_is_listed_and_its_record_can_be_read(tmp_path: Path) -> None:
    restore(tmp_path)
    listed, record = await opened(tmp_path)
    assert [(run.id, run.topic) for run in listed] == [(RUN_ID, TOPIC)]
    assert [seat.role for seat in record.seats] == ["Advocate", "Devil's Advocate", "Analyst"]
    assert [speech.seat.role for speech in record.speeches if speech.spoke] == ["Devil's Advocate"]


async def test_the_meeting_goes_on_to_its_conclusion(tmp_path: Path) -> None:
    restore(tmp_path)
    _, before = await opened(tmp_path)
    async with bench(tmp_path, 0.0) as table, table.bot() as app:
        (thread,) = table.discord.threads()
        await table.discord.until(lambda: table.shown(thread, "META"))
        await app.run_service.idle()
        assert table.count(thread, "The bot was restarted") == 1
        said = [message.text for message in table.discord.messages(thread.id) if message.text]
    assert len(set(said)) == len(said)
    left, after = await opened(tmp_path)
    assert left == ()
    assert after.ending == "concluded", after.ending_note
    assert [speech.text for speech in before.speeches] == [after.speeches[1].text]
