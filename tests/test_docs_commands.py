"""The commands of docs/operations.md see the same folder as the service beside which they run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import load_settings
from tests.support.syntax_trees import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
CALL = re.compile(r"(?:^|[\s/;'])roundtable (?:check|backup|export|settings|approve|mcp)\b")


def service(name: str, instance: str = "") -> dict[str, list[str]]:
    """What a unit says under each name, in its order."""
    unit = (ROOT / "deploy" / f"{name}.service").read_text(encoding="utf-8")
    said: dict[str, list[str]] = {}
    for line in unit.replace("%i", instance).splitlines():
        if line and not line.startswith(("#", "[")):
            key, _, value = line.partition("=")
            said.setdefault(key, []).append(value)
    return said


def home_of(unit: dict[str, list[str]]) -> str:
    """The folder of a service whose settings file is a filled .env.example, as systemd merges them.

    A file of EnvironmentFile wins over Environment, and its blank lines count.
    """
    variables = dict(one.split("=", 1) for one in unit.get("Environment", []))
    lines = [line for line in EXAMPLE.splitlines() if line and not line.startswith("#")]
    variables |= dict(line.split("=", 1) for line in lines)
    (command,) = unit["ExecStart"]
    for word in command.removeprefix("/usr/bin/env").split():
        name, given, value = word.partition("=")
        if not given:
            break
        variables[name] = value
    return str(load_settings(None, variables).home)


@pytest.mark.parametrize(
    ("name", "instance"),
    [("roundtable", ""), ("roundtable-worker@", "1"), ("roundtable-gateway@", "2")],
)
def test_every_service_keeps_its_files_in_its_own_folder(name: str, instance: str) -> None:
    """Issue 23 point 7: whatever .env.example leaves blank, and where alone it may write."""
    unit = service(name, instance)
    (folder,) = unit["StateDirectory"]
    assert home_of(unit) == f"/var/lib/{folder}"


def calls() -> list[str]:
    """Every line of the page's blocks that calls the program, in order."""
    lines = [line for block in BLOCKS for line in block.splitlines()]
    return [line for line in lines if CALL.search(line) or line.startswith("roundtable()")]


def test_every_command_of_the_page_has_the_home_of_the_service() -> None:
    """Issue 23 point 7: by the function that comes first, or by the container's own setting."""
    first, *others = calls()
    assert first.startswith("roundtable() {")
    assert f"ROUNDTABLE_HOME={home_of(service('roundtable'))};" in first
    assert len(others) >= 4
    for line in others:
        assert line.startswith(("roundtable ", "docker compose ")), line


def test_the_page_says_where_the_files_of_a_worker_are() -> None:
    """Issue 23 point 7: the folder of the worker's unit; that of the single bot is not there."""
    said, _, _ = PAGE.partition("Without the service")
    assert f"`{home_of(service('roundtable-worker@', '1'))}`" in said


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
    done = called(tmp_path, f"{EXAMPLE}ROUNDTABLE_LOG=ERROR\n", "roundtable settings")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "var" / "roundtable.db").is_file()


def test_an_address_in_single_quotes_reaches_the_commands_of_the_page(tmp_path: Path) -> None:
    """Issue 23 point 7: a shell would cut `&` off, and the command would look into SQLite."""
    assert "`/etc/roundtable.env` in 'single quotes'" in PAGE
    address = "postgresql://bot:a$1@db/roundtable?sslmode=require&application_name=bot"
    done = called(tmp_path, f"ROUNDTABLE_DATABASE_URL='{address}'\n", "roundtable backup")
    assert done.stderr.startswith("The data is in Postgres (ROUNDTABLE_DATABASE_URL)")
