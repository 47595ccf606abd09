"""The domain knows nothing of Discord: who may import what is checked on the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.sources import imports_of

ROOT = Path(__file__).resolve().parent.parent
MAY_KNOW_DISCORD = ("stage", "playground", "front", "app.py")
PORT_FILES = {"bot/stage/port.py", "bot/stage/cleaning.py", "bot/stage/splitting.py"}


def imported(path: Path) -> Iterator[str]:
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif node.module:
            yield node.module


def domain_files() -> list[Path]:
    return [
        path
        for path in sorted((ROOT / "bot").rglob("*.py"))
        if path.relative_to(ROOT / "bot").parts[0] not in MAY_KNOW_DISCORD
    ]


def test_the_domain_does_not_import_discord() -> None:
    """A10, design 2."""
    guilty = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in domain_files()
        for name in imported(path)
        if name.split(".")[0] in {"discord", "cogs"}
    ]
    assert guilty == []


def test_the_council_reaches_discord_only_through_the_stage_port() -> None:
    guilty = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / "bot" / "council").rglob("*.py"))
        for name in imported(path)
        if name.startswith(("bot.stage.", "bot.playground"))
        and f"{name.replace('.', '/')}.py" not in PORT_FILES
    ]
    assert guilty == []


def test_the_stage_port_itself_is_free_of_discord() -> None:
    for name in PORT_FILES:
        assert "discord" not in {module.split(".")[0] for module in imported(ROOT / name)}


def test_the_check_can_see_an_offender(tmp_path: Path) -> None:
    offender = tmp_path / "x.py"
    offender.write_text("from discord.ext import commands\n", encoding="utf-8")
    assert list(imported(offender)) == ["discord.ext"]
