"""What people, files and the log are told of a build: trouble, heartbeats, gaps and risk."""

import asyncio
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.errors import AwayError
from bot.meeting.model_calls import ModelCaller
from bot.meeting.questions import CallResult, ModelCall
from bot.models.collect import Live
from bot.store import EventType, Phase
from bot.store.log import events
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.calls import CallRepository
from bot.store.vocabulary import Actor
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import FAIL, ReceivedPrompt, ScriptedModels, scripted_playground
from tests.e2e.test_build import WISH, asked_for, posts, retried, run_of
from tests.support.time_travel import set_clock

pytestmark = pytest.mark.heavy


async def test_what_stopped_the_builder_reaches_people_in_its_own_words(tmp_path: Path) -> None:
    """B25 B39: cleaned, in the thread and in the record of the attempt; no key and no ping."""
    cast = ScriptedModels()
    cast.says["build"] = FAIL
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        run = await run_of(table, thread)
        (attempt, *_) = await table.stored(lambda conn: AttemptRepository(conn).of_run(run.id))
        calls = await table.stored(lambda conn: CallRepository(conn).of_run(run.id))
        told = posts(table, thread, "the builder wrote nothing: ")
    said = next(
        call.error_text for call in calls if call.key.startswith("build") and call.error_kind
    )
    assert said
    assert said in attempt.error_summary
    assert any(said in post.content for post in told)


async def test_what_stopped_a_builder_is_told_of_that_attempt_alone(tmp_path: Path) -> None:
    """B27 B39: an attempt in which no builder failed says nothing of those before it."""
    cast = ScriptedModels(says={"build": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        del cast.says["build"]
        again = await retried(table, thread)
        held = await table.held(thread)
    attempts = held.export["delivery"]["attempts"]
    assert (again.phase, [one["failed_builders"] for one in attempts]) == (
        Phase.COMPLETED,
        [[], []],
    )
    assert "Built by another model" not in held.conclusion


def speak_at_once(monkeypatch: pytest.MonkeyPatch, key: str, words: int) -> None:
    """Let a call begin with so many words, as one that streams does."""
    usual = ModelCaller.ask

    async def ask(caller: ModelCaller, call: ModelCall, parse: Any, *live: Live) -> CallResult:
        for one in live:
            if call.key == key and one.on_words is not None:
                one.on_words(words)
        return await usual(caller, call, parse, *live)

    monkeypatch.setattr(ModelCaller, "ask", ask)


async def test_a_long_build_leaves_a_heartbeat_for_every_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B39: recorded by the executor while the call runs, over an outage, and never after it."""
    speak_at_once(monkeypatch, "build:1", 41)
    cast, done, minutes = ScriptedModels(), asyncio.Event(), itertools.count(1)
    beats_ended, over = asyncio.Event(), list[bool]()
    written = cast.written

    async def builds(asked: ReceivedPrompt) -> str:
        await done.wait()
        return written(asked)

    def reviews(asked: ReceivedPrompt) -> str:
        over.append(beats_ended.is_set())
        return written(asked)

    passed, away = [0.0], list[AwayError]()

    async def sleep(seconds: float) -> None:
        if seconds == 60:
            number = next(minutes)
            if number == 2:
                away.append(AwayError("away"))
            if number > 3:
                done.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    beats_ended.set()
        else:
            await asyncio.sleep(seconds)
        passed[0] += seconds
        await asyncio.sleep(0.01)

    cast.says |= {"build": builds, "gate:spec": reviews}
    async with restart_harness(tmp_path, cast) as bench, bench.bot(sleep) as app:
        begun, write = time.time(), app.store.write

        async def may_fail(work: Callable[[Connection], Any]) -> Any:
            if away:
                raise away.pop()
            return await write(work)

        set_clock(app.store, lambda: begun + passed[0])
        app.store.write = may_fail  # type: ignore[method-assign]
        thread = await bench.asked(f"{WISH} --quick")
        await bench.discord.until(lambda: bench.shown(thread, "📦 1 file of attempt 1"))
        await app.run_service.idle()
        run = await app.run_service.last_in(thread.id)
        assert run
        log = await app.store.read(
            lambda conn: events.history(conn, run.id, EventType.ATTEMPT_CHECKPOINT)
        )
    beats = [event for event in log if event.key.startswith("heartbeat@1:")]
    assert [event.payload["minutes"] for event in beats] == [1, 2, 3]
    assert {event.actor for event in beats} == {Actor.EXECUTOR}
    assert {(e.payload["call"], e.payload["words"]) for e in beats} == {("build:1", 41)}
    assert over == [True]


async def test_a_lost_conclusion_is_said_where_the_panel_should_have_checked_it(
    tmp_path: Path,
) -> None:
    """E116: in META and on the card."""
    cast = ScriptedModels(says={"synthesis": FAIL})
    lost = "The panel checked nothing, although `--validate` was given"
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --validate")
        spec = posts(table, thread, "📐 Spec v1")[0]
        await table.press(spec, "accept")
        await table.concluded(thread)
        held = await table.held(thread)
    assert held.export["ending"] == "concluded"
    assert lost in held.meta
    assert lost in held.card
    (minutes,) = table.minutes()
    for text in (held.meta, minutes):
        assert "Validated: asked for, but there was no conclusion to check" in text
    assert cast.asked("validate:*") == []


async def test_a_lost_conclusion_of_a_build_that_nobody_was_to_check_is_not_called_unchecked(
    tmp_path: Path,
) -> None:
    """E116: without `--validate` nothing is missing."""
    cast = ScriptedModels(says={"synthesis": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.held(await asked_for(table, f"{WISH} --quick"))
    assert held.export["ending"] == "concluded"
    for text in (held.meta, held.card):
        assert "The panel checked nothing" not in text


async def test_the_report_of_a_quality_review_has_its_gaps_and_its_risk(tmp_path: Path) -> None:
    """B42: what no test covers, and what could break, in its file, the minutes and the conclusion.

    The reviewer of the spec answers the criteria instead.
    """
    cast = ScriptedModels()
    cast.says["gate:quality"] = (
        "**VERDICT:** APPROVED\n**SUMMARY:** Read it all.\n"
        "**CONCERNS:**\n- minor | limiter.py | a long name\n- minor | limiter.py | it is alone\n"
        "**TEST GAPS:**\n- a clock that goes back\n- many at once\n**RISK:** Low, one file."
    )
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        run, held = await run_of(table, thread), await table.held(thread)
        stored = await table.stored(lambda conn: ArtifactRepository(conn).of_run(run.id))
        (minutes,) = table.minutes()
    title = "Quality review by Architect (claude-opus): approved"
    assert {a.name: a.content for a in stored if a.name.endswith("-review.md")} == {
        "quality-review.md": (
            f"# {title}\n\nRead it all.\n\n"
            "- minor | limiter.py | a long name\n- minor | limiter.py | it is alone\n\n"
            "- test gap: a clock that goes back\n- test gap: many at once\n\n"
            "Risk: Low, one file.\n"
        ),
        "spec-review.md": (
            "# Spec review by Reviewer (gemini-pro): approved\n\nRead it all.\n\n"
            "1. MET | limiter.py, LIMIT | seen\n2. MET | limiter.py, LIMIT | seen\n"
            "3. MET | limiter.py, LIMIT | seen\n"
        ),
    }
    gaps = "- Not tested: a clock that goes back\n- Not tested: many at once\n"
    assert (
        f"#### {title}\nRead it all.\n"
        f"- minor: limiter.py: a long name\n- minor: limiter.py: it is alone\n{gaps}"
        "Risk: Low, one file.\n\n"
    ) in minutes
    assert (
        "\nQuality review of Architect (claude-opus): Read it all. Risk: Low, one file.\n"
        f"{gaps}- minor: a long name\n- minor: it is alone\n🤝 "
    ) in held.conclusion.replace("\n\n", "\n")
    (review,) = [
        one
        for one in held.export["delivery"]["attempts"][0]["reviews"]
        if (one["type"], one["reviewer"]) == ("quality", "Architect (claude-opus)")
    ]
    assert (review["summary"], review["risk"]) == ("Read it all.", "Low, one file.")
