"""Echo round trips through the embedded Discord, beside the same echo over a bare websocket.

Two processes each time: one holds the server, the other an unmodified discord.py client (or a bare
aiohttp websocket client) that answers every message. The figure is the CPU time that both processes
spend on one round trip, as a ratio to the bare echo measured in the same run.
"""

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import dataclass

import aiohttp
from aiohttp import web

ROUND_TRIPS = 600
WARM_UP = 50
LIMIT = 15.0


@dataclass(frozen=True)
class Measured:
    """One echo: how fast, and what each side paid for a round trip."""

    per_second: float
    server_us: float
    client_us: float

    @property
    def both_us(self) -> float:
        """CPU of server and client together."""
        return self.server_us + self.client_us


def cpu() -> float:
    """CPU seconds of this process so far."""
    return time.process_time()


# -- the answering side, run as `python bench/embedded.py discord|bare JSON`


async def answer_on_discord(place: dict[str, str]) -> None:
    """An unmodified discord.py client that answers whatever a person says."""
    import discord

    from bot.playground.redirect import redirect_discord_py

    intents = discord.Intents(guilds=True, guild_messages=True, message_content=True)
    client = discord.Client(intents=intents, guild_ready_timeout=0.05, max_messages=None)

    @client.event
    async def on_ready() -> None:
        await client.get_partial_messageable(int(place["channel"])).send("ready")

    @client.event
    async def on_message(message: discord.Message) -> None:
        if message.author.bot:
            return
        if message.content == "cpu":
            await message.channel.send(f"cpu {cpu()}")
        else:
            await message.channel.send(message.content)

    with redirect_discord_py(place["api"], place["gateway"], place["cdn"]):
        async with client:
            await client.start(place["token"])


async def answer_bare(place: dict[str, str]) -> None:
    """The same echo without Discord."""
    async with aiohttp.ClientSession() as session, session.ws_connect(place["url"]) as socket:
        async for message in socket:
            text = json.loads(message.data)["content"]
            reply = f"cpu {cpu()}" if text == "cpu" else text
            await socket.send_str(json.dumps({"content": reply}))


# -- the asking side


async def measure_discord() -> Measured:
    """Say things as a person and wait for each echo."""
    from bot.playground.server import EmbeddedDiscord

    server = EmbeddedDiscord()
    await server.start()
    place = {
        "api": server.api_url,
        "gateway": server.gateway_url,
        "cdn": server.cdn_url,
        "token": server.token,
        "channel": str(server.channel("general").id),
    }
    client = start_client("discord", place)
    person, channel = server.person("Jonas").id, server.channel("general").id

    async def ask(text: str) -> str:
        said = await server.say(person, channel, text)

        def answered() -> str:
            newest = server.messages(channel)[-1]
            return newest.content if newest.id > said.id else ""

        return await server.until(answered, 20.0)

    try:
        await server.until(lambda: server.messages(channel), 20.0)
        return await measure(ask)
    finally:
        client.kill()
        client.wait()
        await server.close()


async def measure_bare() -> Measured:
    """The peer: one websocket, JSON texts, nothing else."""
    sockets: asyncio.Queue[web.WebSocketResponse] = asyncio.Queue()
    replies: asyncio.Queue[str] = asyncio.Queue()

    async def serve(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        sockets.put_nowait(socket)
        async for message in socket:
            replies.put_nowait(json.loads(message.data)["content"])
        return socket

    app = web.Application()
    app.router.add_get("/", serve)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    client = start_client("bare", {"url": f"ws://127.0.0.1:{runner.addresses[0][1]}/"})
    socket = await sockets.get()

    async def ask(text: str) -> str:
        await socket.send_str(json.dumps({"content": text}))
        return await replies.get()

    try:
        return await measure(ask)
    finally:
        client.kill()
        client.wait()
        await runner.cleanup()


async def measure(ask) -> Measured:  # type: ignore[no-untyped-def]
    """Time the round trips and ask the other side for its CPU before and after."""
    for number in range(WARM_UP):
        await ask(f"warm {number}")
    client_before, server_before, start = float((await ask("cpu")).split()[1]), cpu(), time.time()
    for number in range(ROUND_TRIPS):
        assert await ask(f"echo {number}") == f"echo {number}"
    seconds, server_used = time.time() - start, cpu() - server_before
    client_used = float((await ask("cpu")).split()[1]) - client_before
    micro = 1_000_000 / ROUND_TRIPS
    return Measured(ROUND_TRIPS / seconds, server_used * micro, client_used * micro)


def start_client(kind: str, place: dict[str, str]) -> "subprocess.Popen[bytes]":
    """Start the answering side as a process of its own."""
    command = [sys.executable, __file__, kind, json.dumps(place)]
    return subprocess.Popen(command)


async def main() -> int:
    """Measure both and print the ratio."""
    bare = await measure_bare()
    embedded = await measure_discord()
    for name, found in (("bare websocket", bare), ("embedded Discord", embedded)):
        print(
            f"{name:17} {found.per_second:7.0f} round trips/s   CPU per round trip: "
            f"server {found.server_us:6.0f} us, client {found.client_us:6.0f} us"
        )
    ratio = embedded.both_us / bare.both_us
    print(f"embedded: {ratio:.1f} (limit {LIMIT:g})")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        answering = {"discord": answer_on_discord, "bare": answer_bare}[sys.argv[1]]
        asyncio.run(answering(json.loads(sys.argv[2])))
    else:
        sys.exit(asyncio.run(main()))
