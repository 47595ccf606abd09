"""Settings of the whole suite."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer

# The same examples in every run, so that a red run is somebody's change and not bad luck;
# `HYPOTHESIS_PROFILE=explore` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def postgres_server() -> "Iterator[PostgresServer]":
    """A real Postgres, started by the first test that needs it."""
    from tests.postgres_server import running_server  # noqa: PLC0415 (slow, for few tests)

    with running_server() as server:
        yield server
