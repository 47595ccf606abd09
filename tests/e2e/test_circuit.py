"""Attempts of a run that fails: automatic ones, a stronger one, and then the open circuit."""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.app import App
from bot.meeting.rounds import TURN_SECONDS
from bot.playground.faults import Fault
from bot.playground.model import Channel, Message
from bot.record.attempts import PAUSES
from bot.stage.port import button_id
from bot.store import AttemptStatus, EventType, Phase
from bot.store.log import events
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.attempts import Attempt, AttemptRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import FAIL, ReceivedPrompt, ScriptedModels, scripted_playground

pytestmark = pytest.mark.heavy

ASKED = "roundtable --debate is it so?"
SILENT = "NO_REPLY"
"""An answer that says nothing: another try may bring one (2.2#50)."""


@dataclass
class Pauses:
    """Time that passes at once, or that stands still for ever; `slept` holds what runs paused."""

    stands: bool = False
    slept: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        if seconds != TURN_SECONDS:
            self.slept.append(seconds)
        if self.stands or seconds == TURN_SECONDS:
            await asyncio.Event().wait()


async def the_run(table: PlaygroundHarness, thread: Channel) -> Run:
    run = await table.session.app.run_service.last_in(thread.id)
    assert run
    return run


async def tried(table: PlaygroundHarness, run: Run) -> tuple[Attempt, ...]:
    found: tuple[Attempt, ...] = await table.stored(
        lambda conn: AttemptRepository(conn).of_run(run.id)
    )
    return found


async def third_has_failed(app: App) -> bool:
    (run,) = await app.store.read(lambda conn: RunListRepository(conn).unfinished())
    rows = await app.store.read(lambda conn: AttemptRepository(conn).of_run(run.id))
    return len(rows) == 3 and rows[-1].status is AttemptStatus.FAILED


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Look again and again, for something that no change of Discord tells."""
    async with asyncio.timeout(10):
        while not await true():  # noqa: ASYNC110 (the store tells nobody of its changes)
            await asyncio.sleep(0.01)


def circuit_posts(table: PlaygroundHarness, thread: Channel) -> list[Message]:
    return [m for m in table.said_in(thread) if m.content.startswith("⛔")]


async def opened(table: PlaygroundHarness) -> Channel:
    """Ask, and wait until nothing more is tried."""
    await table.say(ASKED)
    return await table.concluded(await table.thread())


async def test_three_attempts_and_then_the_circuit_opens(tmp_path: Path) -> None:
    """B25-B29 2.2#21 2.2#30: counted, spaced, told, and then left to people."""
    cast, pauses = ScriptedModels(says={"r1:*": SILENT}), Pauses()
    async with scripted_playground(tmp_path, cast, sleep=pauses) as table:
        thread = await opened(table)
        run = await the_run(table, thread)
        rows = await tried(table, run)
        retries = await table.stored(
            lambda conn: events.history(conn, run.id, EventType.ATTEMPT_RETRY_SCHEDULED)
        )
        (circuit,) = await table.stored(
            lambda conn: events.history(conn, run.id, EventType.CIRCUIT_OPENED)
        )
        card, exports = table.card(thread), table.exports()
    reason = "0 agents responded: no panelist answered (bad output)"
    assert pauses.slept == pytest.approx(PAUSES, abs=1.0)
    assert [row.status for row in rows] == [AttemptStatus.FAILED] * 3
    assert {row.error_summary for row in rows} == {reason}
    assert [(e.key, e.payload["reason"]) for e in retries] == [("1", reason), ("2", reason)]
    assert (run.phase, run.attempt, run.status_reason) == (Phase.CIRCUIT_OPEN, 3, reason)
    assert circuit.payload == {"reason": reason}
    waits = [m.content for m in table.said_in(thread) if m.content.startswith("⏳")]
    assert [text.partition(" starts")[0] for text in waits] == [
        f"⏳ Attempt 1 failed: {reason}. Attempt 2",
        f"⏳ Attempt 2 failed: {reason}. Attempt 3",
    ]
    assert "with the stronger profile" in waits[1]
    assert "with the stronger profile" not in waits[0]
    (post,) = circuit_posts(table, thread)
    for words in (
        f"What failed: {reason}.",
        f"1. failed after … s: {reason}",
        f"3. failed after … s, stronger profile: {reason}",
        "None: no panelist has answered yet.",
        "The models gave no usable answer",
        "Press **Retry**",
    ):
        assert words in re.sub(r"after \d+ s", "after … s", post.content)
    assert post.custom_ids == [button_id(run.id, "retry")]
    assert not post.attachments
    assert "Failed: 0 agents responded" in card.text
    assert exports[0]["ending"] == "failed"


async def test_the_retry_button_is_for_those_who_may_and_counts_as_an_attempt(
    tmp_path: Path,
) -> None:
    """B25 2.2#21: a fourth attempt is a person's; when it fails, the circuit opens again."""
    cast, pauses = ScriptedModels(says={"synthesis": ""}), Pauses()
    async with scripted_playground(tmp_path, cast, sleep=pauses) as table:
        thread = await opened(table)
        run = await the_run(table, thread)
        (post,) = circuit_posts(table, thread)
        assert "The minutes up to round 2 (6 answers), attached as `minutes-" in post.content
        (file,) = post.attachments
        kept = await table.stored(lambda conn: ArtifactRepository(conn).of_run(run.id))
        assert file["filename"] == "minutes-is-it-so.md"
        assert "r2 of judge" in kept[-1].content
        assert "- Ending: Failed: " in kept[-1].content
        jonas, ines = table.discord.person("Jonas"), table.discord.person("Ines")
        button = button_id(run.id, "retry")
        refused = await table.discord.press(ines.id, post.id, button)
        assert "Only the person who started it" in (await refused.message()).content
        pressed = await table.discord.press(jonas.id, post.id, button)
        assert "It continues in" in (await pressed.message()).content
        await table.concluded(thread)
        again = circuit_posts(table, thread)
        assert [len(again), (await the_run(table, thread)).attempt] == [2, 4]
        before = len(cast.heard)
        cast.says.clear()
        pressed = await table.discord.press(jonas.id, again[1].id, button)
        assert "It continues in" in (await pressed.message()).content
        held = await table.held(await table.concluded(thread))
        pressed = await table.discord.press(jonas.id, again[1].id, button)
        assert "failed or stopped" in (await pressed.message()).content
    assert held.export["ending"] == "concluded"
    assert [asked.label for asked in cast.heard[before:]] == ["synthesis"]
    assert len(pauses.slept) == 2, "only the first two failures are retried by themselves"


async def test_a_lost_conclusion_is_had_by_itself_and_nothing_is_paid_again(
    tmp_path: Path,
) -> None:
    """B26 2.2#21: answers and posts of the first attempt stay as they are."""
    cast, pauses = ScriptedModels(), Pauses()

    def second_time(asked: ReceivedPrompt) -> str:
        lost = len(cast.asked("synthesis")) <= 3  # two writers and the orchestrator
        return "" if lost else cast.written(asked)

    cast.says["synthesis"] = second_time
    async with scripted_playground(tmp_path, cast, sleep=pauses) as table:
        held = await table.hold(ASKED)
        run = await the_run(table, held.thread)
        rows = await tried(table, run)
    asked = Counter(a.label for a in cast.heard)
    assert {label: n for label, n in asked.items() if n > 1} == {"synthesis": 4}
    assert [row.status for row in rows] == [AttemptStatus.FAILED, AttemptStatus.SUCCEEDED]
    assert held.export["ending"] == "concluded"
    assert held.voices == ("Planner", "Critic", "Judge") * 2
    assert len(pauses.slept) == 1


async def test_the_third_attempt_is_held_with_the_stronger_profile(tmp_path: Path) -> None:
    """B29 2.2#21: the profile's fallback stands behind every seat, and it is said who spoke."""
    cast, pauses = ScriptedModels(), Pauses()
    cast.says["r1:*"] = lambda a: cast.written(a) if a.model == "claude-opus" else SILENT
    panel = "roundtable --panel codex,gemini --debate is it so?"
    async with scripted_playground(tmp_path, cast, sleep=pauses) as table:
        held = await table.hold(panel)
        run = await the_run(table, held.thread)
    first = [a.model for a in cast.asked("r1:*") if a.role == held.record.seats[0].role]
    assert "claude-opus" not in first[:-1]
    assert first[-1] == "claude-opus"
    assert (run.phase, run.attempt) == (Phase.COMPLETED, 3)
    assert {speech.model for speech in held.record.speeches if speech.round == 1} == {"claude-opus"}


async def test_a_stop_ends_the_wait_and_a_retry_meanwhile_is_not_needed(tmp_path: Path) -> None:
    """B29 2.2#29: the card says when it goes on, and the person decides otherwise."""
    cast, pauses = ScriptedModels(says={"r1:*": SILENT}), Pauses(stands=True)
    async with scripted_playground(tmp_path, cast, sleep=pauses) as table:
        await table.say(ASKED)
        thread = await table.thread()
        waits = "next attempt at <t:"
        await table.discord.until(lambda: any(waits in m.text for m in table.said_in(thread)))
        run = await the_run(table, thread)
        assert (run.phase, run.finished_at) == (Phase.EXECUTING, None)
        assert "next attempt at" in run.status_reason
        said = await table.write_in(thread, "roundtable retry")
        assert "retried automatically" in (await table.reply_to(said)).content
        jonas = table.discord.person("Jonas")
        pressed = await table.discord.press(
            jonas.id, table.card(thread).id, button_id(run.id, "stop")
        )
        assert "Stopped" in (await pressed.message()).content
        await table.concluded(thread)
        run = await the_run(table, thread)
    assert (run.phase, run.status_reason) == (Phase.FAILED, "stopped by a person")
    assert table.exports()[0]["ending"] == "stopped"
    assert len(cast.asked("r1:Judge")) == 2, "the model and its fallback, once"


async def test_what_cannot_pass_is_not_tried_again_by_itself(tmp_path: Path) -> None:
    """2.2#21: a refused key fails at once; a person's retries count until the circuit opens."""
    cast, pauses = ScriptedModels(says={"r1:*": FAIL}), Pauses()
    async with scripted_playground(tmp_path, cast, sleep=pauses) as table:
        thread = await opened(table)
        phases = [(await the_run(table, thread)).phase]
        for _ in range(2):
            await table.reply_to(await table.write_in(thread, "roundtable retry"))
            await table.concluded(thread)
            phases.append((await the_run(table, thread)).phase)
        (post,) = circuit_posts(table, thread)
    assert phases == [Phase.FAILED, Phase.FAILED, Phase.CIRCUIT_OPEN]
    assert pauses.slept == []
    assert "an admin can run `roundtable check`" in post.content


async def test_a_restart_while_it_waits_keeps_the_moment_of_the_next_attempt(
    tmp_path: Path,
) -> None:
    """B26 B28 B46 B50 2.2#21: counter, reason and due time are read from the store alone."""
    cast, still = ScriptedModels(says={"r1:*": SILENT}), Pauses(stands=True)
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot(still) as app:
            thread = await bench.asked(ASKED)
            await bench.discord.until(lambda: bench.shown(thread, "next attempt at <t:"))
            run = await app.run_service.last_in(thread.id)
            assert run
        paid = len(cast.heard)
        cast.says.clear()
        soon = Pauses()
        async with bench.bot(soon) as app:
            await bench.discord.until(lambda: bench.shown(thread, "🔧 META"))
            await app.run_service.idle()
            rows = await app.store.read(lambda conn: AttemptRepository(conn).of_run(run.id))
    (left,) = soon.slept
    assert 0 < left <= PAUSES[0]
    assert [row.status for row in rows] == [AttemptStatus.FAILED, AttemptStatus.SUCCEEDED]
    assert not any(asked.label.startswith("meta") for asked in cast.heard[paid:])
    assert bench.count(thread, "⏳ Attempt 1 failed") == 1
    assert bench.count(thread, "The bot was restarted while this roundtable was waiting") == 1


async def test_killed_before_the_circuit_was_told_it_is_told_once(tmp_path: Path) -> None:
    """B25 B50: the third failure is recorded, the post is not out; the next start posts it."""
    cast, pauses = ScriptedModels(says={"r1:*": SILENT}), Pauses()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot(pauses) as app:
            thread = await bench.asked(ASKED)
            await bench.discord.until(lambda: bench.shown(thread, "Attempt 2 failed"))
            down = Fault("status", "POST", "channels/*/messages", status=503, times=-1)
            bench.discord.faults.add(down)
            await until(lambda: third_has_failed(app))
        bench.discord.faults.clear()
        assert bench.count(thread, "⛔") == 0
        async with bench.bot(pauses) as app:
            await bench.discord.until(lambda: bench.shown(thread, "⛔"))
            await app.run_service.idle()
            after = await app.run_service.last_in(thread.id)
    assert after
    assert (after.phase, after.attempt) == (Phase.CIRCUIT_OPEN, 3)
    assert bench.count(thread, "⛔") == 1
    assert len(cast.asked("r1:Judge")) == 6, "nothing was asked again after the restart"
