"""Injected time, so that tests need not wait."""

from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]
