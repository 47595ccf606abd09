"""Are the providers on this machine running?"""

import asyncio
import socket
from typing import Any

from bot.panels import PanelsConfig, probe_local
from tests.panels.panels_data import bent, loaded
from tests.support.free_ports import closed_port


def _at(port: int, **more: dict[str, Any]) -> PanelsConfig:
    def move(data: dict[str, Any]) -> None:
        data["providers"]["blockrun"]["baseUrl"] = f"http://127.0.0.1:{port}/v1"
        data["providers"].update(more)

    return loaded(bent(move))


async def test_a_provider_that_listens_is_reachable() -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await probe_local(_at(port)) == {}


async def test_a_provider_that_does_not_listen_is_named_with_what_to_do() -> None:
    """E91, E102."""
    port = closed_port()
    assert await probe_local(_at(port)) == {
        "blockrun": f"nothing is listening at 127.0.0.1:{port}: start Blockrun"
    }


async def test_only_this_machine_is_probed() -> None:
    """The hosted providers of the file are not contacted, so nothing is said about them."""
    hosted = {"kind": "openai", "baseUrl": "http://provider.invalid/v1"}
    assert set(await probe_local(_at(closed_port(), hosted=hosted))) == {"blockrun"}


async def test_names_of_this_machine_count_as_this_machine() -> None:
    port = closed_port()
    six = {"kind": "openai", "baseUrl": f"http://[::1]:{port}/v1"}
    named = {"kind": "openai", "baseUrl": f"http://localhost:{port}/v1"}
    found = await probe_local(_at(port, six=six, named=named))
    assert set(found) == {"blockrun", "six", "named"}


async def test_a_server_that_never_accepts_is_given_up_after_the_timeout() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(0)
        port = sock.getsockname()[1]
        waiting = [socket.socket() for _ in range(3)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        try:
            assert set(await probe_local(_at(port), timeout=0.05)) == {"blockrun"}
        finally:
            for client in waiting:
                client.close()
