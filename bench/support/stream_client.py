"""One client in a process of its own: reads streams at once and says what CPU time they took.

    python -m bench.support.stream_client ours|bare|sdk URL STREAMS TOKENS

`ours` is the way of every call of the bot: the registry's port with retries and breaker, collected
to an answer. `bare` is httpx-sse and json and nothing else. `sdk` is the openai package.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bench.support.stream_server import MODEL, token

SYSTEM, USER = "You sit on a panel.", "Speak."
DEADLINE = 300.0

Read = Callable[[], Awaitable[str]]
Client = Callable[[str, int], "tuple[Read, Callable[[], Awaitable[None]]]"]


def ours(url: str, streams: int) -> tuple[Read, Callable[[], Awaitable[None]]]:
    """Roundtable's own path from the registry to the answer."""
    from bot.models.collect import collect
    from bot.models.registry import ModelRegistry
    from bot.panels.providers import OpenAIProvider
    from bot.types.model_port import Message, ModelRequest, Prompt

    told = {"kind": "openai", "baseUrl": url, "apiKey": "none", "maxConcurrent": streams}
    provider = OpenAIProvider.model_validate(told)
    registry = ModelRegistry({"paced": provider})
    prompt = Prompt("round1", {}, (Message("system", SYSTEM), Message("user", USER)))
    request = ModelRequest(MODEL, prompt, "r1:analyst", DEADLINE)

    async def read() -> str:
        return (await collect(registry.port("paced"), request)).text

    return read, registry.close


def bare(url: str, _: int) -> tuple[Read, Callable[[], Awaitable[None]]]:
    """The loop everybody would write first."""
    import httpx
    from httpx_sse import aconnect_sse

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    client = httpx.AsyncClient(timeout=None, limits=limits)
    body = {"model": MODEL, "stream": True, "messages": _messages()}

    async def read() -> str:
        pieces = []
        target = f"{url}/chat/completions"
        async with aconnect_sse(client, "POST", target, json=body) as source:
            async for event in source.aiter_sse():
                if event.data == "[DONE]":
                    continue
                choices = json.loads(event.data)["choices"]
                pieces.append(choices[0]["delta"].get("content", "") if choices else "")
        return "".join(pieces)

    return read, client.aclose


def sdk(url: str, _: int) -> tuple[Read, Callable[[], Awaitable[None]]]:
    """The openai package, streaming, without retries."""
    import openai

    client: Any = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=DEADLINE)

    async def read() -> str:
        pieces = []
        stream = await client.chat.completions.create(
            model=MODEL, messages=_messages(), stream=True
        )
        async for chunk in stream:
            choices = chunk.choices
            pieces.append((choices[0].delta.content or "") if choices else "")
        return "".join(pieces)

    return read, client.close


def _messages() -> list[dict[str, str]]:
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]


async def _measure(client: Client, url: str, streams: int, tokens: int) -> dict[str, float]:
    expected = "".join(token(number) for number in range(tokens))
    read, close = client(url, streams)
    began, wall = time.process_time(), time.perf_counter()
    texts = await asyncio.gather(*(read() for _ in range(streams)), return_exceptions=True)
    cpu, seconds = time.process_time() - began, time.perf_counter() - wall
    await close()
    wrong = [text for text in texts if text != expected]
    for text in wrong[:3]:
        print(f"not the whole answer: {text!r:.200}", file=sys.stderr)
    return {"cpu": cpu, "seconds": seconds, "lost": len(wrong)}


def main(kind: str, url: str, streams: int, tokens: int) -> None:
    """Measure and print one line of JSON."""
    client: Client = {"ours": ours, "bare": bare, "sdk": sdk}[kind]
    # Imports and the first client are not what streaming costs.
    client(url, streams)
    print(json.dumps(asyncio.run(_measure(client, url, streams, tokens))))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
