"""A playground's file: everything comes back, nothing private is kept, damage is set aside."""

import json
import resource
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx
import pytest

from bot.errors import UnavailableError
from bot.front.saved_world import SavedWorld
from bot.playground.model import Upload
from bot.playground.server import EmbeddedDiscord

PICTURE = Upload("plot of it.png", b"\x89PNG not really", "image/png")
NAME = "playground.db"


@asynccontextmanager
async def playground(
    home: Path, most_bytes: int = 1_000_000, clock_behind: float = 0.0
) -> AsyncIterator[tuple[EmbeddedDiscord, SavedWorld]]:
    """An embedded Discord on its file, as a start of the playground makes it."""
    saved = SavedWorld(home / NAME, most_bytes)
    discord = EmbeddedDiscord(clock=lambda: time.time() - clock_behind)
    await discord.start()
    try:
        saved.attach(discord.world)
        yield discord, saved
    finally:
        await discord.close()
        saved.close()


async def test_everything_people_see_is_there_after_a_restart(tmp_path: Path) -> None:
    """Issue 22: channels, threads, replies, reactions, files, tags and what was read."""
    async with playground(tmp_path) as (discord, saved):
        assert (saved.restored, saved.notice) == (False, "")
        mara, general = discord.person("Mara").id, discord.channel("general").id
        first = await discord.say(mara, general, f"Hello <@{discord.bot_user_id}>")
        await discord.react(mara, first.id, "🎉")
        thread = await discord.open_thread(mara, general, "A thread", message_id=first.id)
        shown = await discord.say(mara, thread.id, "Look", files=[PICTURE])
        reply = await discord.say(mara, thread.id, "Why?", reply_to=shown.id)
        await discord.edit(mara, reply.id, "Why not?")
        post = await discord.post(mara, discord.channel("forum").id, "Tea", "or not", tags=["open"])
        await discord.dm(mara, "between us")
        gone = await discord.say(mara, general, "gone")
        await discord.delete(mara, gone.id)
        before = _everything(discord)
        old_url = discord.url
    async with playground(tmp_path) as (discord, saved):
        assert (saved.restored, saved.notice) == (True, "")
        assert _everything(discord).replace(discord.url, old_url) == before
        assert discord.person("Mara").id == mara
        found = discord.world.message(reply.id)
        assert found.replied is discord.world.message(shown.id)
        assert discord.world.message(first.id)["thread"] is discord.world.channels[thread.id]
        assert discord.world.message(first.id).pings.users == {discord.bot_user_id}
        assert discord.world.channels[post.id]["applied_tags"]
        (file,) = discord.world.message(shown.id).attachments
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = await client.get(file["url"])
        assert (answer.content, answer.headers["content-type"]) == (PICTURE.content, "image/png")
        with pytest.raises(Exception, match="Unknown Message"):
            discord.world.message(gone.id)


async def test_ids_grow_on_even_when_the_clock_is_behind(tmp_path: Path) -> None:
    """Issue 22: the bot's store knows the old ids, so none may come twice."""
    async with playground(tmp_path) as (discord, _):
        mara, general = discord.person("Mara").id, discord.channel("general").id
        last = await discord.say(mara, general, "one")
    async with playground(tmp_path, clock_behind=3600) as (discord, _):
        assert (await discord.say(mara, general, "two")).id > last.id


async def test_the_page_counts_only_what_was_not_read_before_the_restart(tmp_path: Path) -> None:
    async with playground(tmp_path) as (discord, _):
        mara, general = discord.person("Mara").id, discord.channel("general").id
        await discord.say(discord.person("Jonas").id, general, "one")
        async with httpx.AsyncClient(trust_env=False) as client:
            body = {"as": str(mara), "channel_id": str(general)}
            assert (await client.post(f"{discord.url}/page/read", json=body)).status_code == 200
        await discord.say(discord.person("Jonas").id, general, "two")
    async with playground(tmp_path) as (discord, _):
        since = discord.world.read[mara, general]
        later = [m.content for m in discord.messages(general) if m.id > since]
    assert later == ["two"]


async def test_what_only_one_person_saw_is_not_kept(tmp_path: Path) -> None:
    """As in Discord, such answers are gone when the client starts again."""
    async with playground(tmp_path) as (discord, _):
        mara, general = discord.person("Mara").id, discord.channel("general")
        await discord.say(mara, general.id, "seen by all")
        secret = await discord.say(mara, general.id, "secret words")
        secret.only_for = mara
        secret.announce("MESSAGE_UPDATE")
        await discord.delete(mara, secret.id)
        hidden = await discord.say(mara, general.id, "x")
        hidden.only_for, hidden["content"] = mara, "secret words"
        hidden.announce("MESSAGE_UPDATE")
    content = (tmp_path / NAME).read_bytes()
    assert b"seen by all" in content
    assert b"secret words" not in content
    assert (tmp_path / NAME).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("damage", ["no database", "cut", "no json", "no parent", "newer"])
async def test_a_damaged_file_is_set_aside_with_one_sentence(tmp_path: Path, damage: str) -> None:
    """Issue 22."""
    async with playground(tmp_path) as (discord, _):
        mara, general = discord.person("Mara").id, discord.channel("general").id
        await discord.open_thread(mara, general, "A thread")
        for number in range(200):
            await discord.say(mara, general, f"{number} " * 100)
    _break(tmp_path / NAME, damage)
    async with playground(tmp_path) as (discord, saved):
        (aside,) = _set_aside(tmp_path)
        assert not saved.restored
        assert saved.notice.startswith("The playground's earlier messages could not be read (")
        assert f"they were set aside as {aside}, and the playground starts empty." in saved.notice
        assert "\n" not in saved.notice
        assert discord.threads() == []
        await discord.say(discord.person("Mara").id, discord.channel("general").id, "anew")
    async with playground(tmp_path) as (discord, saved):
        assert [m.content for m in discord.messages(discord.channel("general").id)] == ["anew"]
        assert saved.notice == ""


@contextmanager
def _full_disk(folder: Path) -> Iterator[None]:
    """No file of this process can become larger than the largest one in the folder."""
    largest = max(path.stat().st_size for path in folder.iterdir())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _set_aside(folder: Path) -> list[Path]:
    return list(folder.glob("playground-*.damaged.db"))


def _break(path: Path, damage: str) -> None:
    if damage == "no database":
        path.write_text("hello")
        return
    if damage == "cut":
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        return
    sql = {
        "no json": "UPDATE things SET body = '{' WHERE kind = 'message'",
        "no parent": "DELETE FROM things WHERE kind = 'channel' AND body LIKE '%\"general\"%'",
        "newer": "PRAGMA user_version = 99",
    }
    conn = sqlite3.connect(path)
    conn.execute(sql[damage])
    conn.commit()
    conn.close()


async def test_the_oldest_goes_when_there_is_too_much(tmp_path: Path) -> None:
    """Issue 22: the file has a bound; whole threads of long ago go with their messages."""
    async with playground(tmp_path, 200_000) as (discord, _):
        mara, general = discord.person("Mara").id, discord.channel("general").id
        old = await discord.say(mara, general, "old")
        thread = await discord.open_thread(mara, general, "Old thread", message_id=old.id)
        await discord.say(mara, thread.id, "x", files=[Upload("a.bin", b"x" * 60_000)])
        for number in range(150):
            await discord.say(mara, general, f"{number} " + "y" * 1_500)
        last = await discord.say(mara, general, "new", files=[Upload("b.bin", b"z" * 60_000)])
    assert (tmp_path / NAME).stat().st_size < 600_000
    async with playground(tmp_path, 200_000) as (discord, saved):
        assert saved.restored
        assert discord.threads() == []
        kept = [m.content for m in discord.messages(general)]
        assert (kept[-1], "old" in kept) == ("new", False)
        assert len(kept) > 20
        assert [f.content for f in discord.world.files.values()] == [b"z" * 60_000]
        assert discord.world.message(last.id).attachments


async def test_a_second_playground_on_the_same_file_is_refused(tmp_path: Path) -> None:
    async with playground(tmp_path):
        with pytest.raises(UnavailableError, match=r"playground\.db is already in use by another"):
            SavedWorld(tmp_path / NAME)


async def test_a_disk_that_fails_ends_the_keeping_and_not_the_playground(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with playground(tmp_path) as (discord, _):
        mara, general = discord.person("Mara").id, discord.channel("general").id
        await discord.say(mara, general, "kept")
        with _full_disk(tmp_path):
            for text in ("lost", "lost, too"):
                await discord.say(mara, general, text)
        assert len(discord.messages(general)) == 3
    assert [r.getMessage().split(" (")[0] for r in caplog.records] == [
        "The playground's messages are not kept from now on"
    ]
    async with playground(tmp_path) as (discord, _):
        assert [m.content for m in discord.messages(general)] == ["kept"]


async def test_a_folder_that_cannot_be_written_to_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    async with playground(tmp_path) as (discord, saved):
        await discord.say(discord.person("Mara").id, discord.channel("general").id, "hello")
        assert saved.notice.startswith("The playground's messages are not kept from now on (")


async def test_channels_that_a_newer_version_adds_appear_in_an_older_playground(
    tmp_path: Path,
) -> None:
    async with playground(tmp_path) as (discord, _):
        before = {channel.name for channel in discord.world.channels.values()}
    conn = sqlite3.connect(tmp_path / NAME)
    conn.execute("DELETE FROM things WHERE kind = 'channel' AND body LIKE '%\"decisions\"%'")
    conn.commit()
    conn.close()
    async with playground(tmp_path) as (discord, saved):
        assert saved.restored
        assert {channel.name for channel in discord.world.channels.values()} == before


def _everything(discord: EmbeddedDiscord) -> str:
    """All channels with their messages, as the API gives them."""
    channels = sorted(discord.world.channels.values(), key=lambda channel: channel.id)
    return json.dumps([[c, [m.wire() for m in c.messages.values()]] for c in channels], indent=1)
