"""Files and folders of the bot are readable by its own user alone."""

import stat
from pathlib import Path

import pytest

from bot.files.nofollow import LinkError, TooLargeError, read_below, write_below
from bot.files.private import keep_private, make_file, make_folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_made_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    make_folder(folder)
    make_file(folder / "key")
    assert (mode(folder), mode(folder / "key")) == (0o700, 0o600)


def test_what_others_could_read_becomes_private(tmp_path: Path) -> None:
    file = tmp_path / "roundtable.db"
    file.touch(0o644)
    keep_private(file, tmp_path / "never-made")
    assert mode(file) == 0o600


def test_a_file_is_read_and_written_below_its_folder(tmp_path: Path) -> None:
    write_below(tmp_path, "src/limiter.py", b"LIMIT = 3\n")
    assert read_below(tmp_path, "src/limiter.py", 100) == b"LIMIT = 3\n"
    with pytest.raises(TooLargeError):
        read_below(tmp_path, "src/limiter.py", 3)


@pytest.mark.parametrize("name", ["link/inner.txt", "link"])
def test_a_link_is_never_followed(tmp_path: Path, name: str) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "inner.txt").write_text("secret", encoding="utf-8")
    (inside / "link").symlink_to(outside if "/" in name else outside / "inner.txt")
    with pytest.raises(LinkError):
        read_below(inside, name, 100)
    with pytest.raises(LinkError):
        write_below(inside, name, b"changed")
    assert (outside / "inner.txt").read_text(encoding="utf-8") == "secret"
