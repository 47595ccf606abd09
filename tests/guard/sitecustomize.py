"""Refuses connections to servers that no test started, here and in every Python child process.

Tests take any free port, and systems hand those out above a certain number. So what listens below
it, as local model servers do, and what is not on this machine belongs to somebody else. Children
load this file by its name, because its folder leads their PYTHONPATH.
"""

import ipaddress
import os
import socket
import sys
from pathlib import Path
from typing import Any, Final

USUAL_PORTS: Final = (11434, 8080, 8000, 1234, 8402)
OPENED: Final = "TESTS_OPENED_PORTS"
"""The variable that names the fixed ports a test opened itself, such as `8000,8402`."""
_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUALLY_FIRST: Final = 32768

refused: list[str] = []
"""Every connection that was refused in this process, also when its error was swallowed."""
_own: set[int] = set()
"""The fixed ports at which this process listens itself."""


def install() -> None:
    """Refuse from now on, also on uvloop, which connects past the interpreter."""
    first = _first_free_port()
    sys.addaudithook(lambda event, args: _audit(event, args, first))
    try:
        import uvloop  # noqa: PLC0415 (an extra)
    except ImportError:
        return
    connect, serve = uvloop.Loop.create_connection, uvloop.Loop.create_server

    async def connecting(
        loop: Any, factory: Any, host: Any = None, port: Any = None, **k: Any
    ) -> Any:
        if host is not None:
            _check(host, int(port or 0), first)
        return await connect(loop, factory, host, port, **k)

    async def serving(loop: Any, factory: Any, host: Any = None, port: Any = None, **k: Any) -> Any:
        _own.add(int(port or 0))
        return await serve(loop, factory, host, port, **k)

    vars(uvloop)["Loop"].create_connection = connecting
    vars(uvloop)["Loop"].create_server = serving


def _audit(event: str, args: tuple[Any, ...], first: int) -> None:
    if event not in ("socket.connect", "socket.bind"):
        return
    sock, address = args
    if sock.family not in (socket.AF_INET, socket.AF_INET6) or sock.type != socket.SOCK_STREAM:
        return
    if event == "socket.bind":
        _own.add(address[1])
    else:
        _check(address[0], address[1], first)


def _check(host: str, port: int, first: int) -> None:
    opened = {int(name) for name in os.environ.get(OPENED, "").split(",") if name}
    usual = port in USUAL_PORTS
    ours = port in opened or (not usual and (port >= first or port in _own))
    if ours and _is_here(host):
        return
    refused.append(f"{host}:{port}")
    raise AssertionError(f"a test connects to {host}:{port}, which no test opened")


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _first_free_port() -> int:
    try:
        return min(int(_RANGE.read_text().split()[0]), _USUALLY_FIRST)
    except (OSError, ValueError, IndexError):
        return _USUALLY_FIRST


if __name__ == "sitecustomize":
    install()
