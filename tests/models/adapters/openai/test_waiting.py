"""How long a port waits, what it does when nobody waits for it, and how many wait at once."""

import asyncio
from contextlib import aclosing

import httpx
import pytest

from bot.errors import AwayError
from bot.models.adapters.openai import OpenAIPort
from bot.models.sse import WaitLimits
from bot.types.model_port import Delta, ErrorKind, Finished
from tests.models.adapters.openai.conftest import (
    QUICK,
    QUICK_ONCE_BEGUN,
    MakePort,
    error_of,
    events_of,
    request,
    text_of,
)
from tests.support.model_server import ModelServer, Script


async def test_a_model_that_never_begins_times_out(
    server: ModelServer, make_port: MakePort
) -> None:
    server.script("model", Script(hold=asyncio.Event()))
    assert (await error_of(make_port(limits=QUICK))).kind is ErrorKind.TIMEOUT


@pytest.mark.parametrize("after", [0, 1])
async def test_keep_alives_are_no_sign_of_life(
    server: ModelServer, make_port: MakePort, after: int
) -> None:
    """Neither before the first token nor after it."""
    hang = Script(text="A long answer.", trouble="hang", after=after, keep_alive_seconds=0.01)
    server.script("model", hang)
    error = await error_of(make_port(limits=QUICK))
    assert error.kind is ErrorKind.TIMEOUT
    assert ("did not start", "stopped writing")[after] in str(error)


async def test_slow_tokens_are_a_sign_of_life(server: ModelServer, make_port: MakePort) -> None:
    """The answer takes longer than the silence allowed, but is never silent that long."""
    server.script("model", Script(text="abcd" * 24, tokens_per_second=40))
    limits = WaitLimits(first_token=0.5, silence=0.5)
    assert await text_of(make_port(limits=limits)) == "abcd" * 24


async def test_a_reader_that_takes_its_time_is_no_silence(
    server: ModelServer, make_port: MakePort
) -> None:
    server.script("model", Script(text="abcd", tokens_per_second=100))
    async with aclosing(make_port(limits=QUICK_ONCE_BEGUN).stream(request())) as events:
        async for event in events:
            if isinstance(event, Delta):
                await asyncio.sleep(QUICK_ONCE_BEGUN.silence * 1.2)
    assert event == Finished("stop")


async def test_the_deadline_ends_a_lively_answer(server: ModelServer, make_port: MakePort) -> None:
    """2.2#24."""
    server.script("model", Script(text="abcd" * 1000, tokens_per_second=100))
    error = await error_of(make_port(), request(deadline_seconds=0.2))
    assert error.kind is ErrorKind.TIMEOUT
    assert "0.2 s" in str(error)


async def test_a_server_that_dawdles_after_the_finish_is_not_waited_for(
    server: ModelServer, make_port: MakePort
) -> None:
    chunk = b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n'
    server.script("model", Script(raw=chunk, linger=True))
    assert (await events_of(make_port(limits=QUICK_ONCE_BEGUN)))[-1] == Finished("stop")


async def test_cancelling_closes_the_connection(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(text="A long answer.", trouble="hang", after=1))
    task = asyncio.create_task(events_of(port))
    (call,) = await server.called(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(5):
        await call.left.wait()


async def test_leaving_the_stream_early_closes_the_connection(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(text="A long answer.", trouble="hang", after=1))
    async with aclosing(port.stream(request())) as events:
        await anext(events)
    async with asyncio.timeout(5):
        await server.calls[0].left.wait()


async def test_a_timeout_closes_the_connection(server: ModelServer, make_port: MakePort) -> None:
    server.script("model", Script(hold=asyncio.Event()))
    await error_of(make_port(limits=QUICK))
    async with asyncio.timeout(5):
        await server.calls[0].left.wait()


async def test_no_more_calls_than_allowed_are_under_way(
    server: ModelServer, make_port: MakePort
) -> None:
    gate = asyncio.Event()
    server.script("model", Script(hold=gate))
    port = make_port(max_concurrent=3)
    tasks = [asyncio.create_task(events_of(port)) for _ in range(10)]
    await server.called(3)
    gate.set()
    await asyncio.gather(*tasks)
    assert (len(server.calls), server.most_at_once) == (10, 3)


async def test_a_call_that_never_gets_its_turn_times_out(
    server: ModelServer, make_port: MakePort
) -> None:
    server.script("model", Script(hold=asyncio.Event()))
    port = make_port(max_concurrent=1)
    first = asyncio.create_task(events_of(port))
    await server.called(1)
    error = await error_of(port, request(deadline_seconds=0.1))
    assert error.kind is ErrorKind.TIMEOUT
    assert "maxConcurrent" in str(error)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)


@pytest.mark.parametrize(
    "script",
    [Script(status=500), Script(trouble="reset"), Script(trouble="hang", after=1), Script()],
)
async def test_every_ending_gives_its_place_back(
    server: ModelServer, make_port: MakePort, script: Script
) -> None:
    server.script("model", script, Script())
    port = make_port(max_concurrent=1, limits=QUICK_ONCE_BEGUN)
    await asyncio.gather(events_of(port), return_exceptions=True)
    assert await text_of(port) == "Hello."


async def test_a_cancelled_call_gives_its_place_back(
    server: ModelServer, make_port: MakePort
) -> None:
    server.script("model", Script(trouble="hang"), Script())
    port = make_port(max_concurrent=1)
    task = asyncio.create_task(events_of(port))
    await server.called(1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await text_of(port) == "Hello."


async def test_closing_the_port_leaves_the_shared_client_open(
    port: OpenAIPort, client: httpx.AsyncClient
) -> None:
    await port.close()
    assert not client.is_closed


async def test_after_a_429_fewer_calls_are_under_way(
    server: ModelServer, make_port: MakePort
) -> None:
    """providers 1.2: a 429 lowers the provider's concurrency."""
    port = make_port(max_concurrent=8)
    limited = Script(status=429, body={"error": {"message": "Slow down."}})
    gate = asyncio.Event()
    server.script("model", *[limited] * 8, Script(text="Yes.", hold=gate))
    await asyncio.gather(*(error_of(port) for _ in range(8)))
    later = [asyncio.create_task(text_of(port)) for _ in range(8)]
    with pytest.raises(TimeoutError):
        await server.called(8 + 5, seconds=0.1)
    assert server.under_way == 4
    gate.set()
    assert await asyncio.gather(*later) == ["Yes."] * 8


async def test_a_call_that_may_not_be_made_any_more_when_its_slot_is_free_is_not_sent(
    make_port: MakePort, server: ModelServer
) -> None:
    """Issue 25, point 2: a process that was stopped while a call waited pays for nothing."""
    hold, allowed = asyncio.Event(), [True]
    server.script("model", Script(hold=hold))

    async def check() -> None:
        if not allowed[0]:
            raise AwayError("Another process has the database.")

    port = make_port(max_concurrent=1)
    first = asyncio.create_task(events_of(port, request(before_sending=check)))
    await server.called(1)
    second = asyncio.create_task(events_of(port, request(before_sending=check)))
    await asyncio.sleep(0)
    allowed[0] = False
    hold.set()
    assert await first
    with pytest.raises(AwayError):
        await second
    assert len(server.calls) == 1
