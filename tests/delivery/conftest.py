"""The store of these tests."""

from tests.support.sqlite_store import store

__all__ = ["store"]
