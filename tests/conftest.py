"""Settings of the whole suite."""

import os
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import guard

if TYPE_CHECKING:
    import httpx

    from tests.support.postgres_server import PostgresServer

# The same examples in every run, so that a red run is somebody's change and not bad luck;
# `HYPOTHESIS_PROFILE=explore` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

guard.stand_guard()
# Children that get our path or our environment are guarded, too.
_GUARD = str(Path(guard.__file__).parent)
sys.path.insert(0, _GUARD)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_GUARD, os.environ.get("PYTHONPATH")]))

# A shell that runs the suite in the background has it, and with it all children, ignore Ctrl+C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Fail a test that looks at a server it did not start, whatever became of the refusal."""
    yield
    refused, guard.refused[:] = list(guard.refused), []
    assert not refused, f"looked at what no test opened: {refused}"


@pytest.fixture(scope="session")
def tls() -> ssl.SSLContext:
    """What encrypts; made once, for it takes longer than most tests."""
    return ssl.create_default_context()


@pytest.fixture
async def client(tls: ssl.SSLContext) -> "AsyncIterator[httpx.AsyncClient]":
    """The client of adapters."""
    from bot.http.client import make_client  # noqa: PLC0415 (slow, for few tests)

    async with make_client(tls) as made:
        yield made


@pytest.fixture(scope="session")
def postgres_server() -> "Iterator[PostgresServer]":
    """A real Postgres, started by the first test that needs it."""
    from tests.support.postgres_server import running_server  # noqa: PLC0415 (slow, for few tests)

    with running_server() as server:
        yield server
