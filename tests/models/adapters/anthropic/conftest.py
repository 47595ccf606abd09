"""The adapter on a server that replays its wire format."""

import ssl
from collections.abc import AsyncIterator

import pytest

from tests.models.adapter_harness import AdapterHarness, open_adapter
from tests.models.dialects import Anthropic


@pytest.fixture
async def bench(tls: ssl.SSLContext) -> AsyncIterator[AdapterHarness]:
    async with open_adapter(Anthropic(), tls) as made:
        yield made
