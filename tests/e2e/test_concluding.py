"""Ending the rounds now, and closing a vote before its time."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.playground.model import Message
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import HANG, ReceivedPrompt, ScriptedModels, scripted_playground
from tests.e2e.test_ballots import Alarm

pytestmark = pytest.mark.heavy

ASKED = "roundtable --debate is it so?"
EARLY = "The conclusion was asked for, so it rests on what was said until then."


def conclude_button(message: Message) -> str | None:
    return next((name for name in message.custom_ids if name.endswith(":conclude")), None)


async def spoken(table: PlaygroundHarness, words: str) -> Message:
    """The card, once it offers to conclude and somebody said this."""
    thread = await table.thread()

    def found() -> Message | None:
        said = any(words in message.content for message in table.said_in(thread))
        cards = [m for m in table.said_in(thread) if conclude_button(m)]
        return cards[-1] if said and cards else None

    card = await table.discord.until(found)
    assert card
    return card


@pytest.mark.parametrize(
    ("held_up", "words", "rounds"),
    [("r1:Judge", "critic thesis", 1), ("r2:Judge", "critic thesis", 2)],
)
async def test_the_button_ends_the_rounds_with_the_answers_that_came(
    tmp_path: Path, held_up: str, words: str, rounds: int
) -> None:
    """Those that answered count; the others are not waited for, and no further round is held."""
    stances = {"Planner": "AGREE", "Critic": "DISAGREE", "Judge": "NEUTRAL"}
    silent = Silent()
    cast = ScriptedModels(says={held_up: silent}, stances=stances)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await silent.asked.wait()
        await table.discord.until(lambda: len(spoke_in(table, "Critic")) == rounds)
        card = await spoken(table, words)
        refused = await table.press(card, "conclude", "Ines")
        assert "Only the person who started it or a moderator can conclude" in refused.content
        told = await table.press(card, "conclude")
        assert told.content.startswith("The rounds end now")
        held = await table.held(await table.concluded(thread))
    assert held.export["ending"] == "concluded"
    assert held.record.rounds_held == rounds
    assert held.record.rounds_ended == EARLY
    assert EARLY in held.card
    assert conclude_button(table.card(thread)) is None
    assert len(cast.asked(held_up)) == 1
    assert cast.asked("r2:Planner") == [] or rounds == 2
    assert len(cast.asked("synthesis")) == 1


class Silent:
    """A seat that is asked and never answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def __call__(self, _: ReceivedPrompt) -> str:
        self.asked.set()
        await asyncio.Event().wait()
        return ""


def spoke_in(table: PlaygroundHarness, role: str) -> list[Message]:
    threads = table.discord.threads()
    said = [m for thread in threads for m in table.said_in(thread)]
    return [m for m in said if m.webhook_id and m.author.name.startswith(role)]


async def test_words_in_the_thread_conclude_too_but_not_before_anybody_spoke(
    tmp_path: Path,
) -> None:
    silent = Silent()
    cast = ScriptedModels(says={"r1:*": silent})
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await silent.asked.wait()
        early = await table.reply_to(await table.write_in(thread, "roundtable conclude"))
        assert early.content.startswith("Nobody has answered yet")
        stranger = await table.reply_to(
            await table.write_in(thread, "roundtable conclude", person="Ines")
        )
        assert "Only the person who started it" in stranger.content
        await table.reply_to(await table.write_in(thread, "roundtable stop"))
        over = await table.reply_to(await table.write_in(thread, "roundtable conclude"))
    assert over.content == "This roundtable has already ended."


async def until(bench: RestartHarness, ready: Callable[[], bool]) -> None:
    await bench.discord.until(ready)


async def test_a_restart_neither_forgets_the_wish_nor_asks_the_others_again(
    tmp_path: Path,
) -> None:
    """A5: killed while it is written, the conclusion still follows a round that was collected."""
    writing = Silent()
    cast = ScriptedModels(says={"r1:Judge": HANG, "synthesis": writing})
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot():
            thread = await bench.asked(ASKED)
            await until(bench, lambda: bench.shown(thread, "critic thesis"))
            await until(bench, lambda: bench.shown(thread, "planner thesis"))
            said = await bench.write_in(thread, "roundtable conclude")
            await until(bench, lambda: bench.shown(thread, "The rounds end now"))
            await writing.asked.wait()
            assert said
        del cast.says["synthesis"]
        async with bench.bot() as app:
            await until(bench, lambda: bench.shown(thread, "A title"))
            await app.run_service.idle()
    assert len(cast.asked("r1:Judge")) == 1
    assert cast.asked("r2:Planner") == []


async def test_a_run_that_a_restart_resumed_can_be_concluded(tmp_path: Path) -> None:
    silent = Silent()
    cast = ScriptedModels(says={"r1:Judge": silent})
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot():
            thread = await bench.asked(ASKED)
            await until(bench, lambda: bench.shown(thread, "critic thesis"))
            await until(bench, lambda: bench.shown(thread, "planner thesis"))
        silent.asked.clear()
        async with bench.bot() as app:
            await silent.asked.wait()
            await bench.write_in(thread, "roundtable conclude")
            await until(bench, lambda: bench.shown(thread, "The rounds end now"))
            await app.run_service.idle()
        assert bench.shown(thread, "A title")
    assert len(cast.asked("r1:Planner")) == 1
    assert cast.asked("r2:Planner") == []


async def test_whoever_is_not_waited_for_still_votes_as_before(tmp_path: Path) -> None:
    """E13: one ballot of the second round does not outvote two of the first."""
    ballots = {"r1:Planner": "tea", "r2:Planner": "coffee", "Critic": "tea", "Judge": "tea"}
    cast = ScriptedModels(says={"r2:Judge": HANG, "r2:Critic": HANG}, ballots=ballots)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --rounds 2 --vote tea or coffee?")
        thread = await table.thread()
        await table.discord.until(lambda: len(spoke_in(table, "Planner")) == 2)
        await table.reply_to(await table.write_in(thread, "roundtable conclude"))
        held = await table.held(await table.concluded(thread))
    assert "tea wins with 2 votes, 1 ahead." in held.conclusion


async def test_the_starter_closes_the_vote_of_people_early(tmp_path: Path) -> None:
    """The result is told at once; others may not, and a closed vote stays closed."""
    alarm = Alarm()
    async with scripted_playground(tmp_path, ScriptedModels(), sleep=alarm.sleep) as table:
        held = await table.hold("roundtable --quick --vote tea or coffee?")
        post = next(m for m in table.said_in(held.thread) if "Vote again" in m.content)
        await table.press(post, "vote:after:0", "Ines")
        refused = await table.press(post, "close", "Ines")
        assert "Only the person who started it" in refused.content
        assert (await table.press(post, "close")).content.startswith("The vote is closed")
        result = await table.discord.until(
            lambda: next((m for m in table.said_in(held.thread) if "People:" in m.content), None)
        )
        assert result
        assert "tea wins with the only vote" in result.content
        await table.session.app.run_service.people.settled()
        again = await table.reply_to(await table.write_in(held.thread, "roundtable conclude"))
    assert again.content == "This roundtable has already ended."


async def test_a_vote_closed_just_before_a_kill_is_told_at_the_next_start(tmp_path: Path) -> None:
    alarm = Alarm()
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        async with bench.bot(alarm.sleep) as app:
            thread = await bench.asked("roundtable --quick --vote tea or coffee?")
            await app.run_service.idle()
            run = await app.run_service.last_in(thread.id)
            assert run
            # As far as a kill lets it come: counted in the store, and nobody told.
            people = app.run_service.people
            people.watch = _nothing  # type: ignore[method-assign]
            assert await people.close_now(run)
        assert not bench.shown(thread, "People:")
        async with bench.bot(alarm.sleep) as app:
            await until(bench, lambda: bench.shown(thread, "People:"))
            await app.run_service.people.settled()


async def _nothing(run_id: str | None = None, server: int | None = None) -> None:
    del run_id, server


async def test_a_quiet_server_that_is_let_go_says_when_it_must_be_taken_again(
    tmp_path: Path,
) -> None:
    """Issue 25: of several workers, the one that holds the server then closes the ballot, once."""
    alarm = Alarm()
    async with (
        restart_harness(tmp_path, ScriptedModels()) as bench,
        bench.bot(alarm.sleep) as app,
    ):
        thread = await bench.asked("roundtable --quick --vote tea or coffee?")
        runs, server = app.run_service, thread.guild_id or 0
        assert runs.is_busy(server)
        await runs.idle()
        await app.talk.idle()
        assert not runs.is_busy(server)
        due = await runs.next_due(server)
        assert due == pytest.approx(app.store.now() + 3600, abs=60)
        assert await runs.next_due(server + 1) is None
        await runs.let_go(server)
        alarm.rung.set()
        await runs.people.settled()
        assert not bench.shown(thread, "People:"), "that is for the next holder"
        await runs.resume_all(server + 1)
        await runs.people.settled()
        assert not bench.shown(thread, "People:"), "nor for one of another server"
        await runs.resume_all(server)
        await until(bench, lambda: bench.shown(thread, "People:"))
