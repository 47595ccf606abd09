"""What is taken from the folder of a harness, and what is not."""

from pathlib import Path

from bot.delivery.workshop import built_in_folder
from bot.prompting.build_files import FILE_BYTES

MOST_FILES = 20
MOST_REFUSED = 12
MOST_SEEN = 500

SPEC = "**OUTPUTS:**\n- limiter.py\n- .github/ci.yml"


def test_text_files_are_taken_with_their_paths_and_byproducts_are_not(tmp_path: Path) -> None:
    """B20: hidden files count when the spec names them; an empty one may stand beside others."""
    written = {
        "limiter.py": "LIMIT = 10\n",
        "pkg/__init__.py": "",
        ".github/ci.yml": "on: push\n",
        ".harness/state.json": "{}",
        ".git/hooks/pre-commit": "#!/bin/sh\n",
        "node_modules/left/index.js": "1\n",
        "pkg/__pycache__/limiter.pyc": "1\n",
    }
    # Files of tools do not use up the limit, either.
    written |= {f".git/objects/{number}": "1\n" for number in range(MOST_SEEN)}
    for name, text in written.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    built = built_in_folder(tmp_path, SPEC)
    assert built.refused == ()
    assert {file.name: file.content for file in built.files} == {
        name: written[name] for name in ("limiter.py", "pkg/__init__.py", ".github/ci.yml")
    }


def test_links_binaries_odd_names_and_large_files_are_refused_with_a_reason(tmp_path: Path) -> None:
    """B20: nothing outside the folder is ever read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("ours", encoding="utf-8")
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "all").symlink_to(outside)
    (folder / "one.txt").symlink_to(outside / "secret.txt")
    (folder / "`.bin").write_bytes(b"\xff\xfe")
    (folder / f"{'n' * 200}.bin").write_bytes(b"\xff\xfe")
    (folder / "a name.md").write_text("text", encoding="utf-8")
    (folder / "huge.txt").write_text("x" * (FILE_BYTES + 1), encoding="utf-8")
    built = built_in_folder(folder, SPEC)
    assert built.files == ()
    reasons = {text.split("`")[1]: text for text in built.refused}
    assert set(reasons) == {"all", "one.txt", "'.bin", "n" * 120, "a name.md", "huge.txt"}
    assert "a link or not a regular file" in reasons["all"]
    assert "a link or not a regular file" in reasons["one.txt"]
    assert "not UTF-8 text" in reasons["'.bin"]
    assert "bytes" in reasons["huge.txt"]


def test_a_folder_full_of_files_is_not_read_to_its_end(tmp_path: Path) -> None:
    for number in range(MOST_SEEN + 10):
        (tmp_path / f"{number:05}.txt").write_text("x", encoding="utf-8")
    built = built_in_folder(tmp_path, SPEC)
    assert (len(built.files), len(built.refused)) == (MOST_FILES, MOST_REFUSED)


def test_a_folder_that_is_empty_or_gone_has_nothing(tmp_path: Path) -> None:
    assert built_in_folder(tmp_path / "gone", SPEC).files == ()
    (tmp_path / "empty.txt").touch()
    built = built_in_folder(tmp_path, SPEC)
    assert (built.files, len(built.refused)) == ((), 1)
