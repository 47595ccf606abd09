"""Closes a stream of events with the block that reads it, not whenever the collector comes by."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def closed_after(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Hand the stream on and close it at the end, if it can be closed."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
