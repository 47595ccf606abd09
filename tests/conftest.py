"""Settings of the whole suite."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import guard

if TYPE_CHECKING:
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Fail a test that looks at a server it did not start, whatever became of the refusal."""
    yield
    refused, guard.refused[:] = list(guard.refused), []
    assert not refused, f"looked at what no test opened: {refused}"


@pytest.fixture(scope="session")
def postgres_server() -> "Iterator[PostgresServer]":
    """A real Postgres, started by the first test that needs it."""
    from tests.support.postgres_server import running_server  # noqa: PLC0415 (slow, for few tests)

    with running_server() as server:
        yield server
