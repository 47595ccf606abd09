"""Forgetting cannot be used as a weapon: it takes a person's own words and nobody else's."""

import asyncio
import re
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection
from typer.testing import CliRunner

from bot.cli import app as command_line
from bot.playground.faults import Fault
from bot.playground.model import Channel, Message
from bot.playground.world import PersonPlan
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.inbound import InboundRepository
from bot.store.repositories.seats import DesignRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import (
    ReceivedPrompt,
    ScriptedModels,
    quick_timeouts,
    scripted_playground,
)
from tests.e2e.talk_steps import answered, on_call, voice_of
from tests.e2e.test_ballots import Alarm, ballot
from tests.e2e.test_forgetting import parrots, press_forget, stored
from tests.e2e.test_late_answers import late_events

pytestmark = pytest.mark.heavy

NOTE = "my grandmother Frodeline slipped on wobbegong tiles in Kvikkjokk last winter"
MINE = re.compile("frodeline|wobbegong|kvikkjokk", re.IGNORECASE)
NEW = "Planner, which of these lamps is the brightest one?"
COMMANDS = ("show", "read", "export", "status")


def traces(home: Path) -> list[str]:
    return [text[:300] for text in stored(home) if MINE.search(text)]


async def heard(table: PlaygroundHarness, said: Message, content: str | None = None) -> None:
    """Wait until a message is stored, as it was said or as it is now."""
    wanted = said.content if content is None else content

    async def known() -> bool:
        found = await table.stored(lambda conn: InboundRepository(conn).get(said.id))
        return found is not None and found.content == wanted

    await until(known)


async def until(done: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(10):
        while not await done():  # noqa: ASYNC110 (a store gives no sign when it was written)
            await asyncio.sleep(0.01)


async def asked_for(cast: ScriptedModels, label: str, count: int = 1) -> None:
    """Wait until models were asked, and have not answered yet."""

    async def asked() -> bool:
        return len(cast.asked(label)) >= count

    await until(asked)


async def say_and_delete(
    table: PlaygroundHarness, thread: Channel, text: str, reply_to: int | None = None
) -> None:
    """An ordinary member writes in a thread, and deletes it once the bot has it."""
    said = await table.write_in(thread, text, person="Jonas", reply_to=reply_to)
    await heard(table, said)
    if reply_to is not None:
        await table.talked()
    await delete(table, said)


async def said_during(
    table: PlaygroundHarness, cast: ScriptedModels, command: str, text: str
) -> tuple[Channel, Message]:
    """A member writes in the thread of a debate while the seats are asked in round 1."""
    await table.say(f"{command} which lamp then?", person="Ines")
    thread = await table.thread()
    await asked_for(cast, "r1:*", 3)
    said = await table.write_in(thread, text)
    await heard(table, said)
    return thread, said


async def delete(table: PlaygroundHarness, said: Message) -> None:
    await table.discord.delete(table.discord.person("Jonas").id, said.id)
    await heard(table, said, "")


async def told(table: PlaygroundHarness, command: str, run_id: str, person: str = "Ines") -> str:
    asked = await table.say(f"roundtable {command} {run_id}", person=person)
    answer = await table.reply_to(asked)
    return "\n".join([answer.content, *(str(file["filename"]) for file in answer.attachments)])


def all_answers(run_id: str) -> Callable[[Connection], tuple[StoredAnswer, ...]]:
    return lambda conn: AnswerRepository(conn).of_run(run_id)


async def test_a_vote_is_not_changed_by_who_posts_an_option_and_deletes_it(tmp_path: Path) -> None:
    """Ten people vote; a member posts both options in the thread and takes them back."""
    going, cast = asyncio.Event(), ScriptedModels()
    cast.says["r1:*"] = on_call(cast, going)
    vote = "roundtable --quick --vote chrysanthemums for all or snapdragons?"
    async with scripted_playground(tmp_path, cast, sleep=Alarm().sleep) as table:
        world = table.discord.world
        (guild,) = world.guilds.values()
        crowd = [world.join(guild, PersonPlan(f"Voter {n}")).id for n in range(10)]
        await table.say(vote, person="Ines")
        thread = await table.thread()
        post = await table.discord.until(lambda: ballot(table.said_in(thread), "🗳️ **Vote before"))
        assert post
        for person in crowd:
            await (await table.discord.press(person, post.id, post.custom_ids[0])).message(10)
        run = await table.session.app.run_service.last_in(thread.id)
        assert run
        before = await table.stored(lambda conn: DesignRepository(conn).of_run(run.id))
        for option in (*before["options"], " ".join([*before["options"], run.topic])):
            await say_and_delete(table, thread, option)
        assert await table.stored(lambda conn: DesignRepository(conn).of_run(run.id)) == before
        going.set()
        await table.concluded(thread)
        for option in before["options"]:
            speaker = voice_of(table, thread, "Strategist")
            await say_and_delete(table, thread, option, speaker.id)
        assert "10 people voted" in world.message(post.id).content
        shown = await told(table, "show", run.id)
    assert f"{before['options'][0]} wins" in shown
    assert "forgotten" not in shown


async def test_the_name_of_a_field_posted_and_deleted_breaks_nothing(tmp_path: Path) -> None:
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.hold("roundtable --debate which lamp then?", person="Ines")
        run_id, speaker = held.record.run_id, voice_of(table, held.thread, "Judge")
        before = {command: await told(table, command, run_id) for command in COMMANDS}
        for name in ("disagreement", "summary consensus disagreement new_points readable"):
            await say_and_delete(table, held.thread, name, speaker.id)
        after = {command: await told(table, command, run_id) for command in COMMANDS}
        assert {name: at_rest(text) for name, text in after.items()} == {
            name: at_rest(text) for name, text in before.items()
        }


def at_rest(text: str) -> str:
    """What was told without what follow-ups cost since."""
    return re.sub(r"\n-# 🔧 META .*", "", text)


async def test_what_panelists_wrote_before_is_theirs_whoever_copies_it(tmp_path: Path) -> None:
    """Copied at once or edited into an old message: models' words stay, and so does the topic."""
    topic = "which of all the lamps in our old shop is the best one for reading?"
    cast = ScriptedModels()
    cast.says["r2:*"] = lambda asked: f"ReceivedPrompt {topic} I say: {cast.written(asked)}"
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(f"roundtable --debate {topic}", person="Ines")
        run_id, speaker = held.record.run_id, voice_of(table, held.thread, "Judge")
        old = await table.write_in(held.thread, "hello", reply_to=speaker.id)
        await answered(table, held.thread)
        before = await table.stored(all_answers(run_id))
        for copied in (topic, *(answer.text[:1500] for answer in before[4:8])):
            await say_and_delete(table, held.thread, copied, speaker.id)
        stolen = before[3].text[:1500]
        await table.discord.edit(table.discord.person("Jonas").id, old.id, stolen)
        await heard(table, old, stolen)
        await delete(table, old)
        now = {answer.key: answer for answer in await table.stored(all_answers(run_id))}
        assert [now[answer.key] for answer in before] == list(before)


async def test_an_answer_that_was_asked_for_before_cannot_repeat_a_message(tmp_path: Path) -> None:
    """Whoever guesses what a model is about to write does not own it."""
    going, cast = asyncio.Event(), ScriptedModels()
    guess = "the oldest lamp of them all has to go at once"

    async def slowly(asked: ReceivedPrompt) -> str:
        await going.wait()
        return f"I say that {guess}.\n{cast.written(asked)}"

    cast.says["r1:*"] = slowly
    async with scripted_playground(tmp_path, cast) as table:
        thread, said = await said_during(table, cast, "roundtable --quick --debate", guess)
        going.set()
        await table.concluded(thread)
        await delete(table, said)
        run = await table.session.app.run_service.last_in(thread.id)
        assert run
        opening = next(
            a for a in await table.stored(all_answers(run.id)) if a.key.startswith("r1:")
        )
        assert guess in opening.text


async def test_what_models_always_say_is_nobodys(tmp_path: Path) -> None:
    """A stock phrase of earlier roundtables is not the member's who posts it."""
    stock = "it is important to note that there are many ways"
    cast = ScriptedModels()
    cast.says["r2:*"] = lambda asked: f"Well, {stock} to see it.\n{cast.written(asked)}"
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold("roundtable --debate which rug then?", person="Ines")
        going = asyncio.Event()
        cast.says["r1:Judge"] = on_call(cast, going)
        await table.say("roundtable --debate which lamp then?", person="Ines")
        thread = await table.thread(2)
        await asked_for(cast, "r1:Judge", 2)
        said = await table.write_in(thread, stock)
        await heard(table, said)
        going.set()
        await table.concluded(thread)
        await delete(table, said)
        run = await table.session.app.run_service.last_in(thread.id)
        assert run
        critiques = [a for a in await table.stored(all_answers(run.id)) if a.round == 2 and a.seat]
        assert critiques
        assert all(stock in answer.text for answer in critiques)


async def test_the_old_wording_of_an_edited_message_is_forgotten(tmp_path: Path) -> None:
    async with scripted_playground(tmp_path, parrots()) as table:
        held = await table.hold("roundtable --debate which lamp then?", person="Ines")
        said = await table.write_in(held.thread, f"Planner, {NOTE}")
        await answered(table, held.thread)
        assert len(traces(tmp_path)) >= 5
        await table.discord.edit(table.discord.person("Jonas").id, said.id, NEW)
        await heard(table, said, NEW)
        await until(lambda: nothing_left(tmp_path))
        kept = [text for text in stored(tmp_path) if NEW in text]
        places = {text.partition(":")[0] for text in kept}
        assert {"inbound", "turns"} <= places
        assert not places & {"answers", "posts", "speeches"}, "only minutes repeat a person's words"
        await table.discord.delete(table.discord.person("Jonas").id, said.id)
        await heard(table, said, "")
        await until(lambda: gone(tmp_path, NEW))


async def gone(home: Path, words: str) -> bool:
    return not [text for text in stored(home) if words in text]


async def nothing_left(home: Path) -> bool:
    return traces(home) == []


async def test_what_is_deleted_while_a_panelist_thinks_is_not_kept_with_the_answer(
    tmp_path: Path,
) -> None:
    going, cast = asyncio.Event(), parrots()

    async def slowly(asked: ReceivedPrompt) -> str:
        await going.wait()
        return f"You said: {asked.text}"

    cast.says["ask:*"] = slowly
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate which lamp then?", person="Ines")
        said = await table.write_in(held.thread, f"Planner, {NOTE}")
        await asked_for(cast, "ask:Planner")
        await delete(table, said)
        table.discord.faults.add(Fault("status", "POST", "webhooks/*", status=502, times=-1))
        going.set()
        await until(lambda: struck(table, "POST webhooks"))
        assert traces(tmp_path) == [], "nothing is kept until the answer is out"
        table.discord.faults.clear()
        (answer,) = await answered(table, held.thread)
        assert not MINE.search(answer.content)
        assert traces(tmp_path) == []


async def struck(table: PlaygroundHarness, request: str) -> bool:
    return any(request in fault for fault in table.discord.faults.struck)


async def test_what_is_deleted_before_a_late_answer_is_not_kept_with_it(tmp_path: Path) -> None:
    going, cast = asyncio.Event(), parrots()

    async def slowly(asked: ReceivedPrompt) -> str:
        await going.wait()
        return f"You said: {asked.text}"

    cast.says["ask:*"] = slowly
    adjust = quick_timeouts(followup=0.7)
    async with scripted_playground(tmp_path, cast, adjust=adjust) as table:
        held = await table.hold("roundtable --debate which lamp then?", person="Ines")
        said = await table.write_in(held.thread, f"Planner, {NOTE}")
        await table.discord.until(lambda: "timeout" in table.said_in(held.thread)[-1].text)
        await delete(table, said)
        going.set()
        await late_events(table, held.thread, 1)
        await until(lambda: nothing_left(tmp_path))
        answers = await table.stored(all_answers(held.record.run_id))
        assert any(answer.late for answer in answers)


async def test_what_is_deleted_during_a_round_is_not_kept_with_its_answers(tmp_path: Path) -> None:
    going, cast = asyncio.Event(), ScriptedModels()
    opened = asyncio.Event()
    cast.says["r1:*"] = on_call(cast, opened)

    async def slowly(asked: ReceivedPrompt) -> str:
        await going.wait()
        return f"You said: {asked.text}\n[STANCE: AGREE]"

    cast.says["r2:*"] = slowly
    async with scripted_playground(tmp_path, cast) as table:
        thread, said = await said_during(table, cast, "roundtable --debate", NOTE)
        opened.set()
        await asked_for(cast, "r2:*", 3)
        assert NOTE in cast.asked("r2:*")[0].text
        await delete(table, said)
        going.set()
        await table.concluded(thread)
        await until(lambda: nothing_left(tmp_path))


def damage(home: Path, run_id: str, key: str, parsed: str) -> None:
    """As an old version of the bot left it, or a disk."""
    with sqlite3.connect(home / "roundtable.db") as database:
        changed = database.execute(
            "UPDATE answers SET parsed = ? WHERE run_id = ? AND key = ?", (parsed, run_id, key)
        )
        assert changed.rowcount == 1
        database.execute("UPDATE runs SET request = '{' WHERE id = ?", (run_id,))


async def test_a_run_that_cannot_be_read_is_named_and_stops_nobody(tmp_path: Path) -> None:
    async with scripted_playground(tmp_path, parrots()) as table:
        first = await table.hold("roundtable --debate which rug then?", person="Ines")
        second = await table.hold("roundtable --debate which lamp then?", person="Ines")
        third = await table.hold("roundtable --debate which chair then?", person="Ines")
        for held in (first, third):
            await table.write_in(held.thread, f"Planner, {NOTE}")
            await answered(table, held.thread)
        lost = {
            first.record.run_id: ("summary:1", '{"summary": "so", "[forgotten]": []}'),
            second.record.run_id: ("synthesis", '{"text": "cut o'),
        }
        for run_id, (key, parsed) in lost.items():
            damage(tmp_path, run_id, key, parsed)
            for command in COMMANDS:
                sentence = await told(table, command, run_id)
                assert sentence.startswith(f"The record of `{run_id}` is damaged"), command
        assert "2 others" in (await table.reply_after(await table.say("roundtable forget"))).content
        shown = table.said_in(table.discord.channel("general"))[-1]
        answer = await press_forget(table, shown)
        assert answer.startswith("Removed: ")
        assert f"The record of `{first.record.run_id}` is damaged" in answer
        left = [t for t in traces(tmp_path) if not t.startswith(("name:", "2"))]
        assert left == []
    ran = await asyncio.to_thread(
        CliRunner().invoke,
        command_line,
        ["export"],
        env={"ROUNDTABLE_HOME": str(tmp_path), "ROUNDTABLE_PANELS": str(tmp_path / "panels.json")},
    )
    assert ran.exit_code == 0, ran.output
    assert "1 roundtable written" in ran.output
    assert all(f"The record of `{run_id}` is damaged" in ran.output for run_id in lost)
