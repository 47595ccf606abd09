"""A server in a process of its own that streams chat completions at a steady pace.

Every token is one event in one write, as a model sends it, and the streams take turns, so that a
client wakes up for each token as it does with a real provider. The server is a bare asyncio
protocol: it must never be what slows a client down.

    with stream_server(tokens=48, tokens_per_second=8.0, streams=200) as url: ...
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
)
LAST_CHUNK = b"0\r\n\r\n"
MODEL = "paced"


def token(number: int) -> str:
    """The text of a token, so that one that is lost or doubled is seen."""
    return f"w{number} "


@contextmanager
def stream_server(tokens: int, tokens_per_second: float, streams: int) -> Iterator[str]:
    """Run the server while the block lasts; yields its base URL."""
    command = [sys.executable, "-m", "bench.support.stream_server"]
    server = subprocess.Popen(
        [*command, str(tokens), str(tokens_per_second), str(streams)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.stdin.close()  # the child ends when nobody can talk to it any more
        server.wait(10)
        server.stdout.close()


def events(tokens: int) -> list[bytes]:
    """One answer as HTTP chunks, an event in each."""
    said = [_chunk({"role": "assistant", "content": ""})]
    said += [_chunk({"content": token(number)}) for number in range(tokens)]
    said.append(_chunk({}, "stop"))
    used = {"prompt_tokens": 20, "completion_tokens": tokens, "total_tokens": 20 + tokens}
    last = {**_chunk({}), "choices": [], "usage": used}
    datas = [json.dumps(one) for one in [*said, last]]
    return [_framed(f"data: {data}\n\n".encode()) for data in [*datas, "[DONE]"]]


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-9f2c1ab07d6e4c55",
        "object": "chat.completion.chunk",
        "created": 1790000000,
        "model": MODEL,
        "service_tier": "default",
        "system_fingerprint": "fp_44709d6fcb",
        "choices": [choice],
    }


def _framed(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


class _Streams:
    """Answers every request with the same events, each stream a little later than the last."""

    def __init__(self, said: list[bytes], tokens_per_second: float, streams: int) -> None:
        self._said = said
        self._gap = 1 / tokens_per_second
        self._streams = streams
        self._begun = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await reader.readexactly(_length(head))
                await self._answer(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + self._gap * (self._begun % self._streams) / self._streams
        self._begun += 1
        writer.write(HEAD)
        for event in self._said:
            due += self._gap
            await asyncio.sleep(due - loop.time())
            writer.write(event)
        writer.write(LAST_CHUNK)
        await writer.drain()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0


async def _run(tokens: int, tokens_per_second: float, streams: int) -> None:
    answers = _Streams(events(tokens), tokens_per_second, streams)
    server = await asyncio.start_server(answers.serve, "127.0.0.1", 0, backlog=4 * streams)
    async with server:
        host, port = server.sockets[0].getsockname()[:2]
        print(f"http://{host}:{port}/v1", flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_run(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
