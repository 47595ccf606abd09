"""People vote beside the models: in private, twice, through restarts, and nobody is named."""

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.errors import UsageError
from bot.playground.model import Channel, Message
from bot.playground.world import PersonPlan
from bot.record.loader import read_record
from bot.store import BallotTime
from bot.store.repositories.ballots import BallotRepository
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import (
    HANG,
    ReceivedPrompt,
    ScriptedModels,
    scripted_playground,
)

TOPIC = "roundtable --quick --vote tea or coffee?"
NOT_KEPT = "Individual votes are not stored."
CROWD = [f"Voter {n}" for n in range(30)]


class Alarm:
    """A sleep that lasts until the test lets it end, however long it was to be."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.rung = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        await self.rung.wait()


def seat_crowd(bench: RestartHarness) -> list[int]:
    world = bench.discord.world
    (guild,) = world.guilds.values()
    return [world.join(guild, PersonPlan(name)).id for name in CROWD]


def ballot(messages: list[Message], beginning: str) -> Message | None:
    return next((m for m in messages if m.content.startswith(beginning)), None)


async def shown(bench: RestartHarness, thread: Channel, beginning: str) -> Message:
    found = await bench.discord.until(lambda: ballot(bench.discord.messages(thread.id), beginning))
    assert found
    return found


async def vote(
    bench: RestartHarness, person: int, post: Message, option: int, sure: str = ""
) -> str:
    """Press an option and perhaps say how sure one is; returns the private answer."""
    pressed = await bench.discord.press(person, post.id, post.custom_ids[option])
    answer = await pressed.message(10)
    assert answer.only_for == person
    if sure:
        chosen = await bench.discord.press(person, answer.id, answer.custom_ids[0], [sure])
        answer = await chosen.message(10)
        assert answer.only_for == person
    return answer.content


async def all_vote(
    bench: RestartHarness,
    crowd: list[int],
    post: Message,
    option: Callable[[int], int],
    sure: str = "",
) -> list[str]:
    """Everybody at once."""
    return await asyncio.gather(
        *(vote(bench, person, post, option(n), sure) for n, person in enumerate(crowd))
    )


async def stored(app: App, read: Any) -> Any:
    return await app.store.read(read)


async def test_thirty_people_vote_at_once_and_change_their_minds_over_a_restart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """E13: two ballots of people beside those of the models, counted by code, nobody named."""
    caplog.set_level(logging.INFO)
    speaking, alarm = asyncio.Event(), Alarm()
    cast = ScriptedModels(ballots={"Strategist": "tea", "Skeptic": "coffee"})

    async def wait_to_speak(asked: ReceivedPrompt) -> str:
        await speaking.wait()
        return cast.written(asked)

    cast.says["r1:Strategist"] = wait_to_speak
    async with restart_harness(tmp_path, cast) as bench:
        crowd = seat_crowd(bench)
        async with bench.bot(alarm.sleep) as app:
            thread = await bench.asked(TOPIC)
            first = await shown(bench, thread, "🗳️ **Vote before the conclusion.**")
            assert bench.discord.messages(thread.id).index(first) == 1, "it opens with the thread"
            said = await all_vote(bench, crowd, first, lambda _: 0, sure="80")
            assert all("You voted for **tea** and are 80 % sure." in text for text in said)
        async with bench.bot(alarm.sleep) as app:
            await all_vote(bench, crowd[:10], first, lambda _: 1)
            run = await app.run_service.last_in(thread.id)
            assert run
            marks = await stored(
                app, lambda c: BallotRepository(c).marks(run.id, BallotTime.BEFORE)
            )
            assert dict(marks.choices) == {"tea": 20, "coffee": 10}
            assert marks.confidences == (80,) * 20, "a changed mind has no old confidence"
            assert await app.store.write(lambda c: BallotRepository(c).forget(crowd[29])) == 1
            speaking.set()
            await app.run_service.idle()
            second = await shown(bench, thread, "🗳️ **Vote again")
            assert alarm.asked[-1] == pytest.approx(3600, abs=60)
            closed = bench.discord.world.message(first.id)
            assert closed.content.startswith("🗳️ The first vote is closed: 29 people voted.")
            assert not closed.custom_ids
            with pytest.raises(UsageError, match="vote in the second ballot"):
                await app.run_service.people.vote(run.id, BallotTime.BEFORE, 0, crowd[0])
            await all_vote(bench, crowd[:21], second, lambda n: 0 if n < 16 else 1, sure="100")
        assert not bench.shown(thread, "People:"), "nothing is told while people may vote"
        async with bench.bot(alarm.sleep) as app:
            await vote(bench, crowd[20], second, 0)
            alarm.rung.set()
            result = await shown(bench, thread, "🗳️ **People:")
            await app.run_service.people.settled()
            assert (
                bench.discord.world.message(second.id).content
                == "🗳️ The second vote is closed: 21 people voted."
            )
            with pytest.raises(UsageError, match="This vote is closed"):
                await app.run_service.people.vote(run.id, BallotTime.AFTER, 0, crowd[0])
            record = await read_record(app.store, run.id)
            assert await app.store.write(lambda c: BallotRepository(c).forget(crowd[0])) == 0, (
                "all erased"
            )
        async with bench.bot(alarm.sleep) as app:
            await app.run_service.resume_all()
            await app.run_service.people.settled()
        assert bench.count(thread, "🗳️ **People:") == 1
    assert result.content.splitlines() == [
        "🗳️ **People: tea wins with 17 votes, 13 ahead.**",
        "- **tea** · people 19 → **17** · models 2 → **2**",
        "- **coffee** · people 10 → **4** · models 1 → **1**",
        f"-# Before: 29 people voted. After the conclusion: 21 people voted. {NOT_KEPT}",
        "-# Of the 21 people who voted both times, 14 changed their vote.",
        "-# Average confidence: 80 % before, 100 % after.",
    ]
    (kept,) = (tmp_path / "memory" / "roundtables").glob("*.json")
    assert json.loads(kept.read_text())["people_votes"] == {
        "before": {"tea": 19, "coffee": 10},
        "after": {"tea": 17, "coffee": 4},
    }
    kept_minutes = kept.with_suffix(".md").read_text()
    assert "| tea | 2 | 19 | 17 |" in kept_minutes
    assert "- Of the 21 people who voted both times, 14 changed their vote." in kept_minutes
    assert {c.option: c.votes for c in record.tallies[-1].counts} == {"tea": 2, "coffee": 1}
    prompts = "".join(asked.text for asked in cast.heard)
    memory = (tmp_path / "memory").rglob("*")
    files = "".join(p.read_bytes().decode(errors="replace") for p in memory if p.is_file())
    for text in (prompts, files, caplog.text, json.dumps(record.notices)):
        assert not any(str(person) in text for person in crowd)
        assert "Voter" not in text


async def test_a_ballot_waits_for_its_options_and_is_for_people_alone(tmp_path: Path) -> None:
    """2.2#6: what the starter agreed to is on the ballot; a stopped vote counts nothing."""
    cast = ScriptedModels(says={"r1:*": HANG})
    async with scripted_playground(tmp_path, cast, sleep=Alarm().sleep) as table:
        await table.say("roundtable --vote the bags of our shop")
        thread = await table.thread()
        card = await table.discord.until(
            lambda: next(
                (m for m in table.said_in(thread) if any("options" in i for i in m.custom_ids)),
                None,
            )
        )
        assert card
        await table.press(card, "options:use")
        post = await table.discord.until(lambda: ballot(table.said_in(thread), "🗳️ **Vote before"))
        assert post
        assert buttons(post) == ["Paper", "Plastic"]
        echo, jonas = table.discord.person("Echo").id, table.discord.person("Jonas").id
        refused = await (await table.discord.press(echo, post.id, post.custom_ids[0])).message()
        assert refused.content == "Only people who can read this thread can vote here."
        await table.reply_to(await table.write_in(thread, "roundtable stop"))
        assert await table.discord.until(
            lambda: ballot(table.said_in(thread), "🗳️ This vote is closed: the roundtable ended")
        )
        (off,) = [m for m in table.said_in(thread) if m.id == post.id]
        assert off.custom_ids == []
        with pytest.raises(UsageError, match="ended without a conclusion"):
            await table.session.app.run_service.people.vote(
                off_run(post), BallotTime.BEFORE, 0, jonas
            )


def off_run(post: Message) -> str:
    """The run that a button of a post was about."""
    return post.custom_ids[0].split(":")[1]


async def test_a_playground_that_was_closed_counts_what_it_left_open(tmp_path: Path) -> None:
    """Its Discord is gone with it, so nobody can be told."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, sleep=Alarm().sleep) as table:
        held = await table.hold(TOPIC)
        assert list(await table.stored(lambda conn: BallotRepository(conn).untold())) == [
            held.record.run_id
        ]
    async with scripted_playground(tmp_path, cast, sleep=Alarm().sleep) as table:
        assert await table.stored(lambda conn: BallotRepository(conn).untold()) == {}


def buttons(post: Message) -> list[str]:
    return [button["label"] for row in post.components for button in row["components"]]
