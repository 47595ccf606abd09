"""Machines whose clocks differ go by the database's."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from tests.support.postgres_server import PostgresServer

ROOT = Path(__file__).resolve().parents[3]
TELL = """
import asyncio, sys, time
from bot.store import Store

async def tell():
    store = await Store.open(sys.argv[1])
    print(time.time(), store.now())
    await store.close()

asyncio.run(tell())
"""


@pytest.mark.parametrize("ahead", [300.0, -300.0])
async def test_a_wrong_clock_is_not_used_for_what_machines_share(
    postgres_server: PostgresServer, ahead: float
) -> None:
    """Issue 25, point 8: clocks five minutes apart; what was typed a moment ago stays recent."""
    name = await postgres_server.create()
    shifted = {
        "PYTHONPATH": f"{ROOT / 'bench' / 'support' / 'shifted_clock'}{os.pathsep}{ROOT}",
        "BENCH_CLOCK_AHEAD": str(ahead),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", TELL, postgres_server.url(name)),
        env=os.environ | shifted,
        stdout=asyncio.subprocess.PIPE,
    )
    printed = (await asyncio.wait_for(process.communicate(), 60))[0]
    wrong, shared = map(float, printed.split())
    await postgres_server.drop(name)
    assert abs(wrong - time.time() - ahead) < 60
    assert abs(shared - time.time()) < 60
