"""The commands of docs/operations.md see the same folder as the service beside which they run."""

import re
import subprocess
import sys
from pathlib import Path

from tests.support.syntax_trees import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
UNIT = (ROOT / "deploy" / "roundtable.service").read_text(encoding="utf-8")
CALL = re.compile(r"(?:^|[\s/;'])roundtable (?:check|backup|export|settings|approve|mcp)\b")


def calls() -> list[str]:
    """Every line of the page's blocks that calls the program, in order."""
    lines = [line for block in BLOCKS for line in block.splitlines()]
    return [line for line in lines if CALL.search(line) or line.startswith("roundtable()")]


def test_every_command_of_the_page_has_the_home_of_the_service() -> None:
    """Issue 23 point 7: by the function that comes first, or by the container's own setting."""
    (home,) = re.findall(r"^Environment=(ROUNDTABLE_HOME=\S+)$", UNIT, re.MULTILINE)
    first, *others = calls()
    assert first.startswith("roundtable() {")
    assert home in first
    assert len(others) >= 4
    for line in others:
        assert line.startswith(("roundtable ", "docker compose ")), line


def test_the_page_says_where_the_files_of_a_worker_are() -> None:
    """Issue 23 point 7: the folder of the worker's unit; that of the single bot is not there."""
    unit = (ROOT / "deploy" / "roundtable-worker@.service").read_text(encoding="utf-8")
    (home,) = re.findall(r"^Environment=ROUNDTABLE_HOME=(\S+)%i$", unit, re.MULTILINE)
    said, _, _ = PAGE.partition("Without the service")
    assert f"`{home}1`" in said


def called(tmp_path: Path, env: str, command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of the page as its shell would, with these lines in roundtable.env."""
    stubs = tmp_path / "bin"
    stubs.mkdir()
    for name, skipped in {"sudo": 0, "runuser": 3}.items():
        stub = stubs / name
        stub.write_text(f'#!/bin/sh\nshift {skipped}\nexec "$@"\n', encoding="utf-8")
        stub.chmod(0o755)
    program = tmp_path / ".venv" / "bin" / "roundtable"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bot "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    (tmp_path / "roundtable.env").write_text(env, encoding="utf-8")
    function = calls()[0].replace("/etc/", f"{tmp_path}/").replace("/opt/roundtable", str(tmp_path))
    function = function.replace("/var/lib/roundtable", str(tmp_path / "var"))
    return subprocess.run(
        ["sh", "-c", f"{function}\n{command}"],
        env={"PATH": f"{stubs}:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_function_of_the_page_runs_the_program_in_that_folder_with_those_settings(
    tmp_path: Path,
) -> None:
    """Issue 23 point 7: `roundtable settings` of the page reads the database of the service."""
    done = called(tmp_path, "ROUNDTABLE_LOG=ERROR\n", "roundtable settings")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "var" / "roundtable.db").is_file()


def test_an_address_in_single_quotes_reaches_the_commands_of_the_page(tmp_path: Path) -> None:
    """Issue 23 point 7: a shell would cut `&` off, and the command would look into SQLite."""
    assert "`/etc/roundtable.env` in 'single quotes'" in PAGE
    address = "postgresql://bot:a$1@db/roundtable?sslmode=require&application_name=bot"
    done = called(tmp_path, f"ROUNDTABLE_DATABASE_URL='{address}'\n", "roundtable backup")
    assert done.stderr.startswith("The data is in Postgres (ROUNDTABLE_DATABASE_URL)")
