"""The adapter on a server that replays its wire format."""

import ssl
from collections.abc import AsyncIterator

import pytest

from tests.models.bench import Bench, bench_for
from tests.models.dialects import Anthropic


@pytest.fixture
async def bench(tls: ssl.SSLContext) -> AsyncIterator[Bench]:
    async with bench_for(Anthropic(), tls) as made:
        yield made
