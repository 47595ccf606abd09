"""What is installed holds every data file, for the wheel takes only the files it is told of."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOT = ROOT / "bot"


def test_every_data_file_of_the_bot_is_part_of_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["bot"]
    told = {path for pattern in patterns for path in BOT.glob(pattern)}
    files = {path for path in BOT.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {path for path in files if path.suffix != ".py"} == told
