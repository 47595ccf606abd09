"""The bot starts with its own dependencies alone; extras are imported when they are asked for."""

import subprocess
import sys
from pathlib import Path

from tests.sources import ROOT

EXTRAS = (
    "acp",
    "asyncpg",
    "httpx2",
    "mcp",
    "starlette",
    "uvicorn",
    "uvloop",
    "orjson",
    "xllamacpp",
)
SLOW = ("PIL", "genai_prices", "prometheus_client")
START = """
import asyncio, sys

EXTRAS, SLOW = {extras}, {slow}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from bot.app import open_app
from bot.settings import load_settings

async def start():
    async with open_app(load_settings(None, {{"ROUNDTABLE_HOME": sys.argv[1]}})):
        pass

asyncio.run(start())
print([name for name in SLOW if name in sys.modules])
"""


def test_a_start_needs_no_extra_and_nothing_slow(tmp_path: Path) -> None:
    code = START.format(extras=EXTRAS, slow=SLOW)
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
