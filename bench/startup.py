"""CPU time to import and build Roundtable, as a ratio to `import discord` alone.

Every process is measured as a whole, from its start to its end, and both kinds run in turns, so
that a busy machine slows both. The smallest of several runs counts. Both are started once before,
so that Python has the bytecode of both, as it has on every start but the first.
"""

import os
import resource
import subprocess
import sys
import tempfile

LIMIT = 3.0
RUNS = 7

DISCORD_ALONE = "import discord"
THE_APP = """
import asyncio, sys
from bot.front import collect_less_often

collect_less_often()
from bot.app import open_app
from bot.settings import load_settings

async def build():
    async with open_app(load_settings(None, {"ROUNDTABLE_HOME": sys.argv[1]})):
        pass

asyncio.run(build())
"""


def cpu_seconds(code: str, home: str) -> float:
    """User and system time of one fresh interpreter that runs the code."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{home}/bytecode"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = _children_seconds()
    subprocess.run([sys.executable, "-c", code, home], check=True, env=environment)
    return _children_seconds() - before


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Measure both in turns and print the ratio."""
    alone, built = [], []
    with tempfile.TemporaryDirectory() as home:
        for _ in range(1 + RUNS):
            alone.append(cpu_seconds(DISCORD_ALONE, home))
            built.append(cpu_seconds(THE_APP, home))
    ratio = min(built) / min(alone)
    print(f"import discord alone:   {min(alone) * 1000:6.0f} ms of CPU")
    print(f"import and build:       {min(built) * 1000:6.0f} ms of CPU")
    print(f"startup: {ratio:.2f} (limit {LIMIT:g})")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
