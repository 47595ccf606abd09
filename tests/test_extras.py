"""The bot starts with its own dependencies alone; extras are imported when they are asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.panels.panels_data import ALONE
from tests.support.syntax_trees import ROOT

EXTRAS = (
    "acp",
    "asyncpg",
    "httpx2",
    "mcp",
    "procrastinate",
    "psycopg",
    "starlette",
    "uvicorn",
    "uvloop",
    "orjson",
    "xllamacpp",
)
SLOW = ("PIL", "genai_prices", "prometheus_client")
WITHOUT = f"""
import sys

EXTRAS, SLOW = {EXTRAS}, {SLOW}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
START = """
import bot.app, bot.cli, bot.front.live, bot.front.play, cogs.client

print([name for name in SLOW if name in sys.modules])
import bot.operations.health
"""


def test_a_start_needs_no_extra_and_nothing_slow() -> None:
    command = [sys.executable, "-c", WITHOUT + START]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("role", ["gateway", "worker", "fleet"])
@pytest.mark.parametrize("url", ["", "postgresql://postgres@127.0.0.1:1/roundtable"])
def test_a_role_without_its_extra_says_what_to_install(tmp_path: Path, role: str, url: str) -> None:
    """Issue 23 point 7: one sentence; without a Postgres the extra is not what is missing."""
    code = f"{WITHOUT}sys.argv[1:] = [{role!r}]\nfrom bot.cli import main\nmain()"
    home = {"ROUNDTABLE_HOME": str(tmp_path), "DISCORD_TOKEN": "a.b.c"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | ALONE | home | {"ROUNDTABLE_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    needed = "ROUNDTABLE_DATABASE_URL needs the extra postgres: "
    assert done.returncode == 1
    assert done.stderr.startswith(needed if url else "Several processes share Postgres: set ")
    assert len(done.stderr.splitlines()) == 1
