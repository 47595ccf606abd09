"""An external harness builds: in a folder of its own, and elsewhere only after an approval."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.app import App
from bot.playground.model import Channel
from bot.store import ApprovalStatus, ArtifactKind, EventType, Phase, move
from bot.store.log import events
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.reviews import ReviewRepository
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import SeatRepository
from bot.store.vocabulary import Actor
from tests.e2e.playground_harness import EditPanels, PlaygroundHarness
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    ScriptedModels,
    a_spec,
    conclusion,
    scripted_playground,
)
from tests.e2e.talk_steps import until_asked
from tests.e2e.test_approvals import card as approval_card
from tests.e2e.test_approvals import press
from tests.models.adapters.acp.agent_port import AgentHarness, alive, command, journal_of

pytestmark = pytest.mark.heavy

WISH = "roundtable --build --quick a rate limiter{}"
WRITTEN = "LIMIT = 10\n"
CRASHED = (
    "network: The harness exited before its answer was complete. It said: it fell over, "
    "\uff20everyone, @someone, key [key]"
)


def a_harness(home: Path, **settings: Any) -> EditPanels:
    """The Engineer is a harness that may read and write."""

    def edit(panels: dict[str, Any]) -> None:
        started = {"command": list(command(journal_of(home))), "sandbox": False}
        harness = {"kind": "acp", **started, "allow": ["read", "write"]}
        panels["providers"]["harness"] = harness | settings
        routes = [{"provider": "harness", "model": "codex"}]
        unpriced = {"price": None, "allowUnpriced": True}
        panels["models"]["harness"] = panels["models"]["grok"] | {"routes": routes} | unpriced
        agents = panels["panels"]["build"]["agents"]
        next(a for a in agents if a["role"] == "Engineer")["model"] = "harness"

    return edit


def a_project(home: Path) -> Path:
    """A folder where people work."""
    folder = home / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("what we know", encoding="utf-8")
    return folder


def files_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


async def built(table: PlaygroundHarness, more: str = "") -> tuple[Channel, Run]:
    await table.say(WISH.format(more))
    thread = await table.concluded(await table.thread())
    return thread, await run_in(table, thread)


async def run_in(table: PlaygroundHarness, thread: Channel) -> Run:
    found = await table.session.app.run_service.last_in(thread.id)
    assert found
    return found


def moves_of(run_id: str) -> Callable[[Connection], list[str]]:
    return lambda conn: [
        event.payload["to"] for event in events.history(conn, run_id, EventType.TASK_TRANSITIONED)
    ]


async def test_what_a_harness_leaves_in_its_folder_is_what_was_built(tmp_path: Path) -> None:
    """B19 B20 B34 B35 B36 B37 B39: it writes as builder alone, names are checked, nothing stays."""
    journal, cast = AgentHarness.watching(tmp_path), ScriptedModels()
    cast.says["spec"] = a_spec(outputs=("limiter.py", "`made/report.txt`: what was found"))
    async with scripted_playground(tmp_path, cast, edit_panels=a_harness(tmp_path)) as table:
        thread, run = await built(table, " MISCHIEF WRITE TERMINAL")
        held = await table.held(thread)
        stored = await table.stored(lambda conn: ArtifactRepository(conn).of_run(run.id))
        tried = await table.stored(lambda conn: AttemptRepository(conn).of_run(run.id))
        first = await table.stored(lambda conn: ReviewRepository(conn).of_attempt(run.id, 1))
        (sat,) = [
            seat
            for seat in await table.stored(lambda conn: SeatRepository(conn).of_run(run.id))
            if seat.model == "harness"
        ]
        assert not (tmp_path / "workspaces" / run.id).exists()
    assert (run.phase, [one.runtime for one in tried]) == (Phase.COMPLETED, ["acp", "acp"])
    assert [one.status for one in tried] == ["failed", "succeeded"]
    (refused,) = first
    said = [finding.message for finding in refused.findings]
    assert (refused.reviewer, len(said)) == ("file check", 3)
    assert {one.split("`")[1] for one in said} == {"blob.bin", "docs/no name.md", "link.py"}
    files = {a.name: a for a in stored if a.attempt == 2 and a.name.startswith("build/")}
    assert set(files) == {"build/limiter.py", "build/made/report.txt"}
    limiter = files["build/limiter.py"]
    assert limiter.content == WRITTEN + "# mended\n"
    assert (limiter.kind, limiter.produced_by) == (ArtifactKind.PRIMARY_OUTPUT, Actor.EXECUTOR)
    assert (limiter.size, len(limiter.sha256)) == (len(limiter.content), 64)
    _check_rights(journal, run, sat.slug)
    assert f"{sat.role}: wanted to open a terminal, which was denied" in held.card
    assert f"{sat.role}: wanted to write a file, which was denied" in held.card
    assert "built by harness from spec v1" in held.conclusion
    assert held.export["delivery"]["attempts"][1]["runtime"] == "acp"
    assert "rt-build" not in held.export["sessions"]


def _check_rights(journal: AgentHarness, run: Run, seat: str) -> None:
    """Nobody writes before the spec; the builder goes on in its session and in its files."""
    talked, *builds = [note["roundtable"] for note in journal.notes("prompt")]
    own = str(journal.home / "workspaces" / run.id)
    assert (talked["workspace"], talked["capabilities"]) == (own, ["read"])
    assert {note["seat"] for note in builds} == {seat}
    assert {note["label"] for note in (talked, *builds)} == {f"rt-{seat}"}
    assert [note["capabilities"] for note in builds] == [["read", "write"]] * 2
    assert len({note["attempt_id"] for note in builds}) == 2
    denied, *allowed = [note for note in journal.notes("write") if "made" in note["path"]]
    assert "denied" in denied
    assert not any("denied" in note for note in allowed)
    first, second = [note["had"] for note in journal.notes("build")]
    assert "limiter.py" not in first
    assert second["limiter.py"] == WRITTEN
    assert "blob.bin" not in second
    assert {note["session"] for note in journal.notes("load")} == {
        note["session"] for note in journal.notes("new")
    }


async def test_what_a_harness_leaves_beside_the_declared_files_is_refused(tmp_path: Path) -> None:
    """B20: also a file that is well-formed; the folder is checked like an answer."""
    AgentHarness.watching(tmp_path)
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, edit_panels=a_harness(tmp_path)) as table:
        _, run = await built(table, " WRITE")
        (first,) = await table.stored(lambda conn: ReviewRepository(conn).of_attempt(run.id, 1))
        kept = await table.stored(lambda conn: ArtifactRepository(conn).of_run(run.id))
    assert [finding.message for finding in first.findings] == [
        "`made/report.txt` was rejected: the spec does not name it under OUTPUTS"
    ]
    assert not any("report.txt" in artifact.name for artifact in kept)


async def test_the_card_tells_what_the_builder_does_and_stop_ends_it_with_its_folder(
    tmp_path: Path,
) -> None:
    """B37 A35: progress is streamed while it builds; nothing of it is left after Stop."""
    journal, doing = (
        AgentHarness.watching(tmp_path),
        "Engineer is building from spec v1 … (Writing limiter.py)",
    )
    async with scripted_playground(
        tmp_path, ScriptedModels(), edit_panels=a_harness(tmp_path)
    ) as table:
        await table.say(WISH.format(" PAUSE"))
        thread = await table.thread()
        await table.discord.until(
            lambda: any(doing in m.text for m in table.said_in(thread)), timeout=30
        )
        run = await run_in(table, thread)
        assert (tmp_path / "workspaces" / run.id).exists()
        await table.press(table.card(thread), "stop")
        await table.concluded(thread)
        assert (await run_in(table, thread)).phase is Phase.FAILED
        assert not (tmp_path / "workspaces" / run.id).exists()
        assert not any(alive(note["pid"]) for note in journal.notes())


async def test_where_the_harness_fails_another_model_builds_and_nothing_goes_outside(
    tmp_path: Path,
) -> None:
    """B19 B27 B34 B39: the seat's fallback writes its files, and it is said why."""
    project, cast = a_project(tmp_path), ScriptedModels()
    edit = a_harness(tmp_path, workspace=str(project))
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        thread, run = await built(table, " CRASH")
        held = await table.held(thread)
        (minutes,) = table.minutes()
    assert run.phase is Phase.COMPLETED
    assert "built by claude-sonnet from spec v1: `limiter.py`" in held.conclusion
    why = f"Built by another model, because harness failed ({CRASHED})"
    assert why in held.conclusion
    assert why in minutes
    (attempt,) = held.export["delivery"]["attempts"]
    assert attempt["failed_builders"] == [f"harness failed ({CRASHED})"]
    assert files_in(project) == {"notes.txt": "what we know"}
    assert held.export["delivery"]["effects"] == []


async def test_what_stopped_every_builder_is_told_without_secrets_and_pings(
    tmp_path: Path,
) -> None:
    """B25 B39: the harness's own words, too, not only those of the model asked after it."""
    cast = ScriptedModels(says={"build": FAIL})
    async with scripted_playground(tmp_path, cast, edit_panels=a_harness(tmp_path)) as table:
        thread, run = await built(table, " CRASH")
        tried = await table.stored(lambda conn: AttemptRepository(conn).of_run(run.id))
        said = [message.text for message in table.said_in(thread)]
    both = f"harness failed ({CRASHED}); claude-sonnet failed (not authorised: The provider rej"
    told = f"the builder wrote nothing: {both}"
    assert all(told in text for text in said[-3:-1])
    assert all(both in one.error_summary for one in tried[:2])
    for text in (*said, *(one.error_summary for one in tried)):
        assert "sk-secret" not in text
        assert "@everyone" not in text
        assert "<@1" not in text


async def asked_outside(bench: RestartHarness) -> Channel:
    """Ask for a build by the harness and wait until an approver is asked."""
    thread = await bench.asked(WISH.format(""))
    await bench.discord.until(lambda: bench.shown(thread, "🔐 Approval needed"), timeout=30)
    return thread


async def stored_run(app: App, thread: Channel) -> Run:
    found = await app.run_service.last_in(thread.id)
    assert found
    return found


async def test_a_build_waits_for_approval_over_a_restart_and_writes_once(tmp_path: Path) -> None:
    """B15 B20 B23 B24 B30 B31 B32 B33: declared, approved, written once, and then concluded."""
    journal, project, cast = AgentHarness.watching(tmp_path), a_project(tmp_path), ScriptedModels()
    edit = a_harness(tmp_path, workspace=str(project))
    async with restart_harness(tmp_path, cast, edit_panels=edit) as bench:
        async with bench.bot() as app:
            thread = await asked_outside(bench)
            await app.run_service.idle()
            run = await stored_run(app, thread)
            assert run.phase is Phase.AWAITING_APPROVAL
            _check_declared(bench, thread)
            assert files_in(project) == {"notes.txt": "what we know"}
            assert not bench.shown(thread, "🔧 META")
        async with bench.bot() as app:
            assert not bench.shown(thread, "was restarted")
            refusal = await bench.press(thread, "🔐 Approval", "approve", "Ines")
            assert "Only moderators and admins" in refusal.content
            told = await bench.press(thread, "🔐 Approval", "approve", "Mara")
            assert "Approved and done: 1 file in `project`" in told.content
            await app.run_service.idle()
            assert (await stored_run(app, thread)).phase is Phase.COMPLETED
            moved = await app.store.read(moves_of(run.id))
            assert moved[-3:] == ["awaiting_approval", "ready_to_resume", "completed"]
            log = await app.store.read(lambda conn: events.history(conn, run.id))
        assert files_in(project) == {"notes.txt": "what we know", "limiter.py": WRITTEN}
        assert bench.count(thread, "Done after approval: write 1 file to `project`") == 1
        (project / "limiter.py").write_text("ours by now", encoding="utf-8")
        async with bench.bot() as app:
            assert await app.store.read(lambda conn: ApprovalRepository(conn).unfinished()) == ()
        assert (project / "limiter.py").read_text(encoding="utf-8") == "ours by now"
        assert bench.count(thread, "📦 DELIVERY") == 1
    assert len(cast.asked("gate:spec")) == 1
    assert len([event for event in log if event.type is EventType.EFFECT_DONE]) == 1
    evidence = [e.actor for e in log if e.payload.get("checkpoint") == "resume_granted"]
    assert evidence == [Actor.APPROVER]
    read, write = journal.notes("input")
    assert (read["got"], write["denied"]) == ("what we know", "Roundtable does not allow this.")


def _check_declared(bench: RestartHarness, thread: Channel) -> None:
    """What is planned was said before the files were built, and the card has what 3.3 asks for."""
    said = [message.content for message in bench.discord.messages(thread.id)]
    spec = next(n for n, text in enumerate(said) if "📐 Spec v1" in text)
    files = next(n for n, text in enumerate(said) if "📦 1 file of attempt 1" in text)
    assert spec < files
    assert "Planned outside effect" in said[spec]
    shown = next(text for text in said if "🔐 Approval needed" in text)
    action = "write 1 file to `project`, the workspace of `harness`"
    assert f"{action}\n**New files:** `limiter.py`" in shown
    for line in (
        "phase awaiting_approval · attempt 1",
        "Effect:** write_external · key `write:rt_",
    ):
        assert line in shown
    assert "Accepted when:** `limiter.py` defines LIMIT" in shown
    assert "Reviews:** spec 1× approved · quality 1× approved" in shown
    assert "To undo it:** delete the files there" in shown


async def test_a_kill_after_the_effect_costs_neither_the_conclusion_nor_a_second_effect(
    tmp_path: Path,
) -> None:
    """B24 B31 B33: the run goes on behind the effect."""
    project, cast = a_project(tmp_path), ScriptedModels()
    edit = a_harness(tmp_path, workspace=str(project))
    cast.says["synthesis"] = HANG
    async with restart_harness(tmp_path, cast, edit_panels=edit) as bench:
        async with bench.bot():
            thread = await asked_outside(bench)
            await bench.press(thread, "🔐 Approval", "approve", "Mara")
            await until_asked(cast, "synthesis")
        (project / "limiter.py").write_text("ours by now", encoding="utf-8")
        cast.says["synthesis"] = conclusion("A title")
        async with bench.bot() as app:
            await bench.discord.until(lambda: bench.shown(thread, "📦 DELIVERY"))
            await app.run_service.idle()
            assert (await stored_run(app, thread)).phase is Phase.COMPLETED
        assert bench.count(thread, "📦 DELIVERY") == 1
    assert (project / "limiter.py").read_text(encoding="utf-8") == "ours by now"


async def test_what_was_granted_before_a_kill_is_done_at_the_next_start(tmp_path: Path) -> None:
    """B24 B31 B33: the decision is stored, the effect is not yet done."""
    project, cast = a_project(tmp_path), ScriptedModels()
    edit = a_harness(tmp_path, workspace=str(project))
    async with restart_harness(tmp_path, cast, edit_panels=edit) as bench:
        async with bench.bot() as app:
            thread = await asked_outside(bench)
            await app.run_service.idle()
            (waiting,) = await app.store.read(lambda conn: ApprovalRepository(conn).pending())

            def grant(conn: Connection) -> None:
                yes, boss = ApprovalStatus.APPROVED, Actor.ORCHESTRATOR
                ApprovalRepository(conn).resolve(waiting.id, yes, "1", "", Actor.HUMAN, 1.0)
                here, there = Phase.AWAITING_APPROVAL, Phase.READY_TO_RESUME
                move(conn, waiting.run_id, here, there, boss, "approved", 1.0)

            await app.store.write(grant)
        assert not (project / "limiter.py").exists()
        async with bench.bot() as app:
            await bench.discord.until(lambda: bench.shown(thread, "📦 DELIVERY"))
            await app.run_service.idle()
            assert (await stored_run(app, thread)).phase is Phase.COMPLETED
        assert bench.count(thread, "📦 DELIVERY") == 1
    assert (project / "limiter.py").read_text("utf-8") == WRITTEN


async def test_wished_changes_reach_the_builder_and_a_rejection_ends_the_run(
    tmp_path: Path,
) -> None:
    """B16 B23 2.2#31: changes lead to a further attempt; rejected, nothing is ever written.

    A34: what approvers wrote is in the minutes until they are forgotten.
    """
    journal, project, cast = AgentHarness.watching(tmp_path), a_project(tmp_path), ScriptedModels()
    edit = a_harness(tmp_path, workspace=str(project))
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        thread, run = await built(table)
        await decided(table, thread, "changes", "name @everyone who is limited")
        again = await run_in(table, thread)
        assert (again.phase, again.attempt) == (Phase.AWAITING_APPROVAL, 2)
        assert "name @" in journal.notes("prompt")[-1]["text"]
        await decided(table, thread, "reject", "not now")
        over = await run_in(table, thread)
        assert (over.phase, over.attempt) == (Phase.FAILED, 2)
        last = await table.stored(lambda conn: AttemptRepository(conn).last(run.id))
        assert last.status == "failed"
        assert any("an approver rejected it" in m.content for m in table.said_in(thread))
        assert not (tmp_path / "workspaces" / run.id).exists()
        said = await table.write_in(thread, "roundtable retry")
        await table.discord.until(
            lambda: any(m.id > said.id and "continues" in m.text for m in table.said_in(thread))
        )
        await table.concluded(thread)
        assert (await run_in(table, thread)).phase is Phase.AWAITING_APPROVAL
        assert files_in(project) == {"notes.txt": "what we know"}
        told = await (await press(table, thread, "approve", "Mara")).message()
        assert "Approved and done" in told.content
        await table.concluded(thread)
        assert (await run_in(table, thread)).phase is Phase.COMPLETED
        (text,), (export,) = table.minutes(), table.exports()
        for shown in (
            "UTC (asked for changes before approving):\n\n> name ＠everyone who is limited",
            "UTC (why it was not approved):\n\n> not now",
        ):
            assert shown in text
        assert [(r["speaker"], r["form"]) for r in export["floor"]] == [
            ("Person 1", "changes"), ("Person 1", "rejection"),
        ]  # fmt: skip
        await table.session.app.forgetting.forget(Asker(table.discord.person("Mara").id))
        assert table.exports()[0]["floor"] == []
    assert (project / "limiter.py").read_text("utf-8") == WRITTEN + "# mended\n"
    assert len(journal.notes("build")) == 2


async def decided(table: PlaygroundHarness, thread: Channel, decision: str, reason: str) -> None:
    form = await press(table, thread, decision, "Mara")
    await form.answer()
    sent = await table.discord.submit(form, {"reason": reason})
    assert "Saved." in (await sent.message()).content
    await table.concluded(thread)


async def test_a_workspace_that_cannot_be_written_is_said_and_tried_again(tmp_path: Path) -> None:
    """B33: nothing is half done, and a link there leads nowhere."""
    project, cast = a_project(tmp_path), ScriptedModels()
    outside = tmp_path / "outside.py"
    outside.write_text("not yours", encoding="utf-8")
    (project / "limiter.py").symlink_to(outside)
    edit = a_harness(tmp_path, workspace=str(project))
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        thread, _ = await built(table)
        assert "Effect:** destructive_edit" in approval_card(table, thread).content
        told = await (await press(table, thread, "approve", "Mara")).message()
        assert "There is a link in the workspace at the path of `limiter.py`" in told.content
        assert (await run_in(table, thread)).phase is Phase.READY_TO_RESUME
        (project / "limiter.py").unlink()
        told = await (await press(table, thread, "approve", "Mara")).message()
        assert "Approved and done" in told.content
        await table.concluded(thread)
        assert (await run_in(table, thread)).phase is Phase.COMPLETED
    assert outside.read_text(encoding="utf-8") == "not yours"
    assert (project / "limiter.py").read_text("utf-8") == WRITTEN
