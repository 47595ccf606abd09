"""The first run of a process pays for no import: what it needs is loaded before anybody asks."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.syntax_trees import ROOT

pytestmark = pytest.mark.heavy

FIRST_RUN = """
import asyncio, sys
from pathlib import Path

from tests.e2e.scripted_models import ScriptedModels, scripted_playground

async def main():
    async with scripted_playground(Path(sys.argv[1]), ScriptedModels()) as table:
        await table.session.app.run_service.warm_up()
        known = set(sys.modules)
        await table.hold("roundtable --debate is it so?")
        new = set(sys.modules) - known
    print(sorted(name for name in new if not name.startswith("encodings.")))

asyncio.run(main())
"""


def test_the_first_run_after_warming_up_imports_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FIRST_RUN, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
