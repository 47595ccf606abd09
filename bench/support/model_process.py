"""A model server in a process of its own, so that its CPU time does not count.

The parent calls `model_process(latencies)`; the child runs this module. Every model answers after
exactly the seconds it was given, in Roundtable's own formats, written by the rehearsal, a line in
each event of the stream. With `words` every answer is filled up to so many words, and a request
without a system message, as scripts send it, gets as many plain ones. An answer is made once for
each kind of question and kept as bytes, and the server does no more than HTTP asks for, so that
four hundred questions in the same instant do not wait for it.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_ROUND = re.compile(r"\b[Rr]ound (\d)")


@contextmanager
def model_process(
    latencies: Mapping[str, float], texts: Mapping[str, str], words: int = 0
) -> Iterator[str]:
    """Run the server while the block lasts; yields its base URL.

    `latencies` are seconds by model; a model in `texts` always says the same.
    """
    told = json.dumps({"latencies": dict(latencies), "texts": dict(texts), "words": words})
    command = [sys.executable, "-m", "bench.support.model_process"]
    server = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        server.stdin.write(told + "\n")
        server.stdin.flush()
        yield server.stdout.readline().strip()
    finally:
        server.stdin.close()  # the child ends when nobody can talk to it any more
        server.wait(10)
        server.stdout.close()


class _Answers:
    """The bytes of every answer by kind of question, each made when it is first asked for."""

    def __init__(self, texts: Mapping[str, str], words: int) -> None:
        from tests.support.rehearsed_answers import RehearsedAnswers

        self._texts = texts
        self._words = words
        self._rehearsed = RehearsedAnswers()
        self._made: dict[tuple[str, ...], bytes] = {}

    async def to(self, body: dict[str, Any]) -> bytes:
        """A whole HTTP answer."""
        key = _kind_of_question(body)
        if key not in self._made:
            self._made[key] = _streamed(body, await self._text(body))
        return self._made[key]

    async def _text(self, body: dict[str, Any]) -> str:
        if known := self._texts.get(body["model"]):
            return known
        if len(body["messages"]) == 1:
            return filler(self._words)
        return filled(await self._rehearsed(body), self._words)


_FILLING = "A queue that one process writes and three read holds a few hundred jobs a second. "
_BEFORE_DIGEST = re.compile(r"\n(?:---\n)?\*\*SELF-DIGEST|\n💡")


def filler(words: int) -> str:
    """So many words that say little."""
    some = _FILLING.split()
    return " ".join((some * (words // len(some) + 1))[:words])


def filled(text: str, words: int) -> str:
    """An answer with so many words in all; what is added stands before its digest."""
    missing = words - len(text.split())
    if missing <= 0:
        return text
    if text.lstrip().startswith("{"):
        answer = json.loads(text)
        return json.dumps(answer | {"summary": f"{answer['summary']} {filler(missing)}"})
    place = _BEFORE_DIGEST.search(text)
    at = place.start() if place else len(text)
    return f"{text[:at]}\n{filler(missing)}{text[at:]}"


def _streamed(body: dict[str, Any], text: str) -> bytes:
    from tests.support.model_server import Script, _Answer

    answer = _Answer(Script(pieces=text.splitlines(keepends=True)), body, text)
    events = [answer.opening(), *answer.pieces(), *answer.ending()]
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events]
    stream = "".join([*lines, "data: [DONE]\n\n"]).encode()
    return HEAD + b"%x\r\n%b\r\n0\r\n\r\n" % (len(stream), stream)


class _Connection(asyncio.Protocol):
    """One kept connection: a request in, its answer out when it is due, and again."""

    def __init__(self, answers: _Answers, latencies: Mapping[str, float]) -> None:
        self._answers = answers
        self._latencies = latencies
        self._received = b""
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, _, body = self._received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if length is None or len(body) < int(length[1]):
            return
        self._received = b""
        task = asyncio.create_task(self._serve(json.loads(body)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, body: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + self._latencies[body["model"]]
        answer = await self._answers.to(body)
        loop.call_at(due, self._transport.write, answer)


async def _serve(latencies: Mapping[str, float], texts: Mapping[str, str], words: int) -> None:
    answers = _Answers(texts, words)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: _Connection(answers, latencies), "127.0.0.1", 0, backlog=1024
    )
    async with server:
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
        await asyncio.to_thread(sys.stdin.read)


def _kind_of_question(body: Mapping[str, object]) -> tuple[str, ...]:
    """Model, prompt and round: what an answer depends on."""
    messages = body["messages"]
    assert isinstance(messages, list)
    if len(messages) == 1:
        return str(body["model"]), str(len(messages[0]["content"]))
    system, user = (message["content"] for message in messages)
    asked = _ROUND.search(user)
    return str(body["model"]), system.partition("\n")[0], asked[1] if asked else ""


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())
    asyncio.run(_serve(given["latencies"], given["texts"], given["words"]))
