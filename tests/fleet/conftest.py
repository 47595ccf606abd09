"""A Postgres with our tables, as a gateway or a worker sees it."""

from collections.abc import AsyncIterator

import pytest

from bot.store import Store
from tests.support.postgres_server import PostgresServer


@pytest.fixture
async def url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """An empty database."""
    name = await postgres_server.create()
    yield postgres_server.url(name)
    await postgres_server.drop(name)


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """The store of the worker that holds the database."""
    opened = await Store.open(url)
    yield opened
    await opened.close()
