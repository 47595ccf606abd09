"""No JSON a service may answer with makes an adapter raise anything but a SearchError."""

import asyncio
import contextlib
import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.search.port import SearchError
from tests.search.search_services import SERVICES

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
ROWS = st.dictionaries(
    st.sampled_from("title url link content description text snippet age date".split()),
    SCALARS | st.just("https://example.org/"),
)
ANY_JSON = st.recursive(
    SCALARS | ROWS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["results", "web", "organic", "error"]), inner)
    ),
    max_leaves=12,
)
STATUSES = st.just(200) | st.integers(200, 599)


def search(name: str, status: int, content: bytes) -> None:
    """Look something up on a service that answers with this."""

    async def ask() -> None:
        transport = httpx.MockTransport(lambda _: httpx.Response(status, content=content))
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            found = await SERVICES[name].build(client, "http://search.test").search("q", 3)
            assert len(found) <= 3
            assert all(r.title and r.url.startswith("http") for r in found)

    with contextlib.suppress(SearchError):
        asyncio.run(ask())


@pytest.mark.parametrize("name", SERVICES)
@settings(max_examples=40, deadline=None)
@given(answer=ANY_JSON, status=STATUSES)
def test_any_json_gives_results_or_a_search_error(name: str, answer: Any, status: int) -> None:
    """E95."""
    search(name, status, json.dumps(answer).encode())


@pytest.mark.parametrize("name", SERVICES)
@settings(max_examples=20, deadline=None)
@given(answer=st.binary(max_size=200))
def test_any_bytes_give_results_or_a_search_error(name: str, answer: bytes) -> None:
    """E95."""
    search(name, 200, answer)
