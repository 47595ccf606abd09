"""Closes a stream of events with the block that reads it, not whenever the collector comes by."""

from collections.abc import AsyncGenerator, AsyncIterator
from types import AsyncGeneratorType
from typing import Generic, TypeVar

T = TypeVar("T")


class closed_after(Generic[T]):  # noqa: N801 (used as a function, like contextlib's aclosing)
    """Hand the stream on and close it at the end, if it can be closed."""

    def __init__(self, stream: AsyncIterator[T]) -> None:
        self._stream = stream

    async def __aenter__(self) -> AsyncIterator[T]:
        return self._stream

    async def __aexit__(self, *_: object) -> None:
        # Nearly all are plain generators, and asking the abstract class takes long.
        if isinstance(self._stream, AsyncGeneratorType | AsyncGenerator):
            await self._stream.aclose()
