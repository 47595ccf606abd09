"""A model server in a process of its own, so that its CPU time does not count.

The parent calls `model_process(latencies)`; the child runs this module. Every model answers after
exactly the seconds it was given, in Roundtable's own formats, written by the rehearsal, a line in
each event of the stream. An answer is made once for each kind of question and kept as bytes, so
that a hundred questions in the same instant do not wait for the server.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from aiohttp import web

ROOT = Path(__file__).resolve().parents[2]
_ROUND = re.compile(r"\b[Rr]ound (\d)")


@contextmanager
def model_process(latencies: Mapping[str, float], texts: Mapping[str, str]) -> Iterator[str]:
    """Run the server while the block lasts; yields its base URL.

    `latencies` are seconds by model; a model in `texts` always says the same.
    """
    told = json.dumps({"latencies": dict(latencies), "texts": dict(texts)})
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


def _serve(latencies: Mapping[str, float], texts: Mapping[str, str]) -> None:
    from tests.model_server import Call, ModelServer, Script, _Answer, _Streaming
    from tests.rehearsed import RehearsedAnswers

    class PacedServer(ModelServer):
        """Answers at the right moment, with bytes made beforehand."""

        def __init__(self) -> None:
            super().__init__()
            self._rehearsed = RehearsedAnswers()
            self._made: dict[tuple[str, ...], bytes] = {}

        async def _serve(self, request: web.Request, call: Call) -> web.StreamResponse:
            model = call.body["model"]
            loop = asyncio.get_running_loop()
            due = loop.time() + latencies[model]
            raw = await self._bytes(call, model)
            await asyncio.sleep(due - loop.time())
            return await _Streaming(request, Script(raw=raw)).send(_Answer(Script(), {}, ""))

        async def _bytes(self, call: Call, model: str) -> bytes:
            key = _kind_of_question(call.body)
            if key not in self._made:
                text = texts.get(model) or await self._rehearsed(call.body)
                script = Script(pieces=text.splitlines(keepends=True))
                self._made[key] = b"".join(_events(_Answer(script, call.body, text)))
            return self._made[key]

    def _events(answer: _Answer) -> Iterator[bytes]:
        for event in [answer.opening(), *answer.pieces(), *answer.ending()]:
            yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
        yield b"data: [DONE]\n\n"

    async def run() -> None:
        async with PacedServer() as server:
            print(server.url, flush=True)
            await asyncio.to_thread(sys.stdin.read)

    asyncio.run(run())


def _kind_of_question(body: Mapping[str, object]) -> tuple[str, ...]:
    """Model, prompt and round: what an answer depends on."""
    messages = body["messages"]
    assert isinstance(messages, list)
    system, user = (message["content"] for message in messages)
    asked = _ROUND.search(user)
    return str(body["model"]), system.partition("\n")[0], asked[1] if asked else ""


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())
    _serve(given["latencies"], given["texts"])
