"""The small model: one at a time in its own thread, in line, in format, and within its context."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.models.adapters.local import LocalPort, open_runtime
from bot.models.adapters.local.runtime import CONTEXT_TOKENS, spare_threads
from bot.models.breaker import BreakerPort
from bot.models.collect import Asides, collect
from bot.models.retry import RetryingPort
from bot.prompting.templates import PromptBook
from bot.settings import SHIPPED_PROMPTS
from bot.types.model_port import Answer, ErrorKind, Message, ModelError, ModelRequest, Prompt
from tests.models.adapters.local.fake_runtime import FakeRuntime, tokens

OUTPUT_TOKENS = 1536

BOOK = PromptBook.load(SHIPPED_PROMPTS)
VALUES = {
    "PROMPT": "Tabs or spaces?",
    "MODE": "debate",
    "ROLE": "Analyst",
    "PROPOSITION": "Tabs are better.",
    "PERSPECTIVE": "weighs evidence",
}


def request(seconds: float = 30.0, **values: str) -> ModelRequest:
    prompt = BOOK.render("round1", VALUES | values)
    return ModelRequest("SmolLM2", prompt, "r1:analyst", seconds)


def last_word(body: Mapping[str, Any]) -> str:
    return f"answer to {body['messages'][-1]['content'].split()[-1]}"


@asynccontextmanager
async def opened(runtime: FakeRuntime) -> AsyncIterator[LocalPort]:
    port = LocalPort(lambda: runtime)
    yield port
    runtime.gate.set()
    await port.close()


async def test_an_answer_costs_nothing_and_is_held_to_its_format() -> None:
    runtime = FakeRuntime(lambda _: "a fine answer")
    async with opened(runtime) as port:
        answer = await collect(port, request())
    assert (answer.text, answer.model, answer.cut_short) == ("a fine answer", "SmolLM2", False)
    assert answer.usage
    assert (answer.usage.cost_usd, answer.usage.output_tokens) == (0.0, 3)
    (body,) = runtime.asked
    assert "[STANCE: " in body["grammar"]
    assert body["max_tokens"] == OUTPUT_TOKENS
    system, user = body["messages"]
    assert system["content"].startswith("You are Analyst in a discussion.")
    assert "Tabs are better." in user["content"]
    assert "<data-" in user["content"]


async def test_calls_wait_in_line_and_their_time_runs_only_from_their_turn() -> None:
    """2.2#24: three wait longer than their deadline, are told where they stand, and all answer."""
    runtime = FakeRuntime(lambda _: "done")
    runtime.gate.clear()
    notes: dict[int, list[str]] = {number: [] for number in range(3)}

    async def ask(number: int) -> tuple[Answer, Asides]:
        asides = Asides(notes[number].append)
        return await collect(registry, request(seconds=0.5), asides=asides), asides

    async with opened(runtime) as port:
        registry = RetryingPort(BreakerPort(port))
        first = asyncio.create_task(collect(registry, request(seconds=30.0)))
        await asyncio.to_thread(runtime.working.wait)
        asking = [asyncio.create_task(ask(number)) for number in range(3)]
        await asyncio.sleep(0.7)
        runtime.gate.set()
        told = [await task for task in asking]
        await first
    assert [answer.text for answer, _ in told] == ["done"] * 3
    assert all(asides.waited >= 0.5 for _, asides in told)
    assert notes[2] == [
        "in the queue, 3 ahead",
        "in the queue, 2 ahead",
        "in the queue, 1 ahead",
        "",
    ]
    assert runtime.threads == {"small-model_0"}


async def test_a_deadline_that_passes_at_work_stops_the_model_and_frees_it() -> None:
    runtime = FakeRuntime(lambda _: "done")
    runtime.gate.clear()
    async with opened(runtime) as port:
        with pytest.raises(ModelError) as failure:
            await collect(port, request(seconds=0.1))
        assert failure.value.kind is ErrorKind.TIMEOUT
        assert runtime.stopped_early == 1
        runtime.gate.set()
        assert (await collect(port, request())).text == "done"


async def test_one_that_leaves_the_line_is_never_asked() -> None:
    runtime = FakeRuntime(lambda _: "done")
    runtime.gate.clear()
    async with opened(runtime) as port:
        first = asyncio.create_task(collect(port, request()))
        await asyncio.to_thread(runtime.working.wait)
        leaving = asyncio.create_task(collect(port, request()))
        staying = asyncio.create_task(collect(port, request()))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        runtime.gate.set()
        assert [(await task).text for task in (first, staying)] == ["done", "done"]
    assert len(runtime.asked) == 2


async def test_the_loop_goes_on_while_the_model_works() -> None:
    runtime = FakeRuntime(lambda _: "done")
    runtime.gate.clear()
    async with opened(runtime) as port:
        asking = asyncio.create_task(collect(port, request()))
        await asyncio.to_thread(runtime.working.wait)
        for _ in range(50):
            await asyncio.sleep(0)
        assert not asking.done()
        runtime.gate.set()
        assert (await asking).text == "done"


@pytest.mark.parametrize("words", [CONTEXT_TOKENS - OUTPUT_TOKENS, 3 * CONTEXT_TOKENS])
async def test_a_prompt_that_leaves_no_room_is_shortened_and_that_is_said(words: int) -> None:
    """Nothing is cut in silence, and the rules, the question and the format are never cut."""
    runtime = FakeRuntime(lambda _: "done")
    asides = Asides()
    async with opened(runtime) as port:
        long = request(STAGE_1_OUTPUTS="word " * words)
        assert (await collect(port, long, asides=asides)).text == "done"
    assert asides.remarks == ["its prompt was shortened to fit a very small model"]
    body = runtime.asked[-1]
    assert CONTEXT_TOKENS - OUTPUT_TOKENS >= tokens(body) > 0.8 * (CONTEXT_TOKENS - OUTPUT_TOKENS)
    user = body["messages"][-1]["content"]
    assert "(shortened to fit this model)" in user
    assert "Tabs or spaces?" in user
    assert user.endswith("Write your answer now.")


async def test_a_prompt_that_cannot_be_cut_is_a_clear_error() -> None:
    runtime = FakeRuntime(lambda _: "done")
    prompt = Prompt("unknown", {}, (Message("user", "word " * 2 * CONTEXT_TOKENS),))
    async with opened(runtime) as port:
        with pytest.raises(ModelError) as failure:
            await collect(port, ModelRequest("SmolLM2", prompt, "x", 5.0))
    assert failure.value.kind is ErrorKind.CONTEXT_EXCEEDED


async def test_a_runtime_without_grammars_answers_freely_and_that_is_said() -> None:
    runtime = FakeRuntime(lambda _: "as it likes", refuse_grammar=True)
    asides = Asides()
    async with opened(runtime) as port:
        assert (await collect(port, request(), asides=asides)).text == "as it likes"
    assert asides.remarks == ["the small model's answer was not constrained to the format"]


async def test_a_runtime_that_breaks_is_a_clear_error_and_the_next_call_has_its_turn() -> None:
    def write(body: Mapping[str, Any]) -> str:
        if "Break" in body["messages"][-1]["content"]:
            raise RuntimeError("inside the runtime")
        return "done"

    async with opened(FakeRuntime(write)) as port:
        with pytest.raises(ModelError, match="runtime failed"):
            await collect(port, request(PROMPT="Break?"))
        assert (await collect(port, request())).text == "done"


async def test_a_model_that_cannot_be_loaded_is_tried_again_at_the_next_call(
    tmp_path: Path,
) -> None:
    tries: list[int] = []

    def open_now() -> FakeRuntime:
        tries.append(1)
        if len(tries) == 1:
            raise ModelError(ErrorKind.NOT_AUTHORISED, "no file")
        return FakeRuntime(lambda _: "done")

    port = LocalPort(open_now)
    with pytest.raises(ModelError, match="no file"):
        await collect(port, request())
    assert (await collect(port, request())).text == "done"
    await port.close()


def test_one_core_is_left_to_the_bot() -> None:
    assert [spare_threads(cores) for cores in (1, 2, 8)] == [1, 1, 7]


def test_without_the_extra_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xllamacpp", None)
    with pytest.raises(ModelError, match="make local"):
        open_runtime(Path("/nowhere.gguf"), None)
