"""Whoever approves a build knows every file it writes, and which of them exist already."""

from pathlib import Path

import pytest

from bot.approvals.card import CardFacts, approval_post
from bot.panels import Trigger
from bot.store import DATABASE, SideEffect, Store
from bot.store.repositories.approvals import ApprovalRepository, NewApproval
from bot.store.repositories.artifacts import FILES, REPLACED, file_bytes
from bot.store.vocabulary import Actor
from tests.e2e.scripted_models import ScriptedModels, a_spec, scripted_playground
from tests.e2e.test_approvals import card, press
from tests.e2e.test_build_harness import WRITTEN, a_harness, a_project, built
from tests.store.conftest import start_run

pytestmark = pytest.mark.heavy

MESSAGE_LIMIT = 2000
MOST_FILES = 20
NAME_CHARS = 120


async def test_a_card_of_many_files_fits_and_has_the_rest_attached(tmp_path: Path) -> None:
    """As many as a builder may write, with names as long as they may be; none stays unsaid."""
    names = [f"src/{number:02}/{'x' * (NAME_CHARS - 10)}.py" for number in range(MOST_FILES)]
    store = await Store.open(tmp_path / DATABASE)
    run = await start_run(store)
    asked = await store.write(
        lambda conn: ApprovalRepository(conn).request(
            wanted(run.id, names, names[:3]), Actor.ORCHESTRATOR, store.now()
        )
    )
    post = approval_post(CardFacts(asked, run, (), ()), Trigger())
    (file,) = post.attachments
    content = await store.read(lambda conn: file_bytes(conn, file.artifact_id))
    await store.close()
    assert len(post.text) < MESSAGE_LIMIT
    assert all(f"`{name}`" in post.text for name in names[:3])
    assert "… and 16 more, see the attached list" in post.text
    fates = ["replaces a file"] * 3 + ["new file"] * (MOST_FILES - 3)
    listed = [f"{fate}: {name}" for name, fate in zip(names, fates, strict=True)]
    assert content is not None
    assert content.decode().splitlines() == listed


def wanted(run_id: str, names: list[str], replaced: list[str]) -> NewApproval:
    return NewApproval(
        run_id,
        "write files",
        SideEffect.DESTRUCTIVE_EDIT,
        "key",
        "1",
        details={FILES: names, REPLACED: replaced},
    )


async def test_the_card_names_what_exists_and_nothing_else_is_replaced(tmp_path: Path) -> None:
    """What came into the folder after the approver was asked stays until it is moved away."""
    project = a_project(tmp_path)
    (project / "limiter.py").write_text("old", encoding="utf-8")
    edit = a_harness(tmp_path, workspace=str(project))
    cast = ScriptedModels()
    cast.says["spec"] = a_spec(outputs=("limiter.py", "made/"))
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        thread, _ = await built(table, " WRITE")
        shown = card(table, thread)
        assert "write 2 files, overwriting 1" in shown.content
        assert "**⚠️ Overwrites existing files:** `limiter.py`\n" in shown.content
        assert "**New files:** `made/report.txt`\n" in shown.content
        assert not shown.attachments
        report = project / "made" / "report.txt"
        report.parent.mkdir()
        report.write_text("somebody's work", encoding="utf-8")
        told = await (await press(table, thread, "approve", "Mara")).message()
        assert "`made/report.txt` was added to the workspace after this request" in told.content
        assert report.read_text("utf-8") == "somebody's work"
        assert (project / "limiter.py").read_text("utf-8") == "old"
        report.unlink()
        told = await (await press(table, thread, "approve", "Mara")).message()
        assert "Approved and done: 2 files in `project`" in told.content
        await table.concluded(thread)
    assert (project / "limiter.py").read_text("utf-8") == WRITTEN
