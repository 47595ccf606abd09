"""Ports on loopback at which nobody listens."""

import socket
from functools import cache


def closed_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
        return port


@cache
def silent_port() -> int:
    """A port that is held while this process lives, so that nobody can come to listen there."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    _held.append(held)
    port: int = held.getsockname()[1]
    return port


_held: list[socket.socket] = []
