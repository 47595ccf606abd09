"""A search service on loopback and the client that calls it."""

import ssl
from collections.abc import AsyncIterator

import httpx
import pytest

from bot.http.client import make_client
from tests.search.search_server import SearchServer
from tests.search.search_services import SERVICES, KnownService


@pytest.fixture
async def server() -> AsyncIterator[SearchServer]:
    async with SearchServer() as running:
        yield running


@pytest.fixture(scope="session")
def tls() -> ssl.SSLContext:
    """Made once, for it takes longer than most tests."""
    return ssl.create_default_context()


@pytest.fixture
async def client(tls: ssl.SSLContext) -> AsyncIterator[httpx.AsyncClient]:
    async with make_client(tls) as made:
        yield made


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> KnownService:
    """Each of the services in turn."""
    return SERVICES[request.param]
