"""What the tests of all adapters share."""

import ssl

import pytest


@pytest.fixture(scope="session")
def tls() -> ssl.SSLContext:
    """Made once, for it takes longer than most tests."""
    return ssl.create_default_context()
