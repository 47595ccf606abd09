"""The guard of this suite: what no test opened cannot be looked at, in whatever process."""

import asyncio
import socket
import sys

import pytest

from tests import guard
from tests.guard.sitecustomize import USUAL_PORTS

STRANGERS = [("127.0.0.1", port) for port in (*USUAL_PORTS, 22)] + [("192.0.2.1", 443)]


@pytest.mark.parametrize("place", STRANGERS)
async def test_a_server_that_no_test_opened_is_refused(place: tuple[str, int]) -> None:
    with pytest.raises(AssertionError, match="which no test opened"):
        await asyncio.open_connection(*place)
    with socket.socket() as plain, pytest.raises(AssertionError):
        plain.connect(place)
    assert guard.refused == [f"{place[0]}:{place[1]}"] * 2
    guard.refused.clear()


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
async def test_a_child_is_guarded_on_either_loop(loop: str) -> None:
    code = f"import asyncio, {loop}; {loop}.run(asyncio.open_connection('127.0.0.1', 8402))"
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stderr=asyncio.subprocess.PIPE
    )
    _, said = await child.communicate()
    assert child.returncode == 1
    assert "a test connects to 127.0.0.1:8402" in said.decode()
