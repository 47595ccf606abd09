"""Folders of runs: made anew for a builder, and removed as soon as nobody works in them."""

from pathlib import Path

from bot.models.adapters.acp import Workspaces


async def test_a_folder_is_removed_when_the_last_of_its_users_has_left(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path)
    await workspaces.lay_out("rt_1", {"a/b.txt": "text"})
    folder = workspaces.folder("rt_1")
    async with workspaces.using("rt_1"):
        async with workspaces.using("rt_1", last=True):
            await workspaces.discard("rt_1")
            assert (folder / "a" / "b.txt").read_text(encoding="utf-8") == "text"
        assert folder.exists()
    assert not folder.exists()
    assert await workspaces.known() == ()


async def test_a_folder_is_laid_out_with_these_files_and_nothing_else(tmp_path: Path) -> None:
    """B20: what an earlier attempt left behind, links included, is gone and followed nowhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("ours", encoding="utf-8")
    workspaces = Workspaces(tmp_path)
    await workspaces.lay_out("rt_1", {"old.txt": "old"})
    (workspaces.folder("rt_1") / "link").symlink_to(outside)
    await workspaces.lay_out("rt_1", {"new.txt": "new"})
    assert [path.name for path in workspaces.folder("rt_1").iterdir()] == ["new.txt"]
    assert (outside / "kept.txt").exists()
    assert await workspaces.known() == ("rt_1",)


def test_no_name_of_a_run_leads_out_of_the_folder(tmp_path: Path) -> None:
    folder = Workspaces(tmp_path).folder("../../etc/passwd")
    assert folder.parent == tmp_path / "workspaces"
