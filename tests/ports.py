"""Ports on loopback at which nobody listens."""

import socket


def closed_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
        return port
