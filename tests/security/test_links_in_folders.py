"""No link leads the bot out of the folder it writes to or reads from, however quickly it comes."""

import os
from pathlib import Path

import pytest

from bot.delivery.workshop import built_in_folder
from bot.files.nofollow import LinkError, TooLargeError, read_below, write_below
from bot.models.adapters.acp.guard import Guard
from bot.models.adapters.acp.workspaces import Workspaces

SECRET = "not yours"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that nobody may reach."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "file.txt").write_text(SECRET, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    (made / "sub").mkdir(parents=True)
    (made / "sub" / "file.txt").write_text("ours", encoding="utf-8")
    return made


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture
def swapped(monkeypatch: pytest.MonkeyPatch, folder: Path, outside: Path) -> None:
    """As soon as a path in the folder was looked at, a link stands where it leads through."""
    look = Path.resolve

    def looked_at(path: Path, strict: bool = False) -> Path:
        found = look(path, strict)
        if path.parent == folder / "sub" and not path.parent.is_symlink():
            path.parent.rename(folder / "aside")
            path.parent.symlink_to(outside)
        return found

    monkeypatch.setattr(Path, "resolve", looked_at)


@pytest.mark.usefixtures("swapped")
def test_a_link_put_after_the_look_leads_no_reader_out(folder: Path) -> None:
    guard = Guard(folder, frozenset({"read"}), (), lambda _: None)
    with pytest.raises(FileNotFoundError):
        guard.read(str(folder / "sub" / "file.txt"), None, None)


@pytest.mark.usefixtures("swapped")
@pytest.mark.parametrize("name", ["file.txt", "new.txt"])
def test_a_link_put_after_the_look_leads_no_writer_out(
    folder: Path, outside: Path, name: str
) -> None:
    guard = Guard(folder, frozenset({"write"}), (), lambda _: None)
    with pytest.raises(LinkError):
        guard.write(str(folder / "sub" / name), "x")
    assert names_in(outside) == ["file.txt"]
    assert (outside / "file.txt").read_text("utf-8") == SECRET


@pytest.mark.parametrize("name", ["all/file.txt", "one.txt", "deep/all/new.txt"])
def test_a_link_anywhere_on_the_way_is_refused(folder: Path, outside: Path, name: str) -> None:
    (folder / "deep").mkdir()
    for place in (folder / "all", folder / "deep" / "all"):
        place.symlink_to(outside)
    (folder / "one.txt").symlink_to(outside / "file.txt")
    with pytest.raises(LinkError):
        write_below(folder, name, b"x")
    with pytest.raises(LinkError):
        read_below(folder, name, 100)
    assert names_in(outside) == ["file.txt"]
    assert (outside / "file.txt").read_text("utf-8") == SECRET


@pytest.mark.parametrize("name", ["../outside/file.txt", "/etc/passwd", "sub/../../x", "", "."])
def test_a_name_that_leads_away_is_refused(folder: Path, outside: Path, name: str) -> None:
    for act in (lambda: read_below(folder, name, 9), lambda: write_below(folder, name, b"x")):
        with pytest.raises(OSError, match="Invalid argument"):
            act()
    assert (outside / "file.txt").read_text("utf-8") == SECRET


def test_a_pipe_keeps_nobody_waiting_and_size_counts(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")
    (folder / "long.txt").write_bytes(b"x" * 101)
    with pytest.raises(OSError, match="Invalid argument"):
        read_below(folder, "pipe.txt", 100)
    with pytest.raises(TooLargeError) as told:
        read_below(folder, "long.txt", 100)
    assert told.value.size == 101
    assert "pipe.txt" in " ".join(built_in_folder(folder, "").refused)


def test_a_file_is_replaced_whole_and_keeps_its_mode(folder: Path) -> None:
    script = folder / "sub" / "file.txt"
    script.chmod(0o755)
    write_below(folder, "sub/file.txt", b"new")
    assert (script.read_bytes(), script.stat().st_mode & 0o777) == (b"new", 0o755)
    assert [path.name for path in script.parent.iterdir()] == ["file.txt"]


async def test_a_workspace_that_became_a_link_is_neither_read_nor_written(
    tmp_path: Path, outside: Path
) -> None:
    """A harness may put a link in the place of its own folder before its next attempt."""
    workspaces = Workspaces(tmp_path)
    mine = workspaces.folder("rt_1")
    mine.parent.mkdir()
    mine.symlink_to(outside)
    assert built_in_folder(mine, "").files == ()
    await workspaces.lay_out("rt_1", {"made.txt": "x"})
    assert names_in(outside) == ["file.txt"]
    assert not mine.is_symlink()
    assert (mine / "made.txt").read_text("utf-8") == "x"
    (mine / "made.txt").unlink()
    mine.rmdir()
    mine.symlink_to(outside)
    await workspaces.discard("rt_1")
    assert names_in(mine.parent) == []
    assert (outside / "file.txt").read_text("utf-8") == SECRET
