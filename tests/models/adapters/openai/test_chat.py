"""Chunks of every kind, also those that no server should send."""

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.adapters.openai.chat import ChunkReader
from bot.types.model_port import Delta, Finished, ModelError, ModelEvent
from tests.models.scripted_port import joined

DONE = "[DONE]"

TEXTS: Final = st.sampled_from(
    [
        "",
        " ",
        "a",
        "Use tabs.\n",
        "é😀",
        "\ud83d",
        "\ude00",
        '"}]',
        "\\",
        "\u2028",
        "\ufeff",
        "\x00",
    ]
)
KINDS: Final = st.sampled_from(["message"] * 20 + ["error", "ping"])


def chunk(content: object, **more: object) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": None}
    return {"object": "chat.completion.chunk", "model": "m", "choices": [choice], **more}


def ending(reason: str) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": "end"}, "finish_reason": reason}]}


PLAIN: Final = st.builds(chunk, TEXTS).map(json.dumps)
ODD: Final = st.one_of(
    st.builds(chunk, TEXTS, usage=st.just({"prompt_tokens": 3})).map(json.dumps),
    st.builds(chunk, st.sampled_from([None, 1, ["x"], [{"text": "part"}], {}])).map(json.dumps),
    st.builds(chunk, TEXTS, error=st.sampled_from([None, {"message": "It broke."}])).map(
        json.dumps
    ),
    st.builds(chunk, TEXTS, type=st.just("error")).map(json.dumps),
    st.builds(chunk, TEXTS, created=st.integers(0, 3)).map(json.dumps),
    st.builds(ending, st.sampled_from(["stop", "length", "content_filter"])).map(json.dumps),
    st.just(json.dumps({"choices": [{"delta": {"reasoning": "Hm."}}]})),
    st.sampled_from([DONE, "", " ", "1", "1,2", "[1", "2]", '{"a":1', "null", "NaN", "9" * 5000]),
    st.sampled_from(['{"choices": [], "choices": []}', "[" * 100_000, "\ufeff{}", "{}{}", "{} x"]),
    PLAIN.map(lambda data: f"\u00a0{data} \n"),
    PLAIN.map(lambda data: data.replace('"finish', ',"finish')),
    PLAIN.map(lambda data: data[:-1]),
)
ARRIVALS: Final = st.lists(st.tuples(st.one_of(PLAIN, PLAIN, PLAIN, PLAIN, ODD), KINDS))


def told(arrivals: list[tuple[str, str]]) -> tuple[list[ModelEvent], str]:
    """What an answer of these events says, and how it failed."""
    reader = ChunkReader("asked")
    heard: list[ModelEvent] = []
    try:
        for data, kind in arrivals:
            for event in reader.read(data, kind):
                heard.append(event)  # noqa: PERF402 (kept when the reader raises)
        heard += reader.finish()
    except ModelError as error:
        return joined(heard), f"{error.kind}: {error}"
    return joined(heard), ""


@given(ARRIVALS)
def test_whatever_comes_is_an_answer_or_a_known_failure(arrivals: list[tuple[str, str]]) -> None:
    heard, failure = told(arrivals)
    assert isinstance(heard[-1] if heard else None, Finished) == (failure == "")


REPEATED: Final = [chunk(text) for text in ("Use ", "tabs", ' "now"\n', "\\", "é😀", ".")]


def test_texts_are_put_together() -> None:
    started = {"choices": [{"delta": {"role": "assistant", "content": ""}}], "model": "m"}
    sent = [started, *REPEATED, ending("stop")]
    heard, failure = told([(json.dumps(part), "message") for part in sent])
    assert (heard[1], failure) == (Delta('Use tabs "now"\n\\é😀.end'), "")


@pytest.mark.parametrize(
    "odd",
    [
        '{"object": "chat.completion.chunk", "choices": [{"delta": {"content": "a", %s}}]}',
        '{"content": "a", "object": "chat.completion.chunk", "choices": [{"delta": {%s}}]}',
    ],
)
def test_a_text_is_not_taken_for_the_answer_because_it_is_called_content(odd: str) -> None:
    named = odd % '"content": "b"'
    sent = [json.dumps(chunk("So: ")), named, named, json.dumps(ending("stop"))]
    heard, _ = told([(data, "message") for data in sent])
    assert heard[1] == Delta("So: bbend")
