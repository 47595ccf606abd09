"""Closes a stream of events with the block that reads it, not whenever the collector comes by."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar, runtime_checkable

T = TypeVar("T")


@runtime_checkable
class _Closable(Protocol):
    async def aclose(self) -> None: ...


@asynccontextmanager
async def closed_after(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Hand the stream on and close it at the end, if it can be closed."""
    try:
        yield stream
    finally:
        if isinstance(stream, _Closable):
            await stream.aclose()
