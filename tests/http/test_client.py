"""The one HTTP client of the process: how it reaches servers, and what it makes of failures."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from bot.http.client import make_client

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"


@asynccontextmanager
async def server(*answers: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that says these bytes, one per connection, the last one for ever."""
    heard: list[bytes] = []
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = left.pop(0) if len(left) > 1 else left[0]
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(said)
        await writer.drain()
        writer.close()

    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with running:
        yield f"http://127.0.0.1:{running.sockets[0].getsockname()[1]}", heard


async def test_what_was_asked_arrives_as_it_was_written() -> None:
    async with server(OK) as (url, heard), make_client() as client:
        answer = await client.post(f"{url}/a?b=c%20d", headers={"X-Odd-Case": "a"}, content="é")
        assert (answer.status_code, answer.text) == (200, "hi")
    assert heard[0].startswith(b"POST /a?b=c%20d HTTP/1.1\r\n")
    for header in (b"X-Odd-Case: a", b"Content-Length: 2", b"User-Agent: roundtable/"):
        assert heard[0].count(header) == 1


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (b"", httpx.RemoteProtocolError),
        (b"no HTTP at all\r\n\r\n", httpx.RemoteProtocolError),
        (OK.replace(b": 2", b": 9"), httpx.RemoteProtocolError),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhi",
            httpx.RemoteProtocolError,
        ),
    ],
)
async def test_a_broken_answer_is_an_error_of_the_protocol(
    said: bytes, kind: type[httpx.TransportError]
) -> None:
    async with server(said) as (url, _), make_client() as client:
        with pytest.raises(kind):
            await client.post(url, content="x")


async def test_nobody_there_and_no_such_scheme() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        async with make_client() as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(f"http://127.0.0.1:{taken.getsockname()[1]}")
            with pytest.raises(httpx.UnsupportedProtocol):
                await client.get("gopher://127.0.0.1/")


async def test_a_server_that_is_silent_longer_than_allowed_is_a_timeout() -> None:
    left = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        left.set()

    running = await asyncio.start_server(hold, "127.0.0.1", 0)
    async with running, make_client() as client:
        url = f"http://127.0.0.1:{running.sockets[0].getsockname()[1]}"
        with pytest.raises(httpx.ReadTimeout):
            await client.get(url, timeout=httpx.Timeout(5, read=0.05))
        await left.wait()


async def test_a_proxy_of_the_environment_is_used_but_not_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with server(OK) as (proxy, through_proxy), server(OK) as (local, direct):
        for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", proxy)
        async with make_client() as client:
            assert (await client.get("http://models.invalid/v1")).text == "hi"
            assert (await client.get(f"{local}/v1")).text == "hi"
    assert through_proxy[0].startswith(b"GET http://models.invalid/v1 ")
    assert len(through_proxy) == len(direct) == 1
