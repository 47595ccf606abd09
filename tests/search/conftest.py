"""A search service on loopback and the client that calls it."""

from collections.abc import AsyncIterator

import pytest

from tests.search.search_server import SearchServer
from tests.search.search_services import SERVICES, KnownService


@pytest.fixture
async def server() -> AsyncIterator[SearchServer]:
    async with SearchServer() as running:
        yield running


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> KnownService:
    """Each of the services in turn."""
    return SERVICES[request.param]
