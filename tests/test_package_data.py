"""What is installed: the wheel's files by name, and no sentence that installs a stranger's package.

`make check` builds the wheel and tries it with tools/try_wheel.py.
"""

import re
import tomllib
from pathlib import Path

import pytest

from bot.files import shipped

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
TEXTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *(ROOT / "bot" / "messages").glob("*.py"),
    *(path for path in (ROOT / "deploy").iterdir() if path.is_file()),
]
INSTALLS = re.compile(r"(?:pip|pipx|uv pip|uv tool) install ([^`\n#]*)|uvx ([^`\n#]*)")


def test_what_the_bot_reads_of_the_top_level_is_packed_under_its_name() -> None:
    packed = WHEEL["force-include"]
    assert packed == {name: f"bot/shipped/{name}" for name in packed}
    for name in ("panels.json", "panels.schema.json", "panels.local.json", "prompts"):
        assert name in packed
    for name in packed:
        assert shipped(name) == ROOT / name
        assert shipped(name).exists()


def test_the_project_has_a_name_of_its_own() -> None:
    """Issue 22: `roundtable` on the package index is not ours."""
    assert PROJECT["project"]["name"] == "roundtable-bot"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_installs_roundtable_from_a_package_index(path: Path) -> None:
    """Issue 22: nobody is told to install a package name that we do not own."""
    text = path.read_text(encoding="utf-8")
    for install in INSTALLS.finditer(text):
        assert "roundtable" not in re.sub(r"\. roundtable|roundtable_bot-\S*", "", install[0]), (
            install[0]
        )
