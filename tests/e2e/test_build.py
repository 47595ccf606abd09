"""A build from the wish to the files: spec first, two gates, rework, an open circuit, a restart."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.front.terminal import run_terminal
from bot.playground.model import Channel, Message
from bot.reports.build import build_history
from bot.store import (
    ArtifactKind,
    EventType,
    ForbiddenTransitionError,
    NotPermittedError,
    Phase,
    ReviewType,
    Verdict,
    move,
)
from bot.store.log import events
from bot.store.repositories.artifacts import ArtifactRepository, bundle_id, file_bytes
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.reviews import NewReview, ReviewRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecRepository
from bot.store.vocabulary import Actor
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import (
    FAIL,
    ReceivedPrompt,
    ScriptedModels,
    a_review,
    a_spec,
    scripted_playground,
    some_files,
)
from tests.e2e.test_forgetting import stored

pytestmark = pytest.mark.heavy

WISH = "roundtable --build a rate limiter"
FINE = a_review("APPROVED", met="123")
EDITED = {
    "goal": "**GOAL:** A limiter with tests.\n**RISKS:**\n- clocks",
    "scope": "**SCOPE IN:**\n- one\n**SCOPE OUT:**\n- two",
    "files": "**INPUTS:**\n- none\n**OUTPUTS:**\n- limiter.py",
    "criteria": "**ACCEPTANCE CRITERIA:**\n1. It keeps 10 names.\n2. It returns 429.\n"
    "3. It writes one file.",
}


async def run_of(table: PlaygroundHarness, thread: Channel) -> Run:
    found = await table.session.app.run_service.last_in(thread.id)
    assert found
    return found


async def asked_for(table: PlaygroundHarness, text: str = WISH) -> Channel:
    """Ask for a build and wait until it ends or rests."""
    await table.say(text)
    return await table.concluded(await table.thread())


def posts(table: PlaygroundHarness, thread: Channel, words: str) -> list[Message]:
    return [message for message in table.said_in(thread) if words in message.content]


async def moves(table: PlaygroundHarness, run: Run) -> list[str]:
    log = await table.stored(lambda conn: events.history(conn, run.id, EventType.TASK_TRANSITIONED))
    assert {event.actor for event in log} == {Actor.ORCHESTRATOR}
    return [event.payload["to"] for event in log]


def in_turn(*answers: str) -> Callable[[ReceivedPrompt], str]:
    """One answer after the other, the last one for ever."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


async def test_a_build_waits_for_its_spec_and_passes_at_once(tmp_path: Path) -> None:
    """B10 B11 B15 B17 B19 B21 B22 B38 B39 B41 B42 B48: nothing is built before the acceptance."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table)
        run = await run_of(table, thread)
        assert (run.phase, run.attempt) == (Phase.SPEC_REVIEW, 0)
        assert cast.asked("build") == []
        (spec,) = posts(table, thread, "### 📐 Spec v1")
        assert "A refusal names the seconds to wait." in spec.content
        assert "Only the person who asked" in (await table.press(spec, "accept", "Ines")).content
        assert "The build starts" in (await table.press(spec, "accept")).content
        await table.concluded(thread)
        assert posts(table, thread, "### 📐 Spec v1")[0].custom_ids == []
        held = await table.held(thread)
        assert await moves(table, run) == [
            "spec_review",
            "execution_ready",
            "executing",
            "spec_gate",
            "quality_gate",
            "completed",
        ]
        (files,) = posts(table, thread, "### 📦 1 file of attempt 1")
        assert [file["filename"] for file in files.attachments] == ["limiter.py"]
        stored = await table.stored(lambda conn: ArtifactRepository(conn).of_run(run.id))
        (built,) = [a for a in stored if a.name == "build/limiter.py"]
        assert (built.kind, built.produced_by, built.size, built.attempt) == (
            ArtifactKind.PRIMARY_OUTPUT,
            Actor.EXECUTOR,
            11,
            1,
        )
        found = await table.stored(lambda conn: ReviewRepository(conn).of_attempt(run.id, 1))
    models = {label: cast.asked(label)[0].model for label in ("build", "gate:spec", "gate:quality")}
    assert len(set(models.values())) == 3
    assert {r.review_type for r in found} == {ReviewType.SPEC, ReviewType.QUALITY}
    assert f"checked by the spec review of Critic ({models['gate:spec']})" in held.conclusion
    assert "✅ 3. A refusal names the seconds to wait. → limiter.py, LIMIT" in held.conclusion


async def test_findings_lead_to_further_attempts_until_both_gates_are_passed(
    tmp_path: Path,
) -> None:
    """B16 B19 B21 B22 B41 B42 B45 B46: the spec gate fails once, the quality gate once."""
    cast = ScriptedModels()
    two = some_files({"limiter.py": "LIMIT = 10\n", "docs/use.md": "Use it.\n"})
    cast.says["spec"] = a_spec(outputs=("limiter.py", "docs/use.md"))
    cast.says["build"] = two
    cast.says["gate:spec"] = in_turn(
        a_review("APPROVED", met="13", unmet="2", finding="count the requests"), FINE
    )
    cast.says["gate:quality"] = in_turn(
        a_review("CHANGES_REQUESTED", finding="name the clock"), a_review("APPROVED")
    )
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        run = await run_of(table, thread)
        assert (run.phase, run.attempt) == (Phase.COMPLETED, 3)
        assert posts(table, thread, "Accepted automatically, because `--quick`")
        (files,) = posts(table, thread, "### 📦 2 files of attempt 3")
        (bundle,) = files.attachments
        assert bundle["filename"] == "build-3.zip"
        data = await table.stored(lambda conn: file_bytes(conn, bundle_id(run.id, 3)))
        assert bundle["size"] == len(data)
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            assert zipped.namelist() == ["docs/use.md", "limiter.py"]
        tried = await table.stored(lambda conn: AttemptRepository(conn).of_run(run.id))
    assert [attempt.status for attempt in tried] == ["failed", "failed", "succeeded"]
    first, second, third = cast.asked("build")
    assert "FINDINGS" not in first.values
    assert "count the requests" in second.values["FINDINGS"]
    assert "criterion 2 is not met" in second.values["FINDINGS"]
    assert "LIMIT = 10" in second.values["FILES"]
    assert "name the clock" in third.values["FINDINGS"]
    assert "count the requests" not in third.values["FINDINGS"]
    assert len(cast.asked("gate:quality")) == 2


async def test_files_that_are_refused_never_reach_a_reviewer_and_the_circuit_opens(
    tmp_path: Path,
) -> None:
    """B16 B20 B21 B25 B28: repeated mismatch stops the attempts, and people see the ways out."""
    cast = ScriptedModels()
    good = some_files({"limiter.py": "LIMIT = 10\n"})
    outside = some_files({"../limiter.py": "LIMIT = 10\n"})
    cast.says["build"] = in_turn(outside, good)
    cast.says["gate:quality"] = a_review("CHANGES_REQUESTED", finding="nobody can keep this")
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        run = await run_of(table, thread)
        assert (run.phase, run.attempt) == (Phase.CIRCUIT_OPEN, 3)
        (circuit,) = posts(table, thread, "No more automatic retries")
        assert "nobody can keep this" in circuit.content
        last_good = (
            "attached files of attempt 3, which passed the spec gate but not the quality gate"
        )
        assert f"The {last_good}: `limiter.py`" in circuit.content
        assert "limiter.py" in [file["filename"] for file in circuit.attachments]
        assert any(name.endswith(":retry") for name in circuit.custom_ids)
        first = await table.stored(lambda conn: ReviewRepository(conn).of_attempt(run.id, 1))
        names = {
            a.name for a in await table.stored(lambda conn: ArtifactRepository(conn).of_run(run.id))
        }
        cast.says["gate:quality"] = a_review("APPROVED")
        assert "continues" in (await table.press(circuit, "retry")).content
        await table.concluded(thread)
        assert (await run_of(table, thread)).phase is Phase.COMPLETED
    assert [(r.reviewer, r.verdict) for r in first] == [("file check", Verdict.CHANGES_REQUESTED)]
    assert not any(".." in name for name in names)
    assert "not a plain relative path" in cast.asked("build")[1].values["FINDINGS"]
    assert len(cast.asked("gate:spec")) == 3


@pytest.mark.parametrize("masked", [False, True])
async def test_a_builder_that_writes_nothing_is_quoted(tmp_path: Path, *, masked: bool) -> None:
    """B25 B39: why reaches people and the next prompt as one clean line; a mask hides names in it.

    Without a file, the first words of the answer are all that explains the attempt.
    """
    cast = ScriptedModels()
    why, more = "I could not write\n@everyone: my sandbox is read-only.", "So sad. " * 60
    cast.says["build"] = lambda asked: f"I am {asked.model}. {why} {more}"
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick{' --masked' if masked else ''}")
        run = await run_of(table, thread)
        (circuit,) = posts(table, thread, "No more automatic retries")
        (minutes,), (export,) = table.minutes(), table.exports()
    assert (run.phase, run.attempt) == (Phase.CIRCUIT_OPEN, 3)
    builder = cast.asked("build")[-1].model
    known = "masked" if masked else builder
    told = f"no file was written in the required format; the builder said: “I am {known}. I could"
    (finding,) = export["delivery"]["attempts"][2]["reviews"][0]["findings"]
    for shown in (circuit.content, minutes, finding["message"]):
        assert told in shown
        assert "my sandbox is read-only" in shown
        assert "@everyone" not in shown
        assert (builder in shown) is not masked
    assert 240 < len(finding["message"]) < 330
    assert "my sandbox is read-only" in cast.asked("build")[1].values["FINDINGS"]


async def test_files_that_the_spec_does_not_declare_are_refused(tmp_path: Path) -> None:
    """B20: they are neither kept nor reviewed; the builder is told, and the next attempt passes."""
    cast = ScriptedModels()
    good = {"limiter.py": "LIMIT = 10\n"}
    cast.says["build"] = in_turn(some_files(good | {"deploy.sh": "rm -r x\n"}), some_files(good))
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        run = await run_of(table, thread)
        kept = await table.stored(lambda conn: ArtifactRepository(conn).of_run(run.id))
        (first,) = await table.stored(lambda conn: ReviewRepository(conn).of_attempt(run.id, 1))
    refused = "`deploy.sh` was rejected: the spec does not name it under OUTPUTS"
    assert (run.phase, run.attempt) == (Phase.COMPLETED, 2)
    assert (first.reviewer, [f.message for f in first.findings]) == ("file check", [refused])
    assert not any("deploy" in artifact.name for artifact in kept)
    assert refused in cast.asked("build")[1].values["FINDINGS"]
    assert len(cast.asked("gate:spec")) == 1


async def test_a_weak_spec_stays_a_draft_until_somebody_mends_it(tmp_path: Path) -> None:
    """B12 B17 B18 A34: the check and the reviewer hold it back; wish, edit and acceptance go on.

    The minutes hold the wish, as long as whoever wrote it is not forgotten, and the reviews.
    """
    cast = ScriptedModels()
    cast.says["spec"] = in_turn(a_spec("It is fast"), a_spec("It is good"), a_spec())
    cast.says["spec-review"] = in_turn(
        a_review("CHANGES_REQUESTED", finding="say how fast"), a_review("APPROVED")
    )
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        run = await run_of(table, thread)
        assert run.phase is Phase.SPEC_DRAFT
        (weak,) = posts(table, thread, "### 📐 Spec v2")
        assert "Too weak to build from" in weak.content
        assert [name.rpartition(":")[2] for name in weak.custom_ids] == ["edit", "changes"]
        assert "say how fast" in cast.asked("spec")[1].values["FINDINGS"]
        jonas = table.discord.person("Jonas").id
        form = await table.discord.press(jonas, weak.id, weak.custom_ids[0])
        await form.answer()
        weaker = EDITED | {"criteria": "**ACCEPTANCE CRITERIA:**\n1. no"}
        sent = await table.discord.submit(form, weaker)
        assert "Nothing was changed" in (await sent.message()).content
        mara = table.discord.person("Mara").id
        form = await table.discord.press(mara, weak.id, weak.custom_ids[1])
        await form.answer()
        sent = await table.discord.submit(form, {"wish": "promise ten per minute"})
        assert "being rewritten" in (await sent.message()).content
        await table.concluded(thread)
        assert "promise ten per minute" in cast.asked("spec")[2].values["FINDINGS"]
        assert (await run_of(table, thread)).phase is Phase.COMPLETED
        assert posts(table, thread, "### 📐 Spec v2")[0].custom_ids == []
        (text,), (export,) = table.minutes(), table.exports()
        _, _, said = text.partition("### From the floor, after the rounds\n\n**Person 1**, ")
        assert said[8:].startswith(
            " UTC (asked for changes to the spec):\n\n> promise ten per minute\n"
        )
        assert "changes_requested\nRead it all.\n- major: limiter.py: say how fast\n" in text
        assert text.index("by Reviewer · spec v1: changes") < text.index("### Attempt 1:")
        (told,) = export["floor"]
        assert (told["speaker"], told["text"], told["form"], told["unheard"]) == (
            *("Person 1", "promise ten per minute", "spec", False),
        )
        await table.session.app.forgetting.forget(Asker(mara))
        assert not [row for row in stored(tmp_path) if "promise ten per minute" in row]
        assert "say how fast" in table.minutes()[0]


async def test_an_edited_spec_is_shown_again_and_built_from(tmp_path: Path) -> None:
    """B11 B18: what the starter wrote is what the builder gets."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table)
        (spec,) = posts(table, thread, "### 📐 Spec v1")
        jonas = table.discord.person("Jonas").id
        form = await table.discord.press(jonas, spec.id, spec.custom_ids[1])
        await form.answer()
        sent = await table.discord.submit(form, EDITED)
        assert "Spec v2 is in the thread" in (await sent.message()).content
        await table.concluded(thread)
        assert posts(table, thread, "### 📐 Spec v1")[0].custom_ids == []
        (edited,) = posts(table, thread, "### 📐 Spec v2")
        await table.press(edited, "accept")
        await table.concluded(thread)
        assert "✅ 2. It returns 429." in (await table.held(thread)).conclusion
    assert "A limiter with tests." in cast.asked("build")[0].values["SPEC"]


async def test_a_spec_is_accepted_after_a_restart_and_the_build_goes_on_once(
    tmp_path: Path,
) -> None:
    """B31 B46 B47: what waits for a person outlives the process and is silent about it."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            thread = await bench.asked(WISH)
            await bench.discord.until(lambda: bench.shown(thread, "📐 Spec v1"))
            await app.run_service.idle()
        async with bench.bot() as app:
            assert not bench.shown(thread, "was restarted")
            spec = next(m for m in bench.discord.messages(thread.id) if "📐 Spec" in m.content)
            jonas = bench.discord.person("Jonas").id
            for _ in range(2):
                await (await bench.discord.press(jonas, spec.id, spec.custom_ids[0])).message()
            await app.run_service.idle()
            await bench.discord.until(lambda: bench.shown(thread, "🔧 META"))
        assert bench.count(thread, "📦 DELIVERY") == 1
        assert bench.count(thread, "📐 Spec v1") == 1
    assert len(cast.asked("build")) == 1
    assert len(cast.asked("spec")) == 1


async def test_nobody_but_the_orchestrator_moves_a_build_and_not_without_a_spec(
    tmp_path: Path,
) -> None:
    """B10 B40 B43 B48 B49: the store refuses executors, reviewers, and a build without a spec."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        thread = await asked_for(table)
        run = await run_of(table, thread)
        store = table.session.app.store

        def moved(actor: Actor, to: Phase) -> Callable[[Connection], Run]:
            return lambda conn: move(conn, run.id, Phase.SPEC_REVIEW, to, actor, "mine", 1.0)

        for actor in (Actor.EXECUTOR, Actor.SPEC_REVIEWER, Actor.QUALITY_REVIEWER):
            for phase in (Phase.COMPLETED, Phase.FAILED, Phase.EXECUTION_READY):
                with pytest.raises(NotPermittedError):
                    await store.write(moved(actor, phase))
        with pytest.raises(ForbiddenTransitionError, match="no accepted spec"):
            await store.write(moved(Actor.ORCHESTRATOR, Phase.EXECUTION_READY))
        verdict = NewReview(run.id, 0, ReviewType.SPEC, "Judge", Verdict.APPROVED, "fine", ())
        await store.write(
            lambda conn: ReviewRepository(conn).append(verdict, Actor.SPEC_REVIEWER, 1.0)
        )
        after = await table.stored(lambda conn: RunRepository(conn).require(run.id))
        assert after.phase is Phase.SPEC_REVIEW
        assert not await table.stored(lambda conn: SpecRepository(conn).is_accepted(run.id))


async def retried(table: PlaygroundHarness, thread: Channel) -> Run:
    """Type `roundtable retry` in the thread and wait for what follows."""
    said = await table.write_in(thread, "roundtable retry")
    await table.discord.until(
        lambda: any(m.id > said.id and "continues" in m.text for m in table.said_in(thread))
    )
    await table.concluded(thread)
    return await run_of(table, thread)


async def test_a_draft_that_fails_is_taken_up_as_a_draft_again(tmp_path: Path) -> None:
    """B10 B16 B17: a retry before the spec goes back to it and asks the panel nothing twice."""
    cast = ScriptedModels()
    cast.says["spec"] = FAIL
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        run = await run_of(table, thread)
        assert (run.phase, run.attempt) == (Phase.FAILED, 0)
        assert posts(table, thread, "the spec could not be written")
        del cast.says["spec"]
        again = await retried(table, thread)
        assert (again.phase, again.attempt) == (Phase.COMPLETED, 1)
        assert "spec_draft" in await moves(table, run)
    assert len(cast.asked("r1:*")) == 3


async def test_files_that_nobody_could_review_are_kept_for_the_retry(tmp_path: Path) -> None:
    """B4 B21 B48: silence is no approval, and what was built is not paid again."""
    cast = ScriptedModels()
    cast.says["gate:spec"] = FAIL
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table, f"{WISH} --quick")
        assert (await run_of(table, thread)).phase is Phase.FAILED
        assert cast.asked("gate:quality") == []
        del cast.says["gate:spec"]
        again = await retried(table, thread)
        assert (again.phase, again.attempt) == (Phase.COMPLETED, 2)
        shown = await table.stored(lambda conn: build_history(conn, again.id))
    assert len(cast.asked("build")) == 1
    text = shown[0].content
    assert "## Spec v1 (accepted)" in text
    assert "## Attempt 1: failed: no reviewer gave a readable verdict" in text
    assert "## Attempt 2: succeeded" in text
    assert "### Spec review by Reviewer" in text


async def test_the_rehearsal_delivers_and_the_terminal_accepts_for_its_person(
    tmp_path: Path,
) -> None:
    """B15: without a key and without anybody to press, `play --exit-when-done` ends well."""
    out = io.StringIO()
    async with open_harness(tmp_path) as table:
        console = Console(file=out)
        assert await run_terminal(table.session, [WISH], exit_when_done=True, console=console) == 0
    assert "Mara presses Accept" in out.getvalue()
    assert "📦 DELIVERY" in out.getvalue()
