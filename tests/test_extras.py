"""The bot starts with its own dependencies alone; extras are imported when they are asked for."""

import subprocess
import sys

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
START = """
import sys

EXTRAS, SLOW = {extras}, {slow}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import bot.app, bot.cli, bot.front.live, bot.front.play, cogs.client

print([name for name in SLOW if name in sys.modules])
import bot.operations.health
"""


def test_a_start_needs_no_extra_and_nothing_slow() -> None:
    code = START.format(extras=EXTRAS, slow=SLOW)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
